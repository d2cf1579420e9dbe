"""A transparency log in memory over a store in memory, for tests.

>>> log = MemoryLog()
>>> log.mint("x5"), log.change("x5"), log.sequence()
(1, 2, 2)
"""

from collections.abc import Callable
from typing import Any

from msgspec import json
from msgspec.structs import replace

from coolid.log.batches import BatchReader
from coolid.log.checkpoints import Checkpoint, verified_checkpoint
from coolid.log.entries import origin_of
from coolid.log.sequencer import Cosigner, Sequencer
from coolid.log.signed_notes import ED25519, VerifierKey
from coolid.log.subject_entries import version_entry
from coolid.log.tiles import CHECKPOINT, WIDTH, bundle_path, entries_of
from coolid.model.records import ACTIVE, Record
from coolid.proofs.statements import Prover, digest_of
from coolid.store.log import LogAccess
from tests.support.builders.samples import BASE_URL, record
from tests.support.fixtures.note_keys import NoteKey
from tests.support.fixtures.ports import FixedClock, KeySigner
from tests.support.stores.memory_log import MemoryLogFiles, MemoryLogRows
from tests.support.stores.memory_store import MemoryStore


class MessageLog:
    """Implements `coolid.ports.Log`; `messages` has what was logged."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def info(self, message: object, /, *, extra: Any) -> None:
        self.messages.append(f"{message} {extra}")

    warning = error = info


class MemoryLog:
    """The log of a service whose records are made with `mint` and `change`, and added to the log with `sequence`."""

    def __init__(self, cosigner: Cosigner | None = None, base_url: str = BASE_URL) -> None:
        self.store = MemoryStore()
        self.rows, self.files, self.signer = MemoryLogRows(), MemoryLogFiles(), NoteKey()
        self.clock, self.messages, self.keys = FixedClock(), MessageLog(), KeySigner()
        self.prover = Prover(self.keys, self.store, self.clock)
        self.base_url = base_url
        self.access = LogAccess(origin_of(base_url), self.rows, self.files, self.signer)
        self.key = VerifierKey(self.access.origin, ED25519, self.signer.public_key())
        self.batches = BatchReader(self.rows, self.store, self.sign, self.messages)
        self.sequencer = Sequencer(self.access, self.batches, cosigner)

    def sign(self, statement: str) -> str:
        return self.prover.prove_statement(json.decode(statement, type=dict[str, Any]), self.base_url)

    def mint(self, key: str, status: str = ACTIVE, *, waits: bool = True) -> int:
        """Write the first version of a record, which waits if it is public; return its number."""
        now = self.clock.now()
        version = record(key, status=status, created=now, updated=now)
        return self._write(version, self.store.create_record, waits=waits)

    def change(self, key: str, status: str = ACTIVE, *, waits: bool = True) -> int:
        """Write the next version of a record; return its number."""
        current = self.record(key)
        version = replace(
            current,
            version=current.version + 1,
            previous=digest_of(current.to_document()),
            proof=None,
            status=status,
            updated=self.clock.now(),
        )
        return self._write(version, lambda proved: self.store.replace_record(proved, current), waits=waits)

    def record(self, key: str) -> Record:
        found = self.store.record("r4k2-9m3x-62", key)
        assert found is not None
        return found

    def sequence(self) -> int:
        """Run the sequencer until nothing waits; return the size of the log."""
        while (progress := self.sequencer.run()).has_more:
            pass
        return progress.size

    def checkpoint(self) -> Checkpoint:
        """Return the published checkpoint, verified."""
        return verified_checkpoint(self.files.contents[CHECKPOINT], self.key)[0]

    def leaves(self) -> list[bytes]:
        """Return the entries of the published tree."""
        size = self.checkpoint().size
        widths = [min(WIDTH, size - start) for start in range(0, size, WIDTH)]
        return [
            entry
            for index, width in enumerate(widths)
            for entry in entries_of(self.files.contents[bundle_path(index, width)])
        ]

    def _write(self, version: Record, write: Callable[[Record], None], *, waits: bool = True) -> int:
        proved = self.prover.prove(version)
        write(proved)
        entry = version_entry(proved, self.clock.milliseconds())
        if entry and waits:
            self.rows.add_entries([entry])
        return proved.version

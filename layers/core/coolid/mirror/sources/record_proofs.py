"""The proofs that versions are in a log: computed from the mirrored tiles, or those in an export."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, Self

from coolid.errors import UsageError
from coolid.log.checkpoints import Checkpoint, read_checkpoint
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import leaf_hash
from coolid.log.signed_notes import VerifierKey, verify
from coolid.mirror.log_copy import CopiedLog, tile_reader
from coolid.mirror.writer import MirrorWriter
from coolid.transfer.export_format import RECORD, TLOG_PROOF, documents


class RecordProofs(Protocol):
    """The proofs of versions, all with the same checkpoint."""

    def entry(self, pid: str, version: int) -> int | None:
        """Return the index of the entry of a version, or None if it is not in the checkpoint."""

    def proof(self, pid: str, version: int, signature: bytes) -> bytes | None:
        """Return the proof that this signature is the entry of a version, or None if another one is."""


class TiledProofs:
    """Implements `RecordProofs` with the mirrored tiles of a log."""

    def __init__(self, writer: MirrorWriter, log: CopiedLog) -> None:
        self._writer = writer
        self._log = log
        self._tiles = tile_reader(writer, log.checkpoint.size)

    def entry(self, pid: str, version: int) -> int | None:
        """See `RecordProofs`."""
        return self._writer.inventory.entry(pid, version)

    def proof(self, pid: str, version: int, signature: bytes) -> bytes | None:
        """See `RecordProofs`."""
        entry = self.entry(pid, version)
        if entry is None or self._tiles.leaf_hash(entry) != leaf_hash(signature):
            return None
        return InclusionProof.compute(entry, self._tiles, self._log.note).to_bytes()


class ExportedProofs:
    """Implements `RecordProofs` with the proofs in an export. `checkpoint` is None if it has none.

    Raises `UsageError` for a damaged proof, or one whose checkpoint the `key` of the log did not sign.
    """

    def __init__(self, export: Path, key: VerifierKey | None) -> None:
        self._key = key
        self._folder = TemporaryDirectory(prefix="coolid-mirror-")
        self._rows = sqlite3.connect(f"{self._folder.name}/proofs.db", isolation_level=None)
        self._rows.execute("CREATE TABLE proofs (pid TEXT, version INTEGER, proof BLOB, PRIMARY KEY (pid, version))")
        self._rows.execute("PRAGMA synchronous = OFF")
        self._rows.execute("BEGIN")
        self.checkpoint: Checkpoint | None = None
        with export.open("rb") as file:
            for _, document in documents(file):
                if document["kind"] == RECORD and document.get(TLOG_PROOF):
                    self._add(document["record"], document[TLOG_PROOF].encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()
        self._folder.cleanup()

    def entry(self, pid: str, version: int) -> int | None:
        """See `RecordProofs`."""
        found = self._found(pid, version)
        return InclusionProof.parse(found).index if found else None

    def proof(self, pid: str, version: int, signature: bytes) -> bytes | None:
        """See `RecordProofs`."""
        content = self._found(pid, version)
        if content is None:
            return None
        try:
            InclusionProof.parse(content).check(signature)
        except FailedProof:
            return None
        return content

    def _add(self, record: dict[str, object], content: bytes) -> None:
        try:
            checkpoint, note = read_checkpoint(InclusionProof.parse(content).checkpoint)
            if self._key is not None and checkpoint != self.checkpoint:
                verify(note, self._key)
        except (MalformedData, FailedProof) as error:
            raise UsageError(f"the export has a proof that cannot be used: {error}") from error
        if self.checkpoint is None or checkpoint.size > self.checkpoint.size:
            self.checkpoint = checkpoint
        row = (record["pid"], record["version"], content)
        self._rows.execute("INSERT OR REPLACE INTO proofs VALUES (?, ?, ?)", row)

    def _found(self, pid: str, version: int) -> bytes | None:
        query = "SELECT proof FROM proofs WHERE pid = ? AND version = ?"
        found = self._rows.execute(query, (pid, version)).fetchone()
        return bytes(found[0]) if found else None

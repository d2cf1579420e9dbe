"""A transparency log as its readers see it: entries with their indexes, tiles, bundles and a signed checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coolid.log.checkpoints import Checkpoint
from coolid.log.entries import origin_of
from coolid.log.signed_notes import COSIGNATURE
from coolid.log.staged_trees import grow
from coolid.log.tiles import CHECKPOINT
from coolid.log.tree_edge import TreeEdge
from coolid.store.log import LogAccess
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.note_keys import NoteKey
from tests.support.stores.memory_log import MemoryLogFiles

WITNESS = NoteKey("witness.example/w", kind=COSIGNATURE)
WITNESS_KEY = WITNESS.verifier()
POLICY = f"witness first {WITNESS_KEY} https://witness.example/w\nquorum first\n"


@dataclass
class PublishedRows:
    """The rows of a log that only readers use."""

    known: dict[str, int | None] = field(default_factory=dict)

    def indexes(self, names: Sequence[str]) -> Mapping[str, int | None]:
        return {name: self.known[name] for name in names if name in self.known}

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"readers of a log do not call {name}")


def publish(entries: Mapping[str, bytes], base_url: str = BASE_URL, policy: str = "") -> LogAccess:
    """Return the log with these entries by name, in their order. With a policy, a witness cosigned the checkpoint."""
    origin = origin_of(base_url)
    signer, rows, files = NoteKey(origin), PublishedRows(), MemoryLogFiles()
    tree = grow(TreeEdge(), (), entries)
    rows.known = dict(tree.indexes)
    note = signer.signed(Checkpoint(origin, tree.size, tree.root))
    if policy:
        note = WITNESS.cosigned(note, 1_700_000_000)
    files.write({**tree.files, CHECKPOINT: str(note).encode()})
    return LogAccess(origin, rows, files, signer, policy)

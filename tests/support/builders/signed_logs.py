"""A transparency log in memory with its key: signed checkpoints and consistency proofs of all its sizes."""

from collections.abc import Sequence

from coolid.log.checkpoints import Checkpoint
from coolid.log.merkle_tree import consistency_plan, hashes_of, leaf_hash, perfect_root, root_of
from tests.support.fixtures.note_keys import NoteKey


class SignedLog:
    """A log whose entries are the numbers from 0, beginning with `fork_at` those of another history."""

    def __init__(self, origin: str = "log.example/log", size: int = 40, fork_at: int | None = None) -> None:
        self.origin = origin
        self.key = NoteKey(origin)
        fork = size if fork_at is None else fork_at
        self.leaves = [leaf_hash(b"%d%s" % (each, b"" if each < fork else b" forked")) for each in range(size)]

    def checkpoint(self, size: int) -> Checkpoint:
        return Checkpoint(self.origin, size, root_of(self.leaves[:size]))

    def note(self, size: int) -> str:
        return str(self.key.signed(self.checkpoint(size)))

    def proof(self, old: int, new: int) -> Sequence[bytes]:
        if not old:
            return []
        return hashes_of(consistency_plan(old, new), lambda node: perfect_root(self._leaves_of(*node)))

    def _leaves_of(self, level: int, index: int) -> Sequence[bytes]:
        return self.leaves[index << level : (index + 1) << level]

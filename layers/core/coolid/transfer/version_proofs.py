"""Proofs that exported versions are in the transparency log, all with the checkpoint that was published at the start.

A version that waits for its place in the log, or that is not public, has no proof. Memory is bounded: the most recently
read tiles are kept, which are all tiles of a log of a million entries.
"""

from collections.abc import Sequence
from typing import Final

import orjson

from coolid.log.checkpoints import read_checkpoint
from coolid.log.entries import version_name
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.tiles import CHECKPOINT, TileReader, cached
from coolid.store.bulk import RecordRow
from coolid.store.log import LogFiles, LogRows

MAX_TILES: Final = 4096
"""The most tiles that are kept, each of 8 KiB."""


class VersionProofs:
    """Proofs of versions from the rows and files of a log. `missing` counts versions without one, `damaged` errors.

    Raises `StoreUnavailable`, and `MalformedData` for a log whose checkpoint is damaged.
    """

    def __init__(self, rows: LogRows, files: LogFiles) -> None:
        self._rows = rows
        self._read = cached(files.read, MAX_TILES)
        self._note = files.read([CHECKPOINT]).get(CHECKPOINT, b"")
        self._checkpoint = read_checkpoint(self._note)[0] if self._note else None
        self.missing = 0
        self.damaged = 0

    @property
    def is_published(self) -> bool:
        """Whether the log has a checkpoint."""
        return self._checkpoint is not None

    def of(self, versions: Sequence[RecordRow]) -> list[str | None]:
        """Return the proof of each version as the text of a tlog-proof, or None. Raises `StoreUnavailable`."""
        names = [version_name(row.repository, row.key, row.version) for row in versions]
        indexes = self._rows.indexes(names) if self._checkpoint else {}
        return [self._proof(row, indexes.get(name)) for row, name in zip(versions, names, strict=True)]

    def _proof(self, row: RecordRow, index: int | None) -> str | None:
        checkpoint = self._checkpoint
        if checkpoint is None or index is None or index >= checkpoint.size:
            self.missing += 1
            return None
        entry = orjson.loads(row.body)["proof"].encode()
        try:
            proof = InclusionProof.compute(index, TileReader(checkpoint.size, self._read), self._note)
            proof.check(entry)
        except (MalformedData, FailedProof):
            self.damaged += 1
            return None
        return proof.to_bytes().decode()

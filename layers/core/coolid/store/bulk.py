"""The ports of exports and imports: rows of records in the order of an export, and many writes in few calls.

>>> group = WriteGroup(*(RecordRow("r4k2", "x5", version, "active", "{}", None, version == 2) for version in (1, 2)))
>>> [row.version for row in group], group.row_count
([1, 2], 2)
"""

from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Final, Protocol
from weakref import finalize

from msgspec import Struct, json

from coolid.model.repositories import Repository
from coolid.store.rows import pid_of

MAX_GROUP_BYTES: Final = 3_500_000
"""The most bytes of a group's rows that are in memory."""

_ROW_OVERHEAD_BYTES: Final = 500


class RecordRow(Struct, frozen=True):
    """A version of a record as it is stored: `body` is its JSON, byte for byte; `version` counts from 1."""

    repository: str
    key: str
    version: int
    status: str
    body: str
    author: str | None = None
    is_current: bool = True

    @property
    def pid(self) -> str:
        """The hash key of the row."""
        return pid_of(self.repository, self.key)

    @property
    def size_bytes(self) -> int:
        """The approximate size of the row."""
        return len(self.body.encode()) + _ROW_OVERHEAD_BYTES


_ENCODER: Final = json.Encoder()
_DECODER: Final = json.Decoder(RecordRow)


class WriteGroup:
    """Versions of one record to write together, the current one last, and the result.

    Rows beyond `MAX_GROUP_BYTES` are on the disk. `row_count` and `size_bytes` are the number of rows and their size,
    `last` is the last row. `conflicts` are different rows that the store has in their places. If there are
    any, nothing was written; else `written` rows were.
    """

    last: RecordRow

    def __init__(self, *rows: RecordRow) -> None:
        self.row_count = self.size_bytes = self.written = 0
        self.conflicts: list[RecordRow] = []
        self._file = SpooledTemporaryFile(MAX_GROUP_BYTES)  # noqa: SIM115 - closed when the group is freed
        finalize(self, self._file.close)
        for row in rows:
            self.add(row)

    def __iter__(self) -> Iterator[RecordRow]:
        self._file.seek(0)
        return map(_DECODER.decode, self._file)

    def add(self, row: RecordRow) -> None:
        """Add a row."""
        self._file.write(_ENCODER.encode(row) + b"\n")
        self.row_count += 1
        self.size_bytes += row.size_bytes
        self.last = row


class BulkReader(Protocol):
    """Reads all rows that an export contains and no other port lists. Memory is bounded."""

    def repositories(self) -> Iterator[Repository]:
        """Yield all repositories in the order of their ids; the newest may be missing."""

    def record_rows(self, repository_id: str) -> Iterator[RecordRow]:
        """Yield the records of a repository in the order of their keys, each with all versions, the oldest first.

        The newest records may be missing, but each record is complete (consistent).
        """

    def next_number(self, repository_id: str) -> int | None:
        """Return the next unreserved number of a repository's counter (consistent), or None if it has no counter."""

    def estimated_rows(self) -> int | None:
        """Return the approximate number of prefixes and versions, or None if it cannot be counted quickly."""


class BulkWriter(Protocol):
    """Writes new records."""

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """Write the groups, in any order, each completely or not at all, and store the result in each.

        Identical rows that the store already has count neither as written nor as conflicts.
        """

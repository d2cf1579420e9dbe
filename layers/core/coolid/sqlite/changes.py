"""Lists of records by time of change in SQLite."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from coolid.model.records import Record
from coolid.sqlite.database import Database
from coolid.sqlite.schema import CHANGE
from coolid.sqlite.table_rows import RECORD_COLUMNS, record_of_row
from coolid.store.change_positions import change_position, change_range, record_position
from coolid.store.rows import pid_of

_SELECT_POSITIONS: Final = (
    f"SELECT {CHANGE} FROM records "  # noqa: S608 - a constant
    f"WHERE version = 0 AND repository = ? AND {CHANGE} > ? AND {CHANGE} < ? ORDER BY {CHANGE} LIMIT ?"
)
_SELECT: Final = (
    f"SELECT {RECORD_COLUMNS} FROM records "  # noqa: S608 - a constant
    f"WHERE version = 0 AND repository = ? AND {CHANGE} > ? AND {CHANGE} < ? ORDER BY {CHANGE} LIMIT ?"
)
"""The number 0 is in the text, because SQLite uses a partial index only for a constant."""


class SqliteChanges:
    """Implements `ChangeIndex` by an index that SQLite computes from the bodies, so that it is always complete."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_changed(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, after: str | None
    ) -> tuple[Sequence[Record], str | None]:
        """See `ChangeIndex`."""
        if after is not None:  # the index has the hash key of a record in place of its key
            updated, _, key = after.partition(" ")
            after = change_position(updated, pid_of(repository, key))
        first, last = change_range(since, until, after)
        with self._database.read() as connection:
            rows = connection.execute(_SELECT, (repository, first, last, limit + 1)).fetchall()
            listed = [record_of_row(*row) for row in rows[:limit]]
        if len(rows) <= limit:
            return listed, None
        return listed, record_position(listed[-1])

    def change_times(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[str], str | None]:
        """See `ChangeIndex`."""
        first, last = change_range(None, None, after)
        with self._database.read() as connection:
            rows = connection.execute(_SELECT_POSITIONS, (repository, first, last, limit + 1)).fetchall()
        times = [position.partition(" ")[0] for (position,) in rows[:limit]]
        return times, rows[limit - 1][0] if len(rows) > limit else None

    def complete(self, repository: str, limit: int) -> int:  # noqa: ARG002 - it is complete
        """See `ChangeIndex`."""
        return 0

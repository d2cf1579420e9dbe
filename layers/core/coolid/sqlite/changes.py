"""Lists of records by time of change in SQLite."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from coolid.model.records import Record
from coolid.sqlite.database import Database
from coolid.sqlite.schema import CHANGE, OWNER
from coolid.sqlite.table_rows import RECORD_COLUMNS, record_of_row
from coolid.store.change_positions import (
    VERSION,
    change_position,
    change_range,
    record_position,
    version_position,
    version_range,
)
from coolid.store.rows import pid_of

_SELECT_POSITIONS: Final = (
    f"SELECT {CHANGE} FROM records "  # noqa: S608 - a constant
    f"WHERE version = 0 AND repository = ? AND {CHANGE} > ? AND {CHANGE} < ? ORDER BY {CHANGE} LIMIT ?"
)
_SELECT: Final = (
    f"SELECT {RECORD_COLUMNS} FROM records "  # noqa: S608 - a constant
    f"WHERE version = 0 AND repository = ? AND {CHANGE} > ? AND {CHANGE} < ? ORDER BY {CHANGE} LIMIT ?"
)
_SELECT_CURRENT: Final = (
    f"SELECT {RECORD_COLUMNS} FROM records "  # noqa: S608 - a constant
    f"WHERE version = 0 AND repository = :owner AND {CHANGE} > :first AND {CHANGE} <= :last "
    f"ORDER BY {CHANGE} DESC LIMIT :limit"
)
_SELECT_SUPERSEDED: Final = (
    f"SELECT {RECORD_COLUMNS} FROM records "  # noqa: S608 - a constant
    f"WHERE version > 0 AND {OWNER} = :owner AND {CHANGE} > :first AND {CHANGE} <= :last "
    f"AND NOT ({CHANGE} = :last AND version >= :version) ORDER BY {CHANGE} DESC, version DESC LIMIT :limit"
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

    def list_versions(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, before: str | None
    ) -> tuple[Sequence[Record], str | None]:
        """See `ChangeIndex`."""
        first, last = version_range(since, until, before)
        place, _, number = last.partition(VERSION)
        updated, space, key = place.partition(" ")
        if key:  # the index has the hash key of a record in place of its key
            place = f"{updated}{space}{pid_of(repository, key)}"
        values = {
            "owner": repository,
            "first": first,
            "last": place,
            "version": int(number) if number.isdecimal() else 0,
            "limit": limit + 2,
        }
        found: dict[str, Record] = {}
        with self._database.read() as connection:
            for statement in (_SELECT_CURRENT, _SELECT_SUPERSEDED):
                records = (record_of_row(*row) for row in connection.execute(statement, values))
                found |= {version_position(record): record for record in records}
        positions = sorted((each for each in found if before is None or each < before), reverse=True)
        page = [found[position] for position in positions[:limit]]
        return page, positions[limit - 1] if len(positions) > limit else None

    def complete(self, repository: str, limit: int) -> int:  # noqa: ARG002 - it is complete
        """See `ChangeIndex`."""
        return 0

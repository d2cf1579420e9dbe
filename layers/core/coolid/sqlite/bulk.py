"""Bulk reads and writes of a SQLite database, for exports and imports."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final

from coolid.model.repositories import Repository
from coolid.sqlite.database import Database
from coolid.sqlite.records import INSERT_RECORD, pids_after
from coolid.sqlite.table_rows import rows_of
from coolid.store.bulk import RecordRow, WriteGroup
from coolid.store.rows import CURRENT, key_of, repository_of

_SELECT: Final = "SELECT pid, version, status, revision, author, body FROM records"
_SELECT_ALL: Final = f"{_SELECT} WHERE pid > ? AND pid < ? ORDER BY pid, revision"
_SELECT_ONE: Final = f"{_SELECT} WHERE pid = :pid AND version = :version"
_ESTIMATE: Final = "SELECT (SELECT count(*) FROM prefixes) + (SELECT coalesce(max(rowid), 0) FROM records)"


class SqliteBulkReader:
    """Implements `BulkReader`. Each method reads one state of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def repositories(self) -> Iterator[Repository]:
        """See `BulkReader`."""
        with self._database.read() as connection:
            cursor = connection.execute("SELECT * FROM prefixes WHERE kind = 'repository' ORDER BY name")
            for row in rows_of(cursor):
                yield repository_of(row["body"], row.get("canonical"), row)

    def record_rows(self, repository_id: str) -> Iterator[RecordRow]:
        """See `BulkReader`."""
        with self._database.read() as connection:
            yield from map(_record_row, connection.execute(_SELECT_ALL, pids_after(repository_id)))

    def next_number(self, repository_id: str) -> int | None:
        """See `BulkReader`."""
        with self._database.read() as connection:
            found = connection.execute("SELECT next_number FROM counters WHERE id = ?", (repository_id,)).fetchone()
        return found[0] if found else None

    def estimated_rows(self) -> int | None:
        """See `BulkReader`. The largest number of a row counts the versions, because none is ever deleted."""
        with self._database.read() as connection:
            ((estimate,),) = connection.execute(_ESTIMATE)
        return int(estimate)


class SqliteBulkWriter:
    """Implements `BulkWriter` by one transaction for each call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """See `BulkWriter`."""
        results = self._database.write(lambda connection: [_put(connection, group) for group in groups])
        for group, (written, conflicts) in zip(groups, results, strict=True):
            group.written, group.conflicts = written, conflicts


def _put(connection: sqlite3.Connection, group: WriteGroup) -> tuple[int, list[RecordRow]]:
    """Write a group, or nothing. Return the number of new rows, and the rows that conflict with it."""
    written = 0
    conflicts: list[RecordRow] = []
    connection.execute("SAVEPOINT row_group")
    for row in group:
        values = _values(row)
        if connection.execute(INSERT_RECORD, values).rowcount:
            written += 1
        elif (stored := _record_row(connection.execute(_SELECT_ONE, values).fetchone())) != row:
            conflicts.append(stored)
    if conflicts:
        connection.execute("ROLLBACK TO row_group")
    connection.execute("RELEASE row_group")
    return (0 if conflicts else written), conflicts


def _values(row: RecordRow) -> dict[str, Any]:
    return {
        "pid": row.pid,
        "version": CURRENT if row.is_current else row.version,
        "status": row.status,
        "revision": row.version,
        "repository": row.repository if row.is_current else None,
        "author": row.author,
        "body": row.body,
    }


def _record_row(values: Sequence[Any]) -> RecordRow:
    pid, version, status, revision, author, body = values
    return RecordRow(pid.partition("/")[0], key_of(pid), revision, status, body, author, version == CURRENT)

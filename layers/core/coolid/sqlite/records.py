"""Records, their versions and idempotency records in SQLite."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from coolid.errors import IdentifierTaken, Outdated
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.sqlite.database import Database
from coolid.sqlite.idempotency_records import insert_idempotency_record, read_idempotency_record
from coolid.sqlite.table_rows import RECORD_COLUMNS, record_of_row
from coolid.store.rows import CURRENT, pid_of, record_of, record_row

_PAGE_BYTES: Final = 1 << 20
"""The most bytes of versions that one call reads if it need not return all, as in DynamoDB. One may be larger."""
_SELECT: Final = f"SELECT {RECORD_COLUMNS} FROM records WHERE pid = ? AND version = ?"  # noqa: S608 - a constant
_SELECT_LIST: Final = (
    f"SELECT {RECORD_COLUMNS} FROM records "  # noqa: S608 - a constant
    "WHERE pid > ? AND pid < ? AND version = ? ORDER BY pid LIMIT ?"
)
_SELECT_ASCENDING: Final = (
    "SELECT author, body FROM records WHERE pid = ? AND version BETWEEN ? AND ? ORDER BY version LIMIT ?"
)
_SELECT_DESCENDING: Final = _SELECT_ASCENDING.replace("LIMIT", "DESC LIMIT")
INSERT_RECORD: Final = (
    "INSERT INTO records (pid, version, status, revision, repository, author, body) "
    "VALUES (:pid, :version, :status, :revision, :repository, :author, :body) ON CONFLICT DO NOTHING"
)
_REPLACE: Final = (
    "UPDATE records SET status = :status, revision = :revision, author = :author, health = NULL, body = :body "
    "WHERE pid = :pid AND version = :version AND revision = :replaced"
)


class SqliteRecords:
    """Implements `RecordStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(
        self,
        repository: str,
        key: str,
        *,
        consistent: bool = False,  # noqa: ARG002 - every read is consistent
    ) -> Record | None:
        """See `RecordReader`."""
        with self._database.read() as connection:
            return _read_record(connection, pid_of(repository, key), CURRENT)

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """See `RecordReader`."""
        with self._database.read() as connection:
            found = [_read_record(connection, pid_of(repository, key), CURRENT) for key in dict.fromkeys(keys)]
        return {record.key: record for record in found if record is not None}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """See `RecordReader`."""
        if version < 1:  # number 0 is the current version
            return None
        with self._database.read() as connection:
            return _read_record(connection, pid_of(repository, key), version)

    def history(self, repository: str, key: str, newest: int) -> Sequence[Record]:
        """See `RecordReader`."""
        with self._database.read() as connection:
            return _read_newest(connection, pid_of(repository, key), newest)

    def superseded_between(
        self, repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        """See `RecordReader`."""
        pid = pid_of(repository, key)
        with self._database.read() as connection:
            return _read_page(connection, pid, first, last, limit, descending=descending)

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """See `RecordStore`."""
        with self._database.read() as connection:
            rows = connection.execute(_SELECT_LIST, (*pids_after(repository, after), CURRENT, limit + 1)).fetchall()
            listed = [record_of_row(*row) for row in rows[:limit]]
        return listed, listed[-1].key if len(rows) > limit else None

    def create_record(self, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `RecordStore`. Raises `InvalidInput` for a record that is too large."""
        row = record_row(record, CURRENT)

        def change(connection: sqlite3.Connection) -> None:
            insert_idempotency_record(connection, idempotency_record, record.created)
            if not connection.execute(INSERT_RECORD, row).rowcount:
                raise IdentifierTaken(record.id)

        self._database.write(change)

    def replace_record(
        self,
        record: Record,
        replaced: Record,
        idempotency_record: IdempotencyRecord | None = None,
        between: Sequence[Record] = (),
    ) -> None:
        """See `RecordStore`. Raises `InvalidInput` for a record that is too large."""
        current = record_row(record, CURRENT) | {"replaced": replaced.version}
        archived = [record_row(each, each.version) for each in (replaced, *between)]

        def change(connection: sqlite3.Connection) -> None:
            insert_idempotency_record(connection, idempotency_record, record.updated)
            for statement, row in ((_REPLACE, current), *((INSERT_RECORD, each) for each in archived)):
                if not connection.execute(statement, row).rowcount:
                    raise Outdated(record.id)

        self._database.write(change)

    def idempotency_record(self, request_id: str) -> IdempotencyRecord | None:
        """See `RecordStore`."""
        with self._database.read() as connection:
            return read_idempotency_record(connection, request_id)


def pids_after(repository_id: str, key: str | None = None) -> tuple[str, str]:
    """Return the limits, both excluded, of the hash keys of a repository's records after a key.

    >>> pids_after("r4k2"), pids_after("r4k2", "x5")
    (('r4k2/', 'r4k20'), ('r4k2/x5', 'r4k20'))
    """
    return pid_of(repository_id, key or ""), f"{repository_id}0"  # "0" is the character after "/"


def _read_record(connection: sqlite3.Connection, pid: str, version: int) -> Record | None:
    rows = connection.execute(_SELECT, (pid, version)).fetchall()
    return record_of_row(*rows[0]) if rows else None


def _read_newest(connection: sqlite3.Connection, pid: str, limit: int) -> Sequence[Record]:
    """Return the newest versions. Superseded versions never change, so both statements read the same history."""
    current = connection.execute(_SELECT, (pid, CURRENT)).fetchall()
    if not current:
        return []
    _, author, _, body = current[0]
    newest = record_of(body, author, pid)
    older = _read_page(connection, pid, 1, newest.version - 1, limit - 1, descending=True, size=len(body))
    return [newest, *older][:limit]


def _read_page(
    connection: sqlite3.Connection, pid: str, first: int, last: int, limit: int, *, descending: bool, size: int = 0
) -> list[Record]:
    """Return the superseded versions that fit on a page with `size` bytes; at least one if it is empty."""
    statement = _SELECT_DESCENDING if descending else _SELECT_ASCENDING
    found: list[Record] = []
    for author, body in connection.execute(statement, (pid, max(first, CURRENT + 1), last, limit)):
        if size and size + len(body) > _PAGE_BYTES:
            break
        size += len(body)
        found.append(record_of(body, author, pid))
    return found

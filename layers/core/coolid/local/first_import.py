"""The first import of prefixes into a new store.

A marker among the rows of prefixes shows whether the import is complete, so that an interrupted one is repeated. The
marker's name begins with a slash, because no name of a prefix does.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from coolid.sqlite.database import Database
from coolid.sqlite.table_rows import set_text

MARKER: Final = "/filling"
BEGUN: Final = -1
"""The count of an import that is not complete."""

_COLUMNS: Final = ("name", "kind", "target", "longer", "revision", "home", "terms", "body")
_INSERT: Final = (
    "INSERT OR REPLACE INTO prefixes (name, kind, target, longer, revision, home, terms, body) "
    "VALUES (:name, :kind, :target, :longer, :revision, :home, :terms, :body)"
)
_USED: Final = "SELECT EXISTS (SELECT 1 FROM prefixes) OR EXISTS (SELECT 1 FROM clients)"


class FirstImport(Protocol):
    """Fills a new store with prefixes."""

    def begin(self) -> bool:
        """Return whether the store is new or its import was interrupted. If so, mark that the import began."""

    def put(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows of prefixes (`coolid.store.rows.registry_rows`), unconditionally."""

    def end(self, prefixes: int) -> None:
        """Mark that the import of this number of prefixes is complete."""

    def count(self) -> int:
        """Return the number of imported prefixes: 0 without an import, `BEGUN` during one."""

    def needs_administrator(self) -> bool:
        """Return whether the store may have no client that is an administrator."""


class DatabaseImport:
    """Implements `FirstImport` for a SQLite database. The marker has no kind; its `revision` is the number."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self) -> bool:
        """See `FirstImport`. A database with other rows, such as a restored one, is not filled."""

        def begin(connection: sqlite3.Connection) -> bool:
            count = _count(connection)
            is_used = count is None and connection.execute(_USED).fetchone()[0]
            if is_used or count not in (None, BEGUN):
                return False
            _mark(connection, BEGUN)
            return True

        return self._database.write(begin)

    def put(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """See `FirstImport`. Writes all rows in one transaction."""
        values = [dict.fromkeys(_COLUMNS) | dict(row) | {"longer": set_text(row.get("longer", ()))} for row in rows]
        self._database.write(lambda connection: connection.executemany(_INSERT, values))

    def end(self, prefixes: int) -> None:
        """See `FirstImport`."""
        self._database.write(lambda connection: _mark(connection, prefixes))

    def count(self) -> int:
        """See `FirstImport`."""
        with self._database.read() as connection:
            return _count(connection) or 0

    def needs_administrator(self) -> bool:
        """See `FirstImport`. The first client of a database is an administrator; clients are never removed."""
        with self._database.read() as connection:
            return not connection.execute("SELECT EXISTS (SELECT 1 FROM clients)").fetchone()[0]


def _mark(connection: sqlite3.Connection, prefixes: int) -> None:
    connection.execute(_INSERT, dict.fromkeys(_COLUMNS) | {"name": MARKER, "revision": prefixes})


def _count(connection: sqlite3.Connection) -> int | None:
    row = connection.execute("SELECT revision FROM prefixes WHERE name = ?", (MARKER,)).fetchone()
    return None if row is None else int(row[0])

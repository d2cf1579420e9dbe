"""SQLite's checks of a file (https://sqlite.org/pragma.html#pragma_integrity_check) as lines of text."""

import sqlite3
from collections.abc import Iterator, Sequence

from coolid.sqlite.database_errors import failure_reason, is_damage


def all_faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a line for each fault, damaged table and dangling row. Raises `sqlite3.Error`."""
    found = faults(connection)
    yield from found
    if found:
        yield from affected_tables(connection)
    else:  # rows of a damaged table cannot be compared
        yield from dangling_rows(connection)


def faults(connection: sqlite3.Connection, most: int = 100) -> Sequence[str]:
    """Read the whole database and return at most about `most` faults, a line each. Raises `sqlite3.Error`."""
    connection.execute("PRAGMA cell_size_check=OFF")  # otherwise the check ends at the first damaged page
    try:
        return _faults(connection, str(most))
    finally:
        connection.execute("PRAGMA cell_size_check=ON")


def affected_tables(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a line for each table that `faults` finds damaged by itself."""
    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        if _faults(connection, '"{}"'.format(table.replace('"', '""'))):
            yield f"the table {table} is damaged"


def dangling_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a line for each row that names a missing one. Raises `sqlite3.Error`."""
    for table, row, *_ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of the table {table} names a missing row"


def _faults(connection: sqlite3.Connection, argument: str) -> list[str]:
    """Return the lines of the check with an argument. A damage that ends the check early is one of them."""
    found: list[str] = []
    try:
        for (text,) in connection.execute(f"PRAGMA integrity_check({argument})"):
            found += (line for line in text.splitlines() if line != "ok" and not line.startswith("*** in database "))
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        found.append(failure_reason(error) or str(error))
    return found

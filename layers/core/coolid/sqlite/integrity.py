"""SQLite's checks of a file (https://sqlite.org/pragma.html#pragma_integrity_check) as lines of text."""

import sqlite3
from collections.abc import Iterator


def faults(connection: sqlite3.Connection, most: int = 100) -> Iterator[str]:
    """Read the whole database and yield at most about `most` faults, a line each. Raises `sqlite3.Error`."""
    for (text,) in connection.execute(f"PRAGMA integrity_check({most})"):
        yield from (line for line in text.splitlines() if line != "ok" and not line.startswith("*** in database "))


def dangling_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a line for each row that names a missing one. Raises `sqlite3.Error`."""
    for table, row, *_ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of the table {table} names a missing row"

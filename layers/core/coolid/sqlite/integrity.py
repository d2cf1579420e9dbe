"""SQLite's integrity check (https://sqlite.org/pragma.html#pragma_integrity_check) as a list of faults."""

import sqlite3
from collections.abc import Iterator


def faults(connection: sqlite3.Connection, most: int = 100) -> Iterator[str]:
    """Read the whole database and yield at most about `most` faults, a line each. Raises `sqlite3.Error`."""
    for (text,) in connection.execute(f"PRAGMA integrity_check({most})"):
        yield from (line for line in text.splitlines() if line != "ok" and not line.startswith("*** in database "))

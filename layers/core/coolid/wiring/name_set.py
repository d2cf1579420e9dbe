"""A set of names in a temporary file, so that its memory does not grow with a dump.

>>> names = NameSet()
>>> names.add("r4k2/x5"), names.add("r4k2/x5")
(True, False)
"""

import sqlite3
from weakref import finalize


class NameSet:
    """The set. SQLite unlinks its file when it opens it, so that nothing remains after the process is killed."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        finalize(self, self._connection.close)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("CREATE TABLE names (name TEXT PRIMARY KEY) WITHOUT ROWID")
        self._connection.execute("BEGIN")

    def add(self, name: str) -> bool:
        """Add a name, and return whether it is new."""
        return self._connection.execute("INSERT OR IGNORE INTO names VALUES (?)", (name,)).rowcount > 0

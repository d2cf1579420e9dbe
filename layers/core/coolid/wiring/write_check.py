"""The check of `GET /health` that shows whether a SQLite database accepts writes."""

from contextlib import closing
from pathlib import Path
from typing import Final

from coolid.errors import StoreUnavailable
from coolid.sqlite.connections import connect
from coolid.sqlite.database import Database
from coolid.sqlite.database_errors import translate_errors

WAIT_SECONDS: Final = 1.0
"""How long the check waits for the lock of another process, which is less than the time limit of most monitors."""


class WriteCheck:
    """Checks an open database and the files under its name."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._log = Path(f"{database.path}-wal")
        self._file = _identity(database.path)

    def accepts_writes(self) -> bool:
        """Return whether a change can begin, within about `WAIT_SECONDS`. False is a state that may end by itself.

        Raises `StoreUnavailable` if no write succeeds before a restart, because a file was deleted or replaced.
        """
        if _identity(self._database.path) != self._file or _identity(self._log) is None:
            raise StoreUnavailable("the database file was deleted or replaced")
        return self._is_unlocked() and self._database.accepts_writes()

    def _is_unlocked(self) -> bool:
        try:
            with translate_errors(), closing(connect(self._database.path)) as connection:
                connection.execute(f"PRAGMA busy_timeout={WAIT_SECONDS * 1000:.0f}")
                connection.execute("BEGIN IMMEDIATE")
        except StoreUnavailable:
            return False
        return True


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file, or None if it is missing."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

"""The identity of the database's files, which shows whether the open files still have their names.

SQLite goes on to write to a file that was deleted or replaced, and those writes would be lost
(https://sqlite.org/howtocorrupt.html, section 2). The log beside the database (`-wal`) contains the latest writes, so
its identity counts as well.
"""

import os
from pathlib import Path

from coolid.errors import StoreUnavailable


class FileIdentity:
    """The device and inode of a database and its log while they are open."""

    def __init__(self, path: Path) -> None:
        self._paths = (str(path), f"{path}-wal")
        self._found = tuple(map(_identity, self._paths))

    def require_unchanged(self) -> None:
        """Raise `StoreUnavailable` if one of the files was deleted or replaced."""
        if tuple(map(_identity, self._paths)) != self._found:
            raise StoreUnavailable("the database file was deleted or replaced")


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino

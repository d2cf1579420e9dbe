"""A folder of private files that several programs replace, each file at once and under a lock.

The folder is below `coolid` in `$XDG_STATE_HOME`, or else in `~/.local/state` (XDG Base Directory Specification).

>>> file_name("id.example.org/log")
'id.example.org_log-3198d184ff898d8b'
"""

import errno
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from coolid import private_files
from coolid.errors import UsageError

_LOCK_TRIES: Final = 200
_LOCK_SECONDS: Final = 0.05
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9.-]+")


class StateFolder:
    """The folder of this `name`, or another one. It is None for a user without a home folder, who has no state.

    All methods raise `OSError`, and `locked` raises `UsageError` if another program holds the lock for long.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        state = private_files.user_folder("XDG_STATE_HOME", ".local/state")
        self.folder = folder or (state / "coolid" / name if state else None)

    def path(self, name: str) -> Path:
        """Return the path of a file. Raises `OSError` without a folder."""
        if self.folder is None:
            raise FileNotFoundError(errno.ENOENT, "there is no home folder: set XDG_STATE_HOME")
        return self.folder / name

    def read(self, name: str) -> bytes | None:
        """Return the content of a file, or None if there is none or the user may not look for it."""
        try:
            return private_files.read(self.path(name)) if self.folder else None
        except (PermissionError, NotADirectoryError):
            return None

    def write(self, name: str, content: bytes) -> None:
        """Replace a file at once. The caller holds the lock."""
        with private_files.replacement(self.path(name)) as file:
            file.write(content)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Exclude other programs, which hold the lock only while they replace a file. Creates the folder."""
        path = self.path("lock")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for _ in range(_LOCK_TRIES):
            try:
                file = private_files.open_locked(path)
            except BlockingIOError:
                time.sleep(_LOCK_SECONDS)
            else:
                break
        else:
            raise UsageError(f"another program holds {path}")
        with closing(file):
            yield


def file_name(text: str) -> str:
    """Return the name of the file about an origin or URL, without its extension: readable, and of this one alone."""
    return f"{_UNSAFE.sub('_', text)[:80]}-{sha256(text.encode()).hexdigest()[:16]}"

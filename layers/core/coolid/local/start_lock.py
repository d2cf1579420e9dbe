"""The lock of a start over a database, so that of several first starts at once only one fills it.

The lock is on a file beside the database, which is removed at the end of the start. The kernel releases the lock if the
process is killed.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import BinaryIO, Final

from coolid import private_files
from coolid.errors import UsageError

WAIT_SECONDS: Final = 60.0
"""How long a start waits for another one. The first start takes a few seconds."""
_POLL_SECONDS: Final = 0.05


@contextmanager
def start_lock(database: Path, print_line: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a database for the block. `print_line` receives a line if another process holds it.

    In a folder that cannot be written there is no lock, because the database is refused there, with the reason. Raises
    `UsageError` if the other process holds the lock for too long, and `UnsuitableFile`.
    """
    path = database.with_name(f"{database.name}.start-lock")
    file: BinaryIO | None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = _wait_for_lock(
            path, lambda: print_line(f"Another start of coolid prepares {database}; waiting for it …")
        )
    except private_files.UnsuitableFile:
        raise
    except OSError:
        file = None
    try:
        yield
    finally:
        if file is not None:
            path.unlink(missing_ok=True)
            file.close()


def _wait_for_lock(path: Path, on_wait: Callable[[], None]) -> BinaryIO:
    """Return the locked file. Call `on_wait` once if another process holds the lock."""
    end = monotonic() + WAIT_SECONDS
    file = _try_to_lock(path)
    if file is None:
        on_wait()
    while file is None:
        if monotonic() > end:
            raise UsageError(f"{path}: another start of coolid has held this lock for {WAIT_SECONDS:.0f} seconds")
        sleep(_POLL_SECONDS)
        file = _try_to_lock(path)
    return file


def _try_to_lock(path: Path) -> BinaryIO | None:
    """Return the locked file, or None if another process holds the lock."""
    try:
        file = private_files.open_locked(path)
    except BlockingIOError:
        return None
    try:
        is_current = os.path.samestat(os.fstat(file.fileno()), path.lstat())
    except FileNotFoundError:
        is_current = False
    if is_current:
        return file
    file.close()  # its last holder has removed it
    return None

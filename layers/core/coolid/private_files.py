"""Operations on files of mode 600 under names that the program derives, such as `.local/admin-key`.

In a folder that others can write to, another user may put a symbolic link under such a name. The program would then
overwrite, or trust, the file that the link names. Every function here therefore refuses a symbolic link and anything
else that is not a regular file (`O_NOFOLLOW` and `O_EXCL` of POSIX `open`), and changes nothing.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import NamedTemporaryFile
from typing import BinaryIO, Final

_MODE: Final = 0o600
_SAFE: Final = os.O_NOFOLLOW | os.O_NONBLOCK


def user_folder(variable: str, default: str) -> Path | None:
    """Return a folder of the user (XDG Base Directory Specification), or None if the user has no home folder.

    `variable`, such as `XDG_STATE_HOME`, can name it; a relative path in it is ignored. `default` is below the home.
    """
    folder = os.environ.get(variable, "")
    if folder.startswith("/"):
        return Path(folder)
    try:
        return Path.home() / default
    except RuntimeError:
        return None


class UnsuitableFile(OSError):
    """What has the name of a private file is not a regular file, such as a symbolic link, or others can access it."""


def exists(path: Path) -> bool:
    """Return whether there is a regular file of this name. Raises `UnsuitableFile` and other `OSError`."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    _check_mode(path, mode)
    return True


def read(path: Path) -> bytes | None:
    """Return the content of a file, or None if there is no such file. Raises `UnsuitableFile` and other `OSError`."""
    try:
        descriptor = _open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def read_secret(path: Path) -> bytes | None:
    """Return the content of a file that only its owner can access, or None if there is no such file.

    Raises `UnsuitableFile`, also if another user owns the file or can access it, and other `OSError`.
    """
    try:
        descriptor = _open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        _check_access(path, os.fstat(descriptor))
        return file.read()


def open_locked(path: Path) -> BinaryIO:
    """Open a file to read and write, with an exclusive lock until it is closed. Create it if there is none.

    Raises `BlockingIOError` if another process holds the lock, `UnsuitableFile` and other `OSError`.
    """
    file = os.fdopen(_open(path, os.O_RDWR | os.O_CREAT), "r+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file


def create(path: Path, content: bytes) -> None:
    """Create a file with this content, all at once. Raises `FileExistsError` and other `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent) as new:  # of mode 600 under any umask
        new.write(content)
        new.flush()
        os.fsync(new.fileno())
        path.hardlink_to(new.name)
    sync_folder(path.parent)


@contextmanager
def replacement(path: Path, temporary: Path | None = None) -> Iterator[BinaryIO]:
    """Open a new file that replaces the one at `path` when the block ends, all at once, or not at all if it raises.

    It is first written to a new file in the same folder. If a lock excludes other writers, `temporary` can name that
    file: a file that a killed process left there is removed. Raises `UnsuitableFile` and other `OSError`.
    """
    exists(path)
    temporary = temporary or path.with_name(f"{path.name}.{token_hex(4)}.new")
    if exists(temporary):
        temporary.unlink()
    with os.fdopen(_open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    sync_folder(path.parent)


def _open(path: Path, flags: int) -> int:
    exists(path)  # before it is opened, because opening a device or a pipe may have an effect
    descriptor = os.open(path, flags | _SAFE, _MODE)
    try:
        _check_mode(path, os.fstat(descriptor).st_mode)
    except UnsuitableFile:
        os.close(descriptor)
        raise
    return descriptor


def _check_mode(path: Path, mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise UnsuitableFile(errno.ELOOP, "it is a symbolic link", str(path))
    if not stat.S_ISREG(mode):
        raise UnsuitableFile(errno.EINVAL, "it is not a regular file", str(path))


def _check_access(path: Path, state: os.stat_result) -> None:
    mode = stat.S_IMODE(state.st_mode)
    if state.st_uid != os.geteuid():
        raise UnsuitableFile(errno.EPERM, "it belongs to another user", str(path))
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UnsuitableFile(
            errno.EPERM, f"other users can access it (mode {mode:o}): chmod 600, and replace the keys in it", str(path)
        )


def sync_folder(folder: Path) -> None:
    """Write the folder's entries to the disk, so that the new name survives a power failure.

    Errors are ignored, as SQLite does, because some file systems cannot do it, and the file is in its place already.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

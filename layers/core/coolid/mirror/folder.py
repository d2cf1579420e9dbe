"""The folder of a mirror: files below it are read and written by relative paths, without following symbolic links.

Whoever can write to a part of the folder could otherwise let the mirror overwrite, or publish, any file of its maker.
Every component of a path is therefore opened by itself (POSIX `openat` with `O_NOFOLLOW`).
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, Self

from coolid.errors import UsageError

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TEMPORARY: Final = ".coolid-mirror.new"
"""A file that is being written. One process writes to a mirror, so one name is enough in each folder."""
_PART_BYTES: Final = 1 << 20
_IMPROPER: Final = frozenset({"", ".", ".."})


class MirrorFolder:
    """The files below `path`. With `may_create` it is created, and locked for writing.

    Raises `UsageError` if it, or something on the way to a file, is a symbolic link.
    """

    def __init__(self, path: Path, *, may_create: bool) -> None:
        self.path = path
        with _usage_errors(path):
            if may_create:
                path.mkdir(parents=True, exist_ok=True)
            self._root = os.open(path, _FOLDER & ~os.O_NOFOLLOW)
        if may_create:
            self._lock()
        self._open: tuple[str, int] = ("", self._root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_parent()
        os.close(self._root)

    def is_empty(self) -> bool:
        """Return whether there is nothing in the folder."""
        with os.scandir(self._root) as entries:
            return next(entries, None) is None

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or None if there is none. Raises `UsageError` for anything but a file."""
        with self._opened(path) as file:
            return file.read() if file else None

    def digest(self, path: str) -> str | None:
        """Return the SHA-256 of a file in hexadecimal, or None if there is none. Raises `UsageError`."""
        with self._opened(path) as file:
            if file is None:
                return None
            digest = sha256()
            while part := file.read(_PART_BYTES):
                digest.update(part)
            return digest.hexdigest()

    def read_files(self, paths: Sequence[str], below: str = "") -> Mapping[str, bytes]:
        """Return the contents of those of the files that exist, by their paths below `below`."""
        found = ((path, self.read(below + path)) for path in paths)
        return {path: content for path, content in found if content is not None}

    def write(self, path: str, pieces: Iterable[bytes]) -> None:
        """Write a file from its pieces, whole or not at all, and create its folders. Raises `UsageError`."""
        with _usage_errors(self.path / path):
            parent, name = self._parent(path, may_create=True)
            try:
                descriptor = os.open(_TEMPORARY, _WRITE, 0o666, dir_fd=parent)
            except FileExistsError:  # of a killed process
                os.unlink(_TEMPORARY, dir_fd=parent)
                descriptor = os.open(_TEMPORARY, _WRITE, 0o666, dir_fd=parent)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.writelines(pieces)
                os.replace(_TEMPORARY, name, src_dir_fd=parent, dst_dir_fd=parent)
            except BaseException:
                os.unlink(_TEMPORARY, dir_fd=parent)
                raise

    def has(self, name: str) -> bool:
        """Return whether the folder itself contains anything of this name."""
        try:
            os.lstat(name, dir_fd=self._root)
        except FileNotFoundError:
            return False
        return True

    def remove(self, path: str) -> None:
        """Remove a file, if it exists. Raises `UsageError`."""
        with _usage_errors(self.path / path), suppress(FileNotFoundError):
            parent, name = self._parent(path, may_create=False)
            os.unlink(name, dir_fd=parent)

    def paths(self, below: str = ".") -> Iterator[str]:
        """Yield the paths of all files below a folder of it, and of links and other things there, in their order."""
        for found, folders, files, parent in os.fwalk(below, dir_fd=self._root, follow_symlinks=False):
            folders.sort()
            links = [name for name in folders if stat.S_ISLNK(os.lstat(name, dir_fd=parent).st_mode)]
            for name in sorted([*files, *links]):
                yield f"{found}/{name}".removeprefix("./")

    @contextmanager
    def _opened(self, path: str) -> Iterator[BinaryIO | None]:
        """Open a file to read, or None if there is none."""
        with _usage_errors(self.path / path):
            try:
                parent, name = self._parent(path, may_create=False)
                descriptor = os.open(name, _READ, dir_fd=parent)
            except FileNotFoundError:
                yield None
                return
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError(errno.EINVAL, "it is not a regular file")
                yield file

    def _lock(self) -> None:
        """Exclude other writers until the folder is closed. Raises `UsageError` if there is one."""
        try:
            fcntl.flock(self._root, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._root)
            raise UsageError(f"another process writes to {self.path}") from error

    def _parent(self, path: str, *, may_create: bool) -> tuple[int, str]:
        """Return the open folder of a file, and the file's name in it. The last folder stays open."""
        folder, _, name = path.rpartition("/")
        parts = folder.split("/") if folder else []
        if not _IMPROPER.isdisjoint([*parts, name]) or "\0" in path:
            raise OSError(errno.EINVAL, "it is not a path below the folder")
        if self._open[0] != folder:
            self._close_parent()
            self._open = (folder, self._descend(parts, may_create=may_create)) if parts else ("", self._root)
        return self._open[1], name

    def _descend(self, parts: Sequence[str], *, may_create: bool) -> int:
        descriptor = os.dup(self._root)
        for part in parts:
            try:
                following = _open_folder(part, descriptor, may_create=may_create)
            finally:
                os.close(descriptor)
            descriptor = following
        return descriptor

    def _close_parent(self) -> None:
        _, descriptor = self._open
        self._open = ("", self._root)
        if descriptor != self._root:
            os.close(descriptor)


def _open_folder(name: str, parent: int, *, may_create: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        if not may_create:
            raise
    os.mkdir(name, dir_fd=parent)
    return os.open(name, _FOLDER, dir_fd=parent)


@contextmanager
def _usage_errors(path: Path) -> Iterator[None]:
    """Raise `UsageError` for an `OSError` in the block."""
    try:
        yield
    except OSError as error:
        is_link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        reason = "a symbolic link or a file is in its path" if is_link else error.strerror
        raise UsageError(f"{path} cannot be used: {reason}") from error

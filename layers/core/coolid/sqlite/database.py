"""A SQLite database with the tables of the store: one file, one writer and many readers.

The file is in WAL mode (https://sqlite.org/wal.html): readers see the last commit and never wait. Several processes on
one machine may open the same file. A network file system cannot hold it, because the processes share memory.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder, Database.open(Path(folder) / "coolid.db") as database:
...     database.check()
()
"""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from shutil import disk_usage
from threading import Lock
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar
from weakref import WeakSet

from coolid.errors import StoreUnavailable
from coolid.sqlite.connections import ReaderPool, connect
from coolid.sqlite.database_errors import translate_errors
from coolid.sqlite.database_file import check_read_only, copy_database, is_read_only, prepare
from coolid.sqlite.expired_rows import ExpiredRows
from coolid.sqlite.file_identity import FileIdentity
from coolid.sqlite.integrity import all_faults
from coolid.sqlite.writer import Writer

T = TypeVar("T")

_LEAST_FREE_BYTES: Final = 1 << 20
"""The space on the disk below which the database counts as not writable."""


class _Connections(NamedTuple):
    """The connections of one process."""

    identity: FileIdentity
    readers: ReaderPool
    writer: Writer

    def close(self) -> None:
        """Close all connections after the operations in progress."""
        self.readers.close()
        self.writer.close()


class Database:
    """An open database. All methods may be called from several threads."""

    def __init__(self, path: Path, *, is_durable: bool = True) -> None:
        """Open an existing file that `prepare` has examined. Callers use `Database.open`."""
        self.path = path
        self.former_state: Path | None = None
        self._is_durable = is_durable
        self._lock = Lock()
        self._is_closed = False
        self._connections: _Connections | None = None
        self._open_connections()
        _OPEN.add(self)

    @classmethod
    def open(cls, path: Path, *, is_durable: bool = True, may_create: bool = True) -> Self:
        """Open a database and bring its schema up to date.

        A missing database is created with mode 600, unless `may_create` is false. Without `is_durable`, writes do not
        wait for the disk, and a power failure may damage the file. If the schema changes, `former_state` is
        the copy that was made before. Raises `UsageError` for a file that cannot be used, and leaves it unchanged.
        """
        path = path.absolute()
        former_state = prepare(path, may_create=may_create)
        database = cls(path, is_durable=is_durable)
        database.former_state = former_state
        return database

    @classmethod
    def check_file(cls, path: Path) -> Sequence[str]:
        """Return the faults of an existing file, as `check` does. It need not be writable, such as a backup.

        Raises `UsageError` for a file that cannot be used.
        """
        path = path.absolute()
        if is_read_only(path):
            return check_read_only(path)
        with cls.open(path, may_create=False) as database:
            return database.check()

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a read-only connection. Raises `StoreUnavailable`."""
        return self._open_connections().readers.connection()

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Carry out a change in a transaction, and return its result after it is on the disk.

        A change that raises an error is undone. Raises its errors and `StoreUnavailable`.
        """
        return self._open_connections().writer.write(change)

    def require_own_files(self) -> None:
        """Raise `StoreUnavailable` if the file or its log was deleted or replaced. Then no write succeeds any more."""
        self._open_connections().identity.require_unchanged()

    def accepts_writes(self) -> bool:
        """Return whether a change can be committed and the disk has some space. It writes the first page again."""
        try:
            self.write(_write_first_page)
            return disk_usage(self.path.parent).free >= _LEAST_FREE_BYTES
        except (StoreUnavailable, OSError):
            return False

    def backup(self, target: Path) -> None:
        """Copy the last committed state to a new file of mode 600 while others read and write.

        The file gets its name when it is complete and sound. Raises `UsageError` if the name exists or cannot be
        written, or if the copy is damaged as the database is; `StoreUnavailable` if the database cannot be read.
        """
        with self.read() as connection:
            copy_database(connection, target.absolute())

    def check(self) -> Sequence[str]:
        """Read the whole file and return one line for each fault, none for a sound file."""
        found: list[str] = []
        try:
            with self.read() as connection:
                found += all_faults(connection)
        except StoreUnavailable as error:
            found.append(str(error))
        return tuple(found)

    def close(self) -> None:
        """Close all connections after the operations in progress. Later operations raise `StoreUnavailable`."""
        with self._lock:
            _OPEN.discard(self)
            self._is_closed = True
            self._disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open_connections(self) -> _Connections:
        """Return the connections. The first call opens them, and so does the first call after a fork."""
        found = self._connections
        if found is None:
            with self._lock:
                found = self._connections = self._connections or self._connect()
        return found

    def _connect(self) -> _Connections:
        if self._is_closed:
            raise StoreUnavailable("the database is closed")
        with translate_errors(), ExitStack() as opened:
            connection = opened.enter_context(closing(connect(self.path, is_durable=self._is_durable)))
            connection.execute("SELECT 1 FROM sqlite_schema").fetchall()  # opens the log
            identity = FileIdentity(self.path)
            writer = Writer(connection, identity, ExpiredRows())
            found = _Connections(identity, ReaderPool(self.path, identity), writer)
            opened.pop_all()  # the connection stays open if there was no error
        return found

    def _disconnect(self) -> None:
        if self._connections is not None:
            self._connections.close()
            self._connections = None

    def _before_fork(self) -> None:
        self._lock.acquire()
        self._disconnect()

    def _after_fork_in_parent(self) -> None:
        self._lock.release()

    def _after_fork_in_child(self) -> None:
        self._lock = Lock()


def _write_first_page(connection: sqlite3.Connection) -> None:
    """Write the first page of the file again, with the same content."""
    ((version,),) = connection.execute("PRAGMA user_version")
    connection.execute(f"PRAGMA user_version={version}")


# SQLite counts the locks of a process in memory, and a child process inherits the counts without the locks
# (https://sqlite.org/howtocorrupt.html, section 2.6). So no connection may be open during a fork. Both processes open
# new ones when they need them. An operation of another thread may fail meanwhile, with `StoreUnavailable`.
_OPEN: WeakSet[Database] = WeakSet()
_FORKED: list[Database] = []


def _before_fork() -> None:
    _FORKED[:] = _OPEN
    for database in _FORKED:
        database._before_fork()


def _after_fork_in_parent() -> None:
    while _FORKED:
        _FORKED.pop()._after_fork_in_parent()


def _after_fork_in_child() -> None:
    while _FORKED:
        _FORKED.pop()._after_fork_in_child()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)

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
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar
from weakref import WeakSet

from coolid.sqlite.connections import ReaderPool, connect
from coolid.sqlite.database_errors import translate_errors
from coolid.sqlite.database_file import copy_database, prepare
from coolid.sqlite.expired_rows import ExpiredRows
from coolid.sqlite.file_identity import FileIdentity
from coolid.sqlite.writer import Writer

T = TypeVar("T")


class Database:
    """An open database. All methods may be called from several threads, and in a child process after `fork`."""

    def __init__(self, path: Path, *, is_durable: bool = True) -> None:
        """Open the file, which `prepare` has checked. `Database.open` is for callers."""
        self.path = path
        self._is_durable = is_durable
        self._connect()
        _OPEN.add(self)

    @classmethod
    def open(cls, path: Path, *, is_durable: bool = True, may_create: bool = True) -> Self:
        """Open a database and bring its schema up to date.

        If there is none, one is created with mode 600, unless `may_create` is false. Without `is_durable`, a power
        failure may damage the file, and writes do not wait for the disk. Raises `UsageError` for a file that cannot be
        used, which is then unchanged.
        """
        path = path.absolute()
        prepare(path, may_create=may_create)
        return cls(path, is_durable=is_durable)

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a connection to read with. Raises `StoreUnavailable`."""
        return self._readers.connection()

    def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Carry out a change in a transaction, and return its result after it is on the disk.

        A change that raises an error is undone. Raises its errors and `StoreUnavailable`.
        """
        return self._writer.write(change)

    def backup(self, target: Path) -> None:
        """Copy the last committed state to a new file of mode 600 while others read and write.

        The file has its name only when it is complete. Raises `UsageError` if the name exists or cannot be written,
        `StoreUnavailable` if the database cannot be read.
        """
        with self.read() as connection:
            copy_database(connection, target.absolute())

    def check(self) -> Sequence[str]:
        """Return a sentence for each damage of the file, none if it is sound. Reads the whole file.

        Raises `StoreUnavailable` if the file cannot be read at all.
        """
        with self.read() as connection:
            structure = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
            dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
        found = [] if structure == ["ok"] else structure
        return (*found, *(f"row {row} of the table {table} names a missing row" for table, row, *_ in dangling))

    def close(self) -> None:
        """Close all connections after the operations in progress."""
        _OPEN.discard(self)
        self._readers.close()
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _connect(self) -> None:
        with translate_errors():
            connection = connect(self.path, is_durable=self._is_durable)
            connection.execute("SELECT 1 FROM sqlite_schema").fetchall()  # opens the log
        identity = FileIdentity(self.path)
        self._readers = ReaderPool(self.path, identity)
        self._writer = Writer(connection, identity, ExpiredRows())

    def _connect_in_child(self) -> None:
        """Replace the connections of the parent process, which a child must neither use nor close."""
        _PARENTS.append((self._readers, self._writer))
        self._connect()


_OPEN: WeakSet[Database] = WeakSet()
_PARENTS: list[object] = []


def _after_fork() -> None:
    for database in tuple(_OPEN):
        database._connect_in_child()


os.register_at_fork(after_in_child=_after_fork)

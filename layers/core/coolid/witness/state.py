"""The state of a witness in a SQLite file: its own key, the logs with their keys, cosigned checkpoints, and evidence.

A change is one transaction that excludes all others, also of other processes (`BEGIN IMMEDIATE`), and is on the disk
when it returns. So a checkpoint is compared with the latest one and stored in one step.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder, WitnessState.open(Path(folder) / "witness.db") as state:
...     state.read(lambda rows: rows.logs())
[]
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self, TypeVar

from coolid import private_files
from coolid.errors import UsageError
from coolid.sqlite.connections import connect
from coolid.sqlite.database_errors import translate_errors
from coolid.sqlite.database_file import exists, explained_errors
from coolid.sqlite.file_identity import FileIdentity
from coolid.witness.state_rows import StateRows

T = TypeVar("T")

APPLICATION_ID: Final = int.from_bytes(b"cowi")
_SCHEMA: Final = (
    "CREATE TABLE identity (verifier_key TEXT NOT NULL) STRICT",
    """CREATE TABLE logs (
        origin TEXT NOT NULL, verifier_key TEXT NOT NULL, PRIMARY KEY (origin, verifier_key)
    ) STRICT""",
    """CREATE TABLE checkpoints (
        origin_hash TEXT NOT NULL, size INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (origin_hash, size)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE evidence (
        id INTEGER PRIMARY KEY, origin TEXT NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL,
        is_proof INTEGER NOT NULL, document TEXT NOT NULL, UNIQUE (origin, size, root)
    ) STRICT""",
)


class WitnessState:
    """An open state. All methods may be called from several threads."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Use a connection to a file that `open` has examined."""
        self.path = path
        self._connection = connection
        self._identity = FileIdentity(path)
        self._lock = Lock()

    @classmethod
    def open(cls, path: Path, *, may_create: bool = True) -> Self:
        """Open a file, or create it with mode 600 unless `may_create` is false. Raises `UsageError`."""
        path = path.absolute()
        with explained_errors(path):
            if not exists(path):
                if not may_create:
                    raise UsageError(f"{path}: there is no such file; `coolid witness serve` creates it")
                with suppress(FileExistsError):  # another process has just created it
                    private_files.create(path, b"")
            connection = connect(path)
            try:
                _prepare(path, connection)
            except BaseException:
                connection.close()
                raise
            return cls(path, connection)

    def read(self, read: Callable[[StateRows], T]) -> T:
        """Return the result of reads of one state. Raises `StoreUnavailable`."""
        return self._run("BEGIN", read)

    def change(self, change: Callable[[StateRows], T]) -> T:
        """Return the result of reads and changes, which nothing else overlaps, after they are on the disk.

        If `change` raises an error, nothing is changed. Raises its errors and `StoreUnavailable`.
        """
        return self._run("BEGIN IMMEDIATE", change)

    def _run(self, begin: str, change: Callable[[StateRows], T]) -> T:
        with self._lock, translate_errors():
            self._identity.require_unchanged()  # a write to a file that was replaced would be lost
            self._connection.execute(begin)
            try:
                result = change(StateRows(self._connection))
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            self._identity.require_unchanged()
        return result

    def close(self) -> None:
        """Close the file after the change in progress."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Create the tables in an empty file. Raises `UsageError` for a file of another program or a later release."""
    if _has_tables(connection):
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if (application, version) != (APPLICATION_ID, 1):
            raise UsageError(f"{path}: it is not the state of a witness, or a later release has written it")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    if not _has_tables(connection):
        for statement in (*_SCHEMA, f"PRAGMA application_id={APPLICATION_ID}", "PRAGMA user_version=1"):
            connection.execute(statement)
    connection.execute("COMMIT")


def _has_tables(connection: sqlite3.Connection) -> bool:
    (count,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return bool(count)

"""Connections to the database file, and a pool of read-only ones.

Each setting is described in https://sqlite.org/pragma.html:

- `synchronous=FULL` writes a transaction to the disk before its commit returns, so that it survives a power failure.
- `fullfsync` makes macOS flush the cache of the disk itself as well.
- `trusted_schema=OFF` and `cell_size_check` limit what a maliciously prepared file can do.
- `journal_size_limit` shortens the log (WAL) again after a burst of writes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from coolid.errors import StoreUnavailable
from coolid.sqlite.database_errors import translate_read_errors
from coolid.sqlite.file_identity import FileIdentity

BUSY_SECONDS: Final = 5.0
"""How long a connection waits for the lock of another process."""
WAIT_SECONDS: Final = 1.0
"""How long a thread waits for the connection of another thread."""
MAX_IDLE: Final = 8
"""The most idle connections. Each has a page cache of 2 MB, so 32 threads would fill 64 MB in the course of hours."""
IMMUTABLE: Final = "ro&immutable=1"
"""The mode of `connect` for a file that nothing writes and that has no log. SQLite puts no file beside it."""
_LOG_BYTES: Final = 64 << 20
_SETTINGS: Final = (
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
    "PRAGMA fullfsync=ON",
    "PRAGMA checkpoint_fullfsync=ON",
    f"PRAGMA journal_size_limit={_LOG_BYTES}",
)


def connect(path: Path, mode: str = "rw", *, is_durable: bool = True) -> sqlite3.Connection:
    """Open an existing database. `mode` is SQLite's `rw`, `ro` or `rwc`, or `IMMUTABLE`. Transactions are explicit.

    Any thread may use the connection, but only one at a time.
    """
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True
    )
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.execute(f"PRAGMA synchronous={'FULL' if is_durable else 'OFF'}")
    except BaseException:
        connection.close()
        raise
    return connection


class ReaderPool:
    """Read-only connections. A reader gets an idle one, or a new one if none is idle. `MAX_IDLE` stay open."""

    def __init__(self, path: Path, identity: FileIdentity) -> None:
        self._path = path
        self._identity = identity
        self._loans: set[object] = set()
        self._is_closed = False
        self._idle = [self._open()]  # opened now, so that reads go on if the file is deleted

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for the block. Raises `StoreUnavailable`, also for errors of queries and rows in it."""
        loan = object()
        self._loans.add(loan)
        try:
            with translate_read_errors():
                connection = self._take()
                try:
                    yield connection
                except BaseException:  # an unfinished query would hold the connection at its state
                    connection.close()
                    raise
                self._give_back(connection)
        finally:
            self._loans.discard(loan)

    def close(self) -> None:
        """Wait at most `WAIT_SECONDS` until no connection is in use, then close the idle ones."""
        self._is_closed = True
        end = monotonic() + WAIT_SECONDS
        while self._loans and monotonic() < end:
            sleep(0.001)
        while connection := self._idle_connection():
            connection.close()

    def _take(self) -> sqlite3.Connection:
        if self._is_closed:
            raise StoreUnavailable("the database is closed")
        if connection := self._idle_connection():
            return connection
        try:
            return self._open()
        except (sqlite3.Error, StoreUnavailable) as error:
            end = monotonic() + WAIT_SECONDS
            while monotonic() < end:
                if connection := self._idle_connection():
                    return connection
                sleep(0.001)
            raise StoreUnavailable("the database file cannot be opened again") from error

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if len(self._idle) < MAX_IDLE and not self._is_closed:  # `close` may have stopped waiting for this one
            self._idle.append(connection)
        else:
            connection.close()

    def _idle_connection(self) -> sqlite3.Connection | None:
        """Return the connection that was used last, whose page cache is the most useful, or None."""
        try:
            return self._idle.pop()
        except IndexError:  # checked here, because another thread may take the last one after a check
            return None

    def _open(self) -> sqlite3.Connection:
        self._identity.require_unchanged()  # SQLite would merge the log into a replacement of the file, and delete it
        connection = connect(self._path)
        connection.execute("PRAGMA query_only=ON")
        return connection

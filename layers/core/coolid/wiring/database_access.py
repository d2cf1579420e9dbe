"""The SQLite databases of this process: each is opened once, and all applications over it share one reader cache."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Final

from coolid.aws.clock import SystemClock, monotonic_seconds
from coolid.errors import StoreUnavailable
from coolid.http.management.diagnostics import Diagnostic
from coolid.http.public.health import ABSENT_KEY
from coolid.ports import Signer
from coolid.proofs.diagnostics import check_key_set, check_signing
from coolid.resolution.caching_reader import CachingReader
from coolid.sqlite.bulk import SqliteBulkWriter
from coolid.sqlite.database import Database
from coolid.sqlite.job_files import SqliteFiles
from coolid.sqlite.jobs import SqliteJobs
from coolid.sqlite.log.folder import LogFolder
from coolid.sqlite.log.rows import SqliteLogRows
from coolid.sqlite.store import sqlite_store
from coolid.store.jobs import JobAccess, NoQueue
from coolid.store.log import LogAccess
from coolid.store.reader import StoreReader


class DatabaseAccess:
    """An open database with its store, its bulk writer, its jobs and its caching reader."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.store = sqlite_store(database)
        self.bulk_writer = SqliteBulkWriter(database)
        self.jobs = JobAccess(SqliteJobs(database), SqliteFiles(database, SystemClock()), NoQueue())
        reader = StoreReader(self.store.prefixes, self.store.records, self.store.public_keys)
        self.reader = CachingReader(reader, monotonic_seconds())

    def diagnostics(self, signer: Signer) -> Mapping[str, Diagnostic]:
        """Return the checks of the tables, the clock and the signing key, by name. No row that they read exists."""
        store = self.store
        return {
            "prefixes": lambda: _discard(store.prefixes.prefixes((ABSENT_KEY,))),
            "records": lambda: _discard(store.records.record(ABSENT_KEY, ABSENT_KEY)),
            "clients": lambda: _discard(store.clients.client(ABSENT_KEY)),
            "counters": lambda: _discard(store.quotas.usage(ABSENT_KEY)),
            "requests": lambda: _discard(store.records.idempotency_record(ABSENT_KEY)),
            "clock": lambda: "",  # the database has no clock of its own
            "signature": partial(check_signing, signer),
            "key set": lambda: check_key_set(signer, store.public_keys),
        }

    def open_log(self, origin: str, key_file: str, policy: str) -> LogAccess | None:
        """Return the transparency log in the database and in a folder beside it. None without a file for its key."""
        from coolid.aws.key_file import KeyFileNoteSigner  # imports `cryptography`, which few commands need

        if not key_file:
            return None
        path = self.database.path
        return LogAccess(
            origin,
            SqliteLogRows(self.database, SystemClock()),
            LogFolder.beside(path),
            KeyFileNoteSigner(Path(key_file)),
            policy,
            period=1,
        )


_OPEN: Final[dict[Path, DatabaseAccess]] = {}
_LOCK: Final = RLock()  # re-entrant, because a finalizer that closes a database may run while the lock is held


def database_access(path: str) -> DatabaseAccess:
    """Return the access to the database at a path. Open the database if it is not open. Raises `UsageError`."""
    with _LOCK:
        key = Path(path).absolute()
        if key not in _OPEN:
            _OPEN[key] = DatabaseAccess(Database.open(key))
        return _OPEN[key]


@contextmanager
def open_database_access(path: Path, *, is_durable: bool = True, may_create: bool = True) -> Iterator[DatabaseAccess]:
    """Open a database for the whole process, and close it at the end. Raises `UsageError`, `StoreUnavailable`.

    Without `is_durable` writes do not wait for the disk. A database that is open already cannot be opened again.
    """
    path = path.absolute()
    with Database.open(path, is_durable=is_durable, may_create=may_create) as database:
        with _LOCK:
            if path in _OPEN:
                raise StoreUnavailable(f"{path} is open already")
            _OPEN[path] = DatabaseAccess(database)
        try:
            yield _OPEN[path]
        finally:
            with _LOCK:
                del _OPEN[path]


def _discard(_read: object) -> str:
    return ""

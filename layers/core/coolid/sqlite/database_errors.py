"""Conversion of SQLite's errors (https://sqlite.org/rescode.html) to `coolid.errors`."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from coolid.errors import StoreUnavailable

_REASONS: Final = {
    sqlite3.SQLITE_BUSY: "another process holds the database's lock",
    sqlite3.SQLITE_LOCKED: "another process holds the database's lock",
    sqlite3.SQLITE_NOMEM: "there is no memory left for the database",
    sqlite3.SQLITE_READONLY: "the database cannot be written",
    sqlite3.SQLITE_INTERRUPT: "the database operation was interrupted",
    sqlite3.SQLITE_IOERR: "the database's disk failed, or a limit of its size is reached",
    sqlite3.SQLITE_CORRUPT: "the database file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is not a database",
    sqlite3.SQLITE_FULL: "the database's disk is full",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened",
    sqlite3.SQLITE_PROTOCOL: "the database's lock could not be taken",
    sqlite3.SQLITE_PERM: "the database's files cannot be accessed",
    sqlite3.SQLITE_NOLFS: "the database is too large for its file system",
}


def failure_reason(error: sqlite3.Error) -> str | None:
    """Return the reason of a failure that is not a programming error, or None."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else _REASONS.get(code & 0xFF)


def is_damage(error: BaseException) -> bool:
    """Return whether an error of SQLite, or one of this package with that cause, is due to a damaged file."""
    cause = error if isinstance(error, sqlite3.Error) else error.__cause__
    code: int | None = getattr(cause, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Convert SQLite's errors to `StoreUnavailable`, except programming errors, which are raised unchanged."""
    try:
        yield
    except sqlite3.Error as error:
        reason = failure_reason(error)
        if reason is None:
            raise
        raise StoreUnavailable(reason) from error

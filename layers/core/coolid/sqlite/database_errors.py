"""Conversion of SQLite's errors (https://sqlite.org/rescode.html) to `coolid.errors`."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from msgspec import MsgspecError

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


_MALFORMED: Final = (MsgspecError, AttributeError, LookupError, TypeError, ValueError)
"""The errors of the conversion of a row whose values are not those that a release has written."""


def failure_reason(error: sqlite3.Error) -> str | None:
    """Return the reason of a failure that is not a programming error, or None."""
    code = _code(error)
    return None if code is None else _REASONS.get(code)


def is_damage(error: BaseException) -> bool:
    """Return whether an error of SQLite, or one of this package with that cause, is due to a damaged file."""
    cause = error if isinstance(error, sqlite3.Error) else error.__cause__
    return isinstance(cause, _MALFORMED) or _code(cause) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code(error: BaseException | None) -> int | None:
    """Return SQLite's primary result code. Python raises `OperationalError` without one for text that is not UTF-8."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return sqlite3.SQLITE_CORRUPT if type(error) is sqlite3.OperationalError else None
    return code & 0xFF


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


@contextmanager
def translate_read_errors() -> Iterator[None]:
    """Convert all errors of a query, and of the conversion of its rows, to `StoreUnavailable`."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreUnavailable(failure_reason(error) or f"the database cannot be read: {error}") from error
    except _MALFORMED as error:
        raise StoreUnavailable("the database contains a row that cannot be read") from error

"""The check of `GET /health` that shows whether a SQLite database accepts writes."""

from contextlib import closing
from typing import Final

from coolid.errors import StoreUnavailable
from coolid.sqlite.connections import connect
from coolid.sqlite.database import Database
from coolid.sqlite.database_errors import translate_errors

WAIT_SECONDS: Final = 1.0
"""How long the check waits for the lock of another process, which is less than the time limit of most monitors."""


def accepts_writes(database: Database) -> bool:
    """Return whether a change can begin, within about `WAIT_SECONDS`. False is a state that may end by itself.

    Raises `StoreUnavailable` if no write succeeds before a restart, because a file was deleted or replaced.
    """
    database.require_own_files()
    return _is_unlocked(database) and database.accepts_writes()


def _is_unlocked(database: Database) -> bool:
    try:
        with translate_errors(), closing(connect(database.path)) as connection:
            connection.execute(f"PRAGMA busy_timeout={WAIT_SECONDS * 1000:.0f}")
            connection.execute("BEGIN IMMEDIATE")
    except StoreUnavailable:
        return False
    return True

"""The check of `GET /health` that shows whether a SQLite database accepts writes.

Only a write shows that a size limit, a quota or a broken disk refuses writes. The check therefore writes one page. Its
outcome holds for `HOLD_SECONDS`, because anybody may request `/health`.
"""

from contextlib import closing
from threading import Lock
from typing import Final

from coolid.aws.clock import monotonic_seconds
from coolid.errors import StoreUnavailable
from coolid.ports import Seconds
from coolid.sqlite.connections import connect
from coolid.sqlite.database import Database
from coolid.sqlite.database_errors import translate_errors

WAIT_SECONDS: Final = 1.0
"""How long the check waits for the lock of another process, which is less than the time limit of most monitors."""
HOLD_SECONDS: Final = 5.0


class WriteCheck:
    """Returns whether a database accepts writes. Any thread may call it."""

    def __init__(self, database: Database, elapsed: Seconds | None = None) -> None:
        """Use the clock `elapsed`, by default that of the process."""
        self._database = database
        self._elapsed = elapsed or monotonic_seconds()
        self._lock = Lock()
        self._checked: float | None = None
        self._accepts_writes = False

    def __call__(self) -> bool:
        """Return whether a change was committed at most `HOLD_SECONDS` ago. False is a state that may end by itself.

        Raises `StoreUnavailable` if no write succeeds before a restart, because a file was deleted or replaced.
        """
        self._database.require_own_files()
        with self._lock:
            if self._checked is None or self._elapsed() > self._checked + HOLD_SECONDS:
                self._accepts_writes = _is_unlocked(self._database) and self._database.accepts_writes()
                self._checked = self._elapsed()
            return self._accepts_writes


def _is_unlocked(database: Database) -> bool:
    try:
        with translate_errors(), closing(connect(database.path)) as connection:
            connection.execute(f"PRAGMA busy_timeout={WAIT_SECONDS * 1000:.0f}")
            connection.execute("BEGIN IMMEDIATE")
    except StoreUnavailable:
        return False
    return True

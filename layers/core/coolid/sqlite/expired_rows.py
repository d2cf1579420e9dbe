"""The removal of rows some time after they have expired, as DynamoDB's time to live does.

Idempotency records, check states, and jobs with their files expire. The writer removes a few of them from time to
time, after changes of its callers, so that no caller waits for the removal of many.
"""

import sqlite3
from time import monotonic, time
from typing import Final

from coolid.ports import Seconds

INTERVAL_SECONDS: Final = 600
"""The time between two removals. The first takes place after this time."""
GRACE_SECONDS: Final = 3_600
"""The time for which a row remains after it has expired. It tolerates a clock that is put forward by mistake."""
PORTION: Final = 200
"""The most rows of a table that are removed at once. If there are more, the next change continues."""

_REMOVALS: Final = (
    """DELETE FROM idempotency_records WHERE id IN
        (SELECT id FROM idempotency_records WHERE expires < ? ORDER BY expires LIMIT ?)""",
    """DELETE FROM check_states WHERE rowid IN
        (SELECT rowid FROM check_states WHERE expires < ? ORDER BY expires LIMIT ?)""",
    "DELETE FROM jobs WHERE rowid IN (SELECT rowid FROM jobs WHERE expires < ? ORDER BY expires LIMIT ?)",
    "DELETE FROM job_files WHERE rowid IN (SELECT rowid FROM job_files WHERE expires < ? ORDER BY expires LIMIT ?)",
    """DELETE FROM job_file_parts WHERE rowid IN
        (SELECT rowid FROM job_file_parts WHERE expires < ? ORDER BY expires LIMIT ?)""",
)


class ExpiredRows:
    """Removes rows by the clock `now` (seconds since 1970), in intervals by the clock `elapsed`."""

    def __init__(self, now: Seconds = time, elapsed: Seconds = monotonic) -> None:
        self._now = now
        self._elapsed = elapsed
        self._due = elapsed() + INTERVAL_SECONDS

    def is_due(self) -> bool:
        """Return whether to remove rows now."""
        return self._elapsed() >= self._due

    def remove(self, connection: sqlite3.Connection) -> None:
        """Remove one portion of the expired rows of each table."""
        latest = round(self._now()) - GRACE_SECONDS
        removed = [connection.execute(removal, (latest, PORTION)).rowcount for removal in _REMOVALS]
        if max(removed) < PORTION:
            self._due = self._elapsed() + INTERVAL_SECONDS

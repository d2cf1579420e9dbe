"""Counters of repositories and the usage of quotas in SQLite."""

import sqlite3

from coolid.model.quota_usage import Usage
from coolid.sqlite.database import Database
from coolid.sqlite.table_rows import row_of
from coolid.store.client_rows import usage_of, windows_text


class SqliteCounters:
    """Implements `CounterStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        """See `CounterStore`."""

        def change(connection: sqlite3.Connection) -> int:
            ((following,),) = connection.execute(
                "INSERT INTO counters (id, next_number) VALUES (:id, :floor + :count) ON CONFLICT (id) DO UPDATE "
                "SET next_number = max(coalesce(next_number, :floor), :floor) + :count RETURNING next_number",
                {"id": counter_id, "floor": floor, "count": count},
            ).fetchall()
            return int(following)

        return self._database.write(change) - count


class SqliteQuotas:
    """Implements `QuotaStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def usage(self, counter_id: str) -> Usage:
        """See `QuotaStore`."""
        with self._database.read() as connection:
            row = row_of(connection.execute("SELECT * FROM counters WHERE id = ?", (counter_id,)))
            return usage_of(row) if row is not None else Usage()

    def spend(self, counter_id: str, before: Usage, after: Usage, ceiling: int) -> int | None:
        """See `QuotaStore`."""
        values = {
            "id": counter_id,
            "before": before.revision,
            "ceiling": ceiling,
            "count": after.spent - before.spent,
            "revision": after.revision,
            "latest": after.latest,
            "windows": windows_text(after),
        }
        statement = _SPEND if before.revision else _SPEND_FIRST

        def change(connection: sqlite3.Connection) -> int | None:
            found = connection.execute(statement, values).fetchall()
            return found[0][0] if found else None

        return self._database.write(change)


_SPEND = """UPDATE counters
    SET spent = spent + :count, revision = :revision, windows = :windows, latest = max(latest, :latest)
    WHERE id = :id AND revision = :before AND spent <= :ceiling RETURNING spent"""
_SPEND_FIRST = """INSERT INTO counters (id, revision, spent, latest, windows)
    VALUES (:id, :revision, :count, :latest, :windows) ON CONFLICT (id) DO UPDATE
    SET spent = :count, revision = :revision, windows = :windows, latest = :latest
    WHERE counters.revision IS NULL RETURNING spent"""

"""Bulk jobs in SQLite."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from coolid.errors import IdentifierTaken, Outdated
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.jobs import Job
from coolid.model.records import format_time
from coolid.sqlite.database import Database
from coolid.sqlite.idempotency_records import insert_idempotency_record
from coolid.store.job_rows import job_body, job_of, waits_from

_INSERT: Final = (
    "INSERT INTO jobs (id, client, created, revision, waits_from, expires, body) "
    "VALUES (:id, :client, :created, :revision, :waits_from, :expires, :body) ON CONFLICT DO NOTHING"
)
_REPLACE: Final = (
    "UPDATE jobs SET revision = :revision, waits_from = :waits_from, body = :body "
    "WHERE id = :id AND revision = :replaced"
)
_SELECT: Final = "SELECT body FROM jobs WHERE id = ?"
_SELECT_PAGE: Final = (
    "SELECT created || ' ' || id, body FROM jobs WHERE (created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT ?"
)
_SELECT_OWN_PAGE: Final = (
    "SELECT created || ' ' || id, body FROM jobs WHERE client = ? AND (created, id) < (?, ?) "
    "ORDER BY created DESC, id DESC LIMIT ?"
)
_SELECT_WAITING: Final = (
    "SELECT body FROM jobs WHERE waits_from IS NOT NULL AND waits_from <= ? ORDER BY created, id LIMIT ?"
)
_END: Final = "~"
"""A text after all times and ids."""


class SqliteJobs:
    """Implements `JobStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def job(self, job_id: str) -> Job | None:
        """See `JobStore`."""
        with self._database.read() as connection:
            found = connection.execute(_SELECT, (job_id,)).fetchone()
            return job_of(found[0]) if found else None

    def create_job(self, job: Job, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `JobStore`."""

        def change(connection: sqlite3.Connection) -> None:
            insert_idempotency_record(connection, idempotency_record, job.created)
            if not connection.execute(_INSERT, _row(job)).rowcount:
                raise IdentifierTaken(job.id)

        self._database.write(change)

    def replace_job(self, job: Job, replaced: Job) -> None:
        """See `JobStore`."""
        row = _row(job) | {"replaced": replaced.revision}

        def change(connection: sqlite3.Connection) -> None:
            if not connection.execute(_REPLACE, row).rowcount:
                raise Outdated(f"the job {job.id}")

        self._database.write(change)

    def list_jobs(self, client: str | None, limit: int, after: str | None) -> tuple[Sequence[Job], str | None]:
        """See `JobStore`."""
        created, _, job_id = (after or f"{_END} {_END}").partition(" ")
        values = (created, job_id, limit + 1)
        with self._database.read() as connection:
            if client is None:
                rows = connection.execute(_SELECT_PAGE, values).fetchall()
            else:
                rows = connection.execute(_SELECT_OWN_PAGE, (client, *values)).fetchall()
            listed = [job_of(body) for _, body in rows[:limit]]
        return listed, rows[limit - 1][0] if len(rows) > limit else None

    def waiting_jobs(self, now: datetime, limit: int) -> Sequence[Job]:
        """See `JobStore`."""
        with self._database.read() as connection:
            rows = connection.execute(_SELECT_WAITING, (int(now.timestamp()), limit)).fetchall()
            return [job_of(body) for (body,) in rows]


def _row(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "client": job.client,
        "created": format_time(job.created),
        "revision": job.revision,
        "waits_from": waits_from(job),
        "expires": round(job.expires.timestamp()),
        "body": job_body(job),
    }

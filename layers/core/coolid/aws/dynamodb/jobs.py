"""Bulk jobs in a table of their own. Its indexes contain keys only, and none changes while a job makes progress."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final

from msgspec import MsgspecError

from coolid.aws.dynamodb.client import DynamoClient, accept_own_write, translate_errors
from coolid.aws.dynamodb.idempotency_records import create_row
from coolid.aws.dynamodb.tables import JobRow
from coolid.errors import IdentifierTaken, Outdated, StoreUnavailable
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.jobs import Job
from coolid.store.job_rows import job_body, job_of, waits_from
from coolid.store.jobs import job_position

BY_CLIENT: Final = "ByClient"
BY_CREATION: Final = "ByCreation"
BY_WAIT: Final = "ByWait"
JOB: Final = "job"
"""The value of the attributes `kind` and `waits`."""

_BATCH: Final = 50
"""The jobs of one BatchGetItem, which returns at most 16 MB."""


class DynamoJobs:
    """Implements `JobStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._client = client
        self._reader = client.reader
        self._model = client.tables.job
        self._table = self._model.Meta.table_name

    def job(self, job_id: str) -> Job | None:
        """See `JobStore`. Takes one GetItem."""
        row = self._row(job_id)
        return _job_of(row) if row is not None else None

    def create_job(self, job: Job, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `JobStore`. Takes one conditional PutItem, or two in one transaction."""
        token = self._client.new_token()
        create_row(
            self._client,
            self._job_row(job, token),
            self._model.id.does_not_exist(),
            lambda: self._is_stored(job.id, token),
            IdentifierTaken(job.id),
            idempotency_record,
            job.created,
        )

    def replace_job(self, job: Job, replaced: Job) -> None:
        """See `JobStore`. Takes one conditional PutItem."""
        token, outdated = self._client.new_token(), Outdated(f"the job {job.id}")
        row = self._job_row(job, token)
        with (
            accept_own_write(lambda: self._is_stored(job.id, token), Outdated),
            translate_errors(outdated),
        ):
            row.save(condition=self._model.revision == replaced.revision)

    def list_jobs(self, client: str | None, limit: int, after: str | None) -> tuple[Sequence[Job], str | None]:
        """See `JobStore`. Takes a Query of an index, which is eventually consistent, and a BatchGetItem."""
        index, name, value = (BY_CREATION, "kind", JOB) if client is None else (BY_CLIENT, "client", client)
        positions = [*islice(self._positions(index, name, value, before=after, limit=limit + 1), limit + 1)]
        jobs = [*self._jobs(job_id for job_id, _ in positions[:limit])]
        return jobs, positions[limit - 1][1] if len(positions) > limit else None

    def waiting_jobs(self, now: datetime, limit: int) -> Sequence[Job]:
        """See `JobStore`. Takes a Query of an index, which is eventually consistent, and a BatchGetItem."""
        ids = (job_id for job_id, _ in self._positions(BY_WAIT, "waits", JOB))
        waiting = (job for job in self._jobs(ids) if _waits(job, now))
        return [*islice(waiting, limit)]

    def _positions(
        self, index: str, name: str, value: str, before: str | None = None, limit: int | None = None
    ) -> Iterator[tuple[str, str]]:
        """Yield ids and positions in an index: the oldest first, or the newest first if there is a `limit`."""
        names, values = {"#hash": name}, {":hash": {"S": value}}
        condition = "#hash = :hash"
        if before is not None:
            condition += " AND #position < :before"
            names["#position"], values[":before"] = "position", {"S": before}
        of_list = {"Limit": limit, "ScanIndexForward": False} if limit is not None else {}
        rows = self._reader.rows(
            self._table,
            IndexName=index,
            KeyConditionExpression=condition,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            **of_list,
        )
        return ((row["id"], row["position"]) for row in rows)

    def _jobs(self, ids: Iterable[str]) -> Iterator[Job]:
        """Yield the existing jobs with these ids, in their order."""
        rest = iter(ids)
        while some := [*islice(rest, _BATCH)]:
            items = self._reader.items(self._table, [{"id": {"S": each}} for each in some], consistent=True)
            found = {item["id"]["S"]: item for item in items}
            yield from (_job_of({"body": found[each]["body"]["S"]}) for each in some if each in found)

    def _is_stored(self, job_id: str, token: str) -> bool:
        """Return whether the job's row comes from the write with this token."""
        row = self._row(job_id)
        return row is not None and row.get("write_token") == token

    def _row(self, job_id: str) -> Mapping[str, Any] | None:
        return self._reader.row(self._table, {"id": {"S": job_id}})

    def _job_row(self, job: Job, token: str) -> JobRow:
        return self._model(
            id=job.id,
            client=job.client,
            kind=JOB,
            waits=JOB if waits_from(job) is not None else None,
            position=job_position(job),
            revision=job.revision,
            expires=round(job.expires.timestamp()),
            write_token=token,
            body=job_body(job),
        )


def _waits(job: Job, now: datetime) -> bool:
    """Return whether a job has work to do and no worker, which its entry in the index may not show yet."""
    start = waits_from(job)
    return start is not None and start <= now.timestamp()


def _job_of(row: Mapping[str, Any]) -> Job:
    try:
        return job_of(row["body"])
    except (KeyError, MsgspecError) as error:
        raise StoreUnavailable("the store returned a malformed job") from error

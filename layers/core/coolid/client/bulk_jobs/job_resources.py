"""The bulk jobs of a service, synchronously: `client.jobs`."""

from collections.abc import Iterator
from itertools import count
from typing import Literal, Unpack

from coolid.client.bulk_jobs import job_operations
from coolid.client.documents import BulkJob
from coolid.client.inputs import JobMembers
from coolid.client.resources import Items, Run
from coolid.client.service_api import ServiceApi
from coolid.model.jobs import Operation


class BulkJobs:
    """The jobs of an API key: `client.jobs`."""

    def __init__(self, api: ServiceApi, run: Run, items: Items) -> None:
        self._api = api
        self._run = run
        self._items = items

    def create(
        self,
        operation: Operation,
        rows: bytes | None = None,
        *,
        idempotency_key: str | None = None,
        **members: Unpack[JobMembers],
    ) -> BulkJob:
        """Create a job that carries out an operation on each row of a file, in CSV with a header or JSON Lines.

        The job is validated first. It then runs if no row is wrong, or with `skip_errors` the others. With `dry_run`,
        it waits for `start`. `columns` maps columns to fields. `rule` rewrites the targets of a prefix without rows.
        The same `idempotency_key` and arguments return the same job for a day.

        Raises:
            ValidationFailed: The arguments do not fit together; see `violations`.
            InsufficientScope: The key permits neither minting nor changing.
        """
        document = {"operation": operation, **members}
        return self._run(job_operations.create(self._api, document, rows, idempotency_key))

    def list(self) -> Iterator[BulkJob]:
        """Yield the jobs, the newest first."""
        return self._items(job_operations.listing())

    def get(self, job_id: str) -> BulkJob:
        """Return a job."""
        return self._run(job_operations.get(self._api, job_id))

    def start(self, job_id: str) -> BulkJob:
        """Start a previewed job, without the rows that its validation refused."""
        return self._run(job_operations.start(self._api, job_id))

    def cancel(self, job_id: str) -> BulkJob:
        """Cancel a job. What is done stays done."""
        return self._run(job_operations.cancel(self._api, job_id))

    def follow(self, job: BulkJob) -> Iterator[BulkJob]:
        """Yield the states of a job until it waits for `start`, or has ended. The last one is that state."""
        for number in count(1):
            yield job
            if not job.is_working:
                return
            job = self._run(job_operations.get_later(self._api, job.id, number))

    def results(self, job_id: str, form: Literal["csv", "jsonl"] | None = None) -> bytes:
        """Return the results of an ended job: the rows with `pid`, `status` and `error`, by default in their form."""
        return self._run(job_operations.results(self._api, job_id, form))

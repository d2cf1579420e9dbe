"""The bulk jobs of a service, asynchronously, with the methods of `coolid.client.bulk_jobs.job_resources`."""

from collections.abc import AsyncIterator
from itertools import count
from typing import Literal, Unpack

from coolid.client.async_resources import AsyncItems, AsyncRun
from coolid.client.bulk_jobs import job_operations
from coolid.client.documents import BulkJob
from coolid.client.inputs import JobMembers
from coolid.client.service_api import ServiceApi
from coolid.model.jobs import Operation


class AsyncBulkJobs:
    """The jobs of an API key: `client.jobs`. See `BulkJobs` for errors."""

    def __init__(self, api: ServiceApi, run: AsyncRun, items: AsyncItems) -> None:
        self._api = api
        self._run = run
        self._items = items

    async def create(
        self,
        operation: Operation,
        rows: bytes | None = None,
        *,
        idempotency_key: str | None = None,
        **members: Unpack[JobMembers],
    ) -> BulkJob:
        """Create a job that carries out an operation on each row of a file. See `BulkJobs.create`."""
        document = {"operation": operation, **members}
        return await self._run(job_operations.create(self._api, document, rows, idempotency_key))

    def list(self) -> AsyncIterator[BulkJob]:
        """Yield the jobs, the newest first."""
        return self._items(job_operations.listing())

    async def get(self, job_id: str) -> BulkJob:
        """Return a job."""
        return await self._run(job_operations.get(self._api, job_id))

    async def start(self, job_id: str) -> BulkJob:
        """Start a previewed job, without the rows that its validation refused."""
        return await self._run(job_operations.start(self._api, job_id))

    async def cancel(self, job_id: str) -> BulkJob:
        """Cancel a job. What is done stays done."""
        return await self._run(job_operations.cancel(self._api, job_id))

    async def follow(self, job: BulkJob) -> AsyncIterator[BulkJob]:
        """Yield the states of a job until it waits for `start`, or has ended. The last one is that state."""
        for number in count(1):
            yield job
            if not job.is_working:
                return
            job = await self._run(job_operations.get_later(self._api, job.id, number))

    async def results(self, job_id: str, form: Literal["csv", "jsonl"] | None = None) -> bytes:
        """Return the results of an ended job: the rows with `pid`, `status` and `error`, by default in their form."""
        return await self._run(job_operations.results(self._api, job_id, form))

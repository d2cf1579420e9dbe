"""The ports of bulk jobs: the jobs, their files, and the queue of those that have work to do."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Final, Protocol, TypeVar

from msgspec import Struct

from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.jobs import Job
from coolid.model.records import format_time

RunSlice = Callable[[str, float], float | None]
"""Carries out a part of the job with this id, until about a moment of a monotonic clock.

Returns the seconds after which to call again, or None if nothing is left to do. Never raises `Unavailable`.
"""


class NumberedRow(Protocol):
    """Something in a slice of a job that has the number of its row."""

    @property
    def row(self) -> int: ...


R = TypeVar("R", bound=NumberedRow)
H = TypeVar("H")

MAX_INLINE_BYTES: Final = 4_000_000
"""The largest file that this service sends itself if the file storage has a URL for it. Lambda's limit is 6 MB."""


class JobStore(Protocol):
    """The jobs. Stores may delete a job from `Job.expires` on."""

    def job(self, job_id: str) -> Job | None:
        """Return the job with this id (consistent), or None."""

    def create_job(self, job: Job, idempotency_record: IdempotencyRecord | None = None) -> None:
        """Write a new job, whose id was never used. With an idempotency record, write both or neither.

        Raises `IdempotencyRecordTaken` if the same request has another unexpired one.
        """

    def replace_job(self, job: Job, replaced: Job) -> None:
        """Write the next revision. Raises `Outdated` unless `replaced.revision` still is the current one."""

    def list_jobs(self, client: str | None, limit: int, after: str | None) -> tuple[Sequence[Job], str | None]:
        """Return at most `limit` jobs of a client, or of all clients if it is None, the newest first.

        Also return the position to continue after, or None at the end: `job_position` of the last one. The newest jobs
        may be missing.
        """

    def waiting_jobs(self, now: datetime, limit: int) -> Sequence[Job]:
        """Return at most `limit` jobs in state `validating` or `running` that no worker holds, the oldest first."""


class FileStore(Protocol):
    """Files of jobs by name, such as `jobs/JOB/rows`. Stores may delete a file 30 days after its creation."""

    def write(self, name: str, pieces: Iterable[bytes], media_type: str = "application/octet-stream") -> int:
        """Write a whole file, or replace it, and return its size in bytes. A failure leaves the former file or none."""

    def read(self, name: str, start: int = 0) -> Iterator[bytes] | None:
        """Return the pieces of a file from a byte on, or None if there is no such file."""

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes, or None if there is no such file."""

    def delete(self, name: str) -> None:
        """Delete a file, if it exists."""

    def upload_url(self, name: str, max_bytes: int, seconds: int) -> str | None:
        """Return a URL that takes the file by `PUT` for some seconds, or None if the service itself receives files."""

    def download_url(self, name: str, file_name: str, seconds: int) -> str | None:
        """Return a URL that serves the file as a download for some seconds, or None if the service itself serves it."""


class JobQueue(Protocol):
    """Wakes a worker."""

    def send(self, job_id: str, delay_seconds: int = 0) -> None:
        """Announce that a job has work to do, now or after at most 900 seconds. It may be announced several times."""


class NoQueue:
    """Implements `JobQueue` for a worker that looks for waiting jobs itself."""

    def send(self, job_id: str, delay_seconds: int = 0) -> None:
        """Do nothing."""


def job_position(job: Job) -> str:
    """Return the position of a job in a list: its time of creation and its id, with a space between them."""
    return f"{format_time(job.created)} {job.id}"


class JobAccess(Struct, frozen=True):
    """The stores of jobs and of their files, and the queue."""

    jobs: JobStore
    files: FileStore
    queue: JobQueue


def rows_name(job_id: str) -> str:
    """Return the name of the file with a job's rows."""
    return f"jobs/{job_id}/rows"


def upload_name(client_id: str, upload_id: str) -> str:
    """Return the name of a file that a client uploads, for a job that it starts later."""
    return f"uploads/{client_id}/{upload_id}"


def slice_name(job_id: str, number: int) -> str:
    """Return the name of the file with the results of a slice."""
    return f"jobs/{job_id}/results/{number:06}"


def checks_name(job_id: str, number: int) -> str:
    """Return the name of the file with what the validation found in a slice."""
    return f"jobs/{job_id}/checks/{number:06}"


def matches_name(job_id: str, number: int) -> str:
    """Return the name of the file with the records that a rule matches, as found in a slice of the validation."""
    return f"jobs/{job_id}/matches/{number:06}"


def refused_name(job_id: str) -> str:
    """Return the name of the file with the rows that the validation refused."""
    return f"jobs/{job_id}/refused"


def results_name(job_id: str, form: str) -> str:
    """Return the name of the file with all results, in the form `csv` or `jsonl`."""
    return f"jobs/{job_id}/results.{form}"


def download_name(job_id: str) -> str:
    """Return the name of the file with a batch download."""
    return f"jobs/{job_id}/download"


def rows_once(slices: Iterable[tuple[H, Iterator[R]]]) -> Iterator[tuple[H, Iterator[R]]]:
    """Yield the slices of a job, each with a header and its rows, so that each row is in one slice.

    A worker that lost its lease may have left a slice with rows that another one carried out again. Its rows end where
    those of the next slice begin. Slices without rows are left out.
    """
    current: tuple[H, Iterator[R]] | None = None
    for header, rows in slices:
        first = next(rows, None)
        if first is None:
            continue
        if current is not None:
            yield current[0], _rows_before(current[1], first.row)
        current = header, chain([first], rows)
    if current is not None:
        yield current


def _rows_before(rows: Iterator[R], end: int) -> Iterator[R]:
    return (row for row in rows if row.row < end)

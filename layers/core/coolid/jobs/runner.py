"""The runner of bulk jobs, which validates and carries out a part of a job at a time, its slice.

A row is carried out at most once: its idempotency record is written in the same transaction as the version of its
record. So a slice that was cut short begins again at the last progress that was written, and nothing happens twice.
"""

from collections.abc import Callable
from typing import Any, Final

from coolid.errors import CoolidError, Outdated, Unavailable
from coolid.jobs.downloads import DownloadWriter
from coolid.jobs.execution import carry_out
from coolid.jobs.row_loop import RowLoop
from coolid.jobs.session import JobSession, LeaseLost
from coolid.jobs.task import JobListeners, JobParts, Task
from coolid.jobs.validation import validate
from coolid.metric_names import JOB_FAILED
from coolid.model.clients import Client
from coolid.model.jobs import FAILED, VALIDATING, Job, is_at_work
from coolid.ports import Clock, Entropy, Seconds
from coolid.store.clients import ClientStore
from coolid.store.jobs import JobAccess
from coolid.transfer.row_reader import InvalidTable

DEFAULT_RATE: Final = 500.0
"""Rows that a worker carries out per second, at most."""
_RETRY_SECONDS: Final = 1.0
_FAULT_SECONDS: Final = 60.0
"""The wait after an unexpected error."""
_MAX_WAIT_SECONDS: Final = 900.0
"""The longest wait, after which a quota may have been raised. SQS delays a message for as long at most."""
_REVOKED: Final = "the API key that started the job was revoked"


class JobRunner:
    """Validates and carries out the jobs of `access`. Any number of runners may work at once.

    `parts_of` returns the rows and the operation of a job, and raises `InvalidTable` for a file that is no table.
    `downloads` writes batch downloads.
    `rate` is the most rows per second.
    """

    def __init__(
        self,
        access: JobAccess,
        clients: ClientStore,
        parts_of: Callable[[Job], JobParts],
        downloads: DownloadWriter,
        *,
        clock: Clock,
        seconds: Seconds,
        entropy: Entropy,
        listeners: JobListeners,
        rate: float = DEFAULT_RATE,
    ) -> None:
        self._access = access
        self._clients = clients
        self._parts_of = parts_of
        self._downloads = downloads
        self._clock = clock
        self._seconds = seconds
        self._entropy = entropy
        self._listeners = listeners
        self._rate = rate

    def run_slice(self, job_id: str, until: float) -> float | None:
        """Carry out a part of a job, until about the moment `until` of the runner's monotonic clock.

        Return the seconds after which to call again, or None if nothing is left to do. Never raises `Unavailable`.
        """
        try:
            return self._run(job_id, until)
        except (Outdated, LeaseLost):
            return _RETRY_SECONDS
        except Unavailable as error:
            self._listeners.on_error(error)
            return float(error.retry_after)

    def _run(self, job_id: str, until: float) -> float | None:
        job, now = self._access.jobs.job(job_id), self._clock.now()
        if job is None or not is_at_work(job.state) or job.expires <= now:
            return None
        if job.leased_until is not None and job.leased_until > now:
            return max((job.leased_until - now).total_seconds(), _RETRY_SECONDS)
        session = JobSession(self._access.jobs, job, self._clock, self._seconds, self._entropy)
        wait = 0.0
        try:
            wait = self._work(session, until)
        except (Outdated, LeaseLost):
            raise
        except Unavailable as error:
            self._listeners.on_error(error)
            wait = float(error.retry_after)
        except (InvalidTable, CoolidError) as error:  # such as a prefix that is no longer registered
            session.fail(str(error))
        except Exception as error:  # noqa: BLE001 - it is reported, and the slice is tried again
            self._listeners.report(error, job_id)
            wait = _FAULT_SECONDS
        wait = min(wait, _MAX_WAIT_SECONDS)
        session.release(wait)
        if session.job.state == FAILED:
            self._listeners.count(JOB_FAILED)
        return wait if is_at_work(session.job.state) else None

    def _work(self, session: JobSession, until: float) -> float:
        """Validate or carry out rows, or write a download. Return the seconds to wait before the next slice."""
        client = self._client(session)
        if client is None:
            return 0.0
        download = session.job.request.download
        if download is not None:
            self._downloads.write_slice(
                session, client, download, lambda: self._seconds() >= until or self._is_over(session)
            )
            return 0.0
        task = Task(session, client, self._parts_of(session.job), self._access.files, self._listeners, self._seconds)
        is_validating = session.job.state == VALIDATING
        rate = None if is_validating else self._rate
        loop: RowLoop[Any] = RowLoop(lambda: self._is_over(session), until, self._clock, self._seconds, rate)
        (validate if is_validating else carry_out)(task, loop)
        return loop.postponed.seconds if loop.postponed is not None else 0.0

    def _client(self, session: JobSession) -> Client | None:
        """Return the client of a job. If its key was revoked, end the job and return None."""
        client = self._clients.client(session.job.client)
        if client is not None and not client.revoked:
            return client
        session.fail(_REVOKED)
        return None

    def _is_over(self, session: JobSession) -> bool:
        """Return whether the job was cancelled or its key revoked, by a look at most once a second."""
        if session.is_check_due():
            session.refresh()
            self._client(session)
        return not is_at_work(session.job.state)

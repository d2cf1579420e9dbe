"""A worker's session with a job: its lease, and conditional writes of the job's progress.

A worker holds a lease on the job, and renews it with each write. If the worker dies, another one continues after the
lease has expired. Each session and each write reserves a new number for a file of the job. So a worker that lost its
lease overwrites no file of another.
"""

from datetime import timedelta
from typing import Any, Final

from msgspec.structs import replace

from coolid.errors import Outdated
from coolid.model.jobs import FAILED, Job, JobProgress, is_ended
from coolid.ports import Clock, Entropy, Seconds
from coolid.store.jobs import JobStore

LEASE_SECONDS: Final = 30
_CHECK_SECONDS: Final = 1.0
"""The time between two reads of the job, which show whether it was cancelled."""
_ATTEMPTS: Final = 5


class LeaseLost(Exception):
    """Another worker holds the job now."""


class JobSession:
    """Holds a job. `job` is its latest revision."""

    def __init__(self, jobs: JobStore, job: Job, clock: Clock, seconds: Seconds, entropy: Entropy) -> None:
        """Take the job. Raises `Outdated` if another worker or its client has just changed it."""
        self._jobs = jobs
        self._clock = clock
        self._seconds = seconds
        self._lease = entropy.token(16).hex()
        self.job = job
        self._write(job, lease=self._lease, leased_until=self._lease_end(), progress=_with_new_file(job.progress))
        self._checked = seconds()

    @property
    def file_number(self) -> int:
        """The number of the next file that this session writes."""
        return self.job.progress.slices

    def is_check_due(self) -> bool:
        """Return whether the job was not read for a second."""
        return self._seconds() - self._checked >= _CHECK_SECONDS

    def refresh(self) -> None:
        """Read the job again, which may have been cancelled. Raises `LeaseLost`."""
        self._checked = self._seconds()
        self._read()

    def save(self, progress: JobProgress) -> None:
        """Write the progress, and renew the lease. A job that was cancelled meanwhile stays so. Raises `LeaseLost`."""
        self._change(progress=_with_new_file(progress), leased_until=self._lease_end())

    def change(self, **members: Any) -> None:
        """Write other members, unless the job has ended meanwhile. Raises `LeaseLost`."""
        if not is_ended(self.job.state):
            self._change(**members)

    def fail(self, reason: str) -> None:
        """End the job with a reason, unless it has ended meanwhile. Raises `LeaseLost`."""
        self.change(state=FAILED, failure=reason)

    def release(self, seconds: float) -> None:
        """Give the job back, for a worker that continues after some seconds."""
        waits = self._clock.now() + timedelta(seconds=seconds) if seconds >= 1 else None
        self._change(lease=None, leased_until=waits)

    def _change(self, **members: Any) -> None:
        """Write members. Begin again if the client changed the job meanwhile; its state then stays."""
        for _ in range(_ATTEMPTS):
            if is_ended(self.job.state):
                members.pop("state", None)
            try:
                self._write(self.job, **members)
            except Outdated:
                self._read()
            else:
                return
        raise LeaseLost

    def _write(self, current: Job, **members: Any) -> None:
        job = replace(current, **members, updated=self._clock.now(), revision=current.revision + 1)
        self._jobs.replace_job(job, current)
        self.job = job

    def _read(self) -> None:
        job = self._jobs.job(self.job.id)
        if job is None or job.lease != self._lease:
            raise LeaseLost
        self.job = job

    def _lease_end(self) -> Any:
        return self._clock.now() + timedelta(seconds=LEASE_SECONDS)


def _with_new_file(progress: JobProgress) -> JobProgress:
    return replace(progress, slices=progress.slices + 1)

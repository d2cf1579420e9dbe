"""The work of the worker: a slice of each job that has work to do, in turn."""

from collections.abc import Callable
from time import monotonic
from typing import Final, Literal

from coolid.errors import StoreUnavailable
from coolid.metric_names import STORE_ERROR, UNFORESEEN_ERROR
from coolid.ports import Clock, Count
from coolid.store.jobs import JobStore, RunSlice

SLICE_SECONDS: Final = 3.0
"""The longest time of a slice, so that jobs take turns and the service ends soon."""
RETRY_SECONDS: Final = 10.0
"""The pause of a job after an unexpected error."""
MAX_JOBS: Final = 100
"""The most jobs that take turns. The others begin when some of these have ended."""

Round = Literal["worked", "paused", "idle"]
"""Whether a slice was carried out, all jobs pause, or no job has work to do."""


class JobLoop:
    """Carries out the jobs of a store. Warnings contain no data of rows."""

    def __init__(
        self,
        run_slice: RunSlice,
        jobs: JobStore,
        clock: Clock,
        count: Count,
        warn: Callable[[str], None],
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._run_slice = run_slice
        self._jobs = jobs
        self._clock = clock
        self._count = count
        self._warn = warn
        self._seconds = seconds
        self._paused: dict[str, float] = {}

    def run_round(self, is_stopped: Callable[[], bool]) -> Round:
        """Carry out a slice of each job that has work to do and does not pause, until the worker is stopped."""
        try:
            waiting = [job.id for job in self._jobs.waiting_jobs(self._clock.now(), MAX_JOBS)]
        except StoreUnavailable as error:
            self._warn(f"bulk jobs: the store failed, will try again: {error}")
            self._count(STORE_ERROR)
            return "paused"
        self._paused = {job_id: until for job_id, until in self._paused.items() if job_id in waiting}
        due = [job_id for job_id in waiting if self._paused.get(job_id, 0.0) <= self._seconds()]
        for job_id in due:
            if is_stopped():
                break
            self._paused[job_id] = self._pause_after_slice(job_id) + self._seconds()
        if due:
            return "worked"
        return "paused" if waiting else "idle"

    def _pause_after_slice(self, job_id: str) -> float:
        """Carry out a slice, and return the seconds after which the next one may begin."""
        try:
            return self._run_slice(job_id, self._seconds() + SLICE_SECONDS) or 0.0
        except Exception as error:  # noqa: BLE001 - the other jobs go on; the text could contain data of a row
            self._warn(f"bulk jobs: the job {job_id} failed and is tried again: {type(error).__name__}")
            self._count(UNFORESEEN_ERROR)
        return RETRY_SECONDS

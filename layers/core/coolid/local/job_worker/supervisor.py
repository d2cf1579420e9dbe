"""The supervisor of the worker: a thread of the service, which looks for jobs with work to do.

Without jobs there is no process, which would need memory. A look for jobs takes a fraction of a millisecond.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Final

import msgspec

from coolid.aws.clock import SystemClock
from coolid.aws.settings import Settings
from coolid.errors import StoreUnavailable
from coolid.local.job_worker.loop import SLICE_SECONDS
from coolid.local.job_worker.process import JobWorkerSettings
from coolid.local.metrics import Metrics
from coolid.local.shutdown import StoppableThread
from coolid.local.supervisor import RESTART_SECONDS, ending_reason
from coolid.store.jobs import JobStore
from coolid.wiring.job_access import open_job_access

DATABASE_POLL_SECONDS: Final = 0.25
TABLE_POLL_SECONDS: Final = 5.0
"""The time between two looks for jobs; in DynamoDB each has a price."""
_END_SECONDS: Final = SLICE_SECONDS + 5


@contextmanager
def supervised_job_worker(
    environment: Mapping[str, str], base_url: str, metrics: Metrics, print_line: Callable[[str], None]
) -> Iterator[None]:
    """Carry out bulk jobs during the block, unless the service is read-only or has no jobs.

    The worker counts in the last row of the metrics.
    """
    settings = Settings.read(environment, writes=True)
    access = None if settings.read_only else open_job_access(settings)
    if access is None:
        yield
        return
    poll_seconds = DATABASE_POLL_SECONDS if settings.database else TABLE_POLL_SECONDS
    worker_settings = JobWorkerSettings(base_url, metrics.file, metrics.rows, metrics.rows - 1)
    supervisor = JobSupervisor(worker_settings, environment, access.jobs, poll_seconds, metrics, print_line)
    supervisor.start()
    try:
        yield
    finally:
        supervisor.stop()


class JobSupervisor(StoppableThread):
    """Starts the worker when a job has work to do, and once more when it has ended early."""

    def __init__(
        self,
        settings: JobWorkerSettings,
        environment: Mapping[str, str],
        jobs: JobStore,
        poll_seconds: float,
        metrics: Metrics,
        print_line: Callable[[str], None],
    ) -> None:
        super().__init__("jobs")
        self._settings = settings
        self._environment = environment
        self._jobs = jobs
        self._poll_seconds = poll_seconds
        self._metrics = metrics
        self._print_line = print_line
        self._worker: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def stop(self) -> None:
        """End the thread, and the worker after its current slice."""
        super().stop()
        if self._worker is None:
            return
        process, control = self._worker
        control.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _run(self) -> None:
        earliest = 0.0
        while not self._stopped.wait(self._poll_seconds):
            if not self._is_running() and monotonic() >= earliest and self._has_work():
                self._start_worker()
                earliest = monotonic() + RESTART_SECONDS

    def _is_running(self) -> bool:
        """Return whether the worker runs. Report the end of one that ended early."""
        if self._worker is None:
            return False
        process, control = self._worker
        code = process.poll()
        if code is None:
            return True
        control.close()
        self._worker = None
        if code:
            self._print_line(f"The worker of bulk jobs ended ({ending_reason(code)}) and is started again.")
            self._metrics.count_restart()
        return False

    def _has_work(self) -> bool:
        try:
            return bool(self._jobs.waiting_jobs(SystemClock().now(), 1))
        except StoreUnavailable:
            return False  # requests report it

    def _start_worker(self) -> None:
        """Start the process, in a process group of its own: the terminal's signals are for the service."""
        control, theirs = socket.socketpair()
        text = msgspec.json.encode(self._settings).decode()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - a program of this package
                [sys.executable, "-P", "-m", "coolid.local.job_worker.process", text],
                env={**os.environ, **self._environment},
                stdin=theirs.fileno(),
                pass_fds=(self._settings.metrics_file,),
                process_group=0,
            )
        self._worker = process, control

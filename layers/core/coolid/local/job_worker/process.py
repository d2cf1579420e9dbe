"""The program of the worker: python -m coolid.local.job_worker.process SETTINGS, with the store in the environment.

Its standard input is a socket to the supervisor. The worker ends after its current slice when the supervisor closes the
socket or ends, even by SIGKILL. It also ends when no job has had work to do for a minute.
"""

import os
import sys
from contextlib import suppress
from socket import socket
from threading import Event, Thread
from time import monotonic
from typing import Final

import msgspec
from msgspec import Struct

from coolid.aws.clock import SystemClock
from coolid.aws.settings import Settings
from coolid.local.job_worker.loop import JobLoop
from coolid.local.listeners import service_listeners, write_error_line
from coolid.local.metrics import Metrics
from coolid.local.shutdown import ShutdownSignals
from coolid.wiring.job_access import build_job_runner, open_job_access
from coolid.wiring.write_components import WriteComponents

POLL_SECONDS: Final = 0.25
"""The time between two looks for jobs."""
IDLE_SECONDS: Final = 60.0
_NICENESS: Final = 5
"""How much the worker stands back behind the processes that answer requests (nice(2))."""


class JobWorkerSettings(Struct, frozen=True):
    """The service's base URL; the descriptor of the metrics' file, which has `rows`, and this worker's `row`."""

    base_url: str
    metrics_file: int
    rows: int
    row: int


def main() -> None:
    """Carry out jobs until the supervisor ends, a signal arrives, or there was none for a minute."""
    settings = msgspec.json.decode(sys.argv[1], type=JobWorkerSettings)
    os.nice(_NICENESS)
    stopped, shutdown, control = Event(), ShutdownSignals(), socket(fileno=0)
    with shutdown.installed(), shutdown.handled_by(stopped.set):
        Thread(target=_await_end, args=(control, stopped), daemon=True).start()
        loop = build_job_loop(settings)
        if loop is not None:
            _run(loop, stopped)


def build_job_loop(settings: JobWorkerSettings) -> JobLoop | None:
    """Return the loop over the store that the environment names, or None if the service has no jobs."""
    metrics = Metrics(settings.metrics_file, settings.rows, settings.row)
    listeners = service_listeners(os.environ, settings.base_url, metrics.count)
    components = WriteComponents(Settings.read(os.environ, writes=True), listeners)
    access = open_job_access(components.settings)
    if access is None:
        return None
    run_slice = build_job_runner(components, access).run_slice
    return JobLoop(run_slice, access.jobs, SystemClock(), metrics.count, write_error_line)


def _run(loop: JobLoop, stopped: Event) -> None:
    latest = monotonic()
    while not stopped.is_set() and monotonic() < latest + IDLE_SECONDS:
        outcome = loop.run_round(stopped.is_set)
        if outcome != "idle":
            latest = monotonic()
        if outcome != "worked":
            stopped.wait(POLL_SECONDS)


def _await_end(control: socket, stopped: Event) -> None:
    with suppress(OSError):
        control.recv(1)
    stopped.set()


if __name__ == "__main__":
    main()

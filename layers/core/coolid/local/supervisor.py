"""The supervisor of several workers: it starts them, replaces those that end, and ends with all of them.

A worker is a new process, not a fork, because threads and database connections do not survive a fork. If the supervisor
is killed, the workers shut down, because the kernel closes its ends of their sockets.
"""

import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final

import msgspec

from coolid.errors import UsageError
from coolid.local.metrics import Metrics
from coolid.local.server import FINISH_SECONDS
from coolid.local.service import Service
from coolid.local.shutdown import ShutdownSignals
from coolid.local.worker_process import WorkerSettings

START_SECONDS: Final = 30.0
"""The most seconds between the start of a worker and its readiness."""
RESTART_SECONDS: Final = 1.0
"""The least seconds between two starts of the same worker."""
_TICK_SECONDS: Final = 0.1


class WorkerFailed(UsageError):
    """A worker ended before it was ready."""


class _Worker:
    """One worker process and the supervisor's end of its socket."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self.start()

    def start(self) -> None:
        """Start the process, in a process group of its own: the terminal's signals are for the supervisor."""
        self.started = monotonic()
        self.is_ready = False
        self._control, theirs = socket.socketpair()
        self._control.setblocking(False)
        text = msgspec.json.encode(self._settings).decode()
        with theirs:
            command = [sys.executable, "-P", "-m", "coolid.local.worker_process", text]
            descriptors = (*self._settings.sockets, self._settings.metrics_file)
            self.process = subprocess.Popen(  # noqa: S603 - a program of this package
                command, stdin=theirs.fileno(), pass_fds=descriptors, process_group=0
            )

    def check_ready(self) -> bool:
        """Return whether the worker serves requests."""
        if not self.is_ready:
            try:
                self.is_ready = bool(self._control.recv(1))
            except OSError:  # nothing was sent yet
                self.is_ready = False
        return self.is_ready

    def begin_shutdown(self) -> None:
        """Close the socket, which makes the worker finish its requests and end."""
        self._control.close()


class Supervisor:
    """Runs one worker for each row of the metrics but the first, its own, and the last, of the worker of bulk jobs."""

    def __init__(
        self, service: Service, sockets: Sequence[socket.socket], metrics: Metrics, print_line: Callable[[str], None]
    ) -> None:
        descriptors = tuple(each.fileno() for each in sockets)
        self._settings = [
            WorkerSettings(service, descriptors, metrics.file, metrics.rows, row) for row in range(1, metrics.rows - 1)
        ]
        self._metrics = metrics
        self._print_line = print_line
        self._workers: list[_Worker] = []
        self._ended: SimpleQueue[None] = SimpleQueue()  # a signal handler may put into it

    def run(self, ready: Callable[[], None], shutdown: ShutdownSignals) -> None:
        """Run until a signal arrives. Call `ready` once all workers are ready. Raises `WorkerFailed` before that."""
        with shutdown.handled_by(lambda: self._ended.put(None), self._kill):
            try:
                self._workers += map(_Worker, self._settings)
                if self._await_ready():
                    ready()
                    while not self._is_ended():
                        self._replace_ended()
            finally:
                self._shut_down()

    def _is_ended(self) -> bool:
        """Wait at most `_TICK_SECONDS`. Return whether the shutdown has begun."""
        try:
            self._ended.get(timeout=_TICK_SECONDS)
        except Empty:
            return False
        return True

    def _await_ready(self) -> bool:
        """Wait until all workers are ready and return True. Return False if the shutdown begins before."""
        while not all(map(_Worker.check_ready, self._workers)):
            if self._is_ended():
                return False
            for worker in self._workers:
                code = worker.process.poll()
                if code is not None or monotonic() > worker.started + START_SECONDS:
                    raise WorkerFailed(f"a worker could not be started ({ending_reason(code)})")
        return True

    def _replace_ended(self) -> None:
        for worker in self._workers:
            code = worker.process.poll()
            if code is not None and monotonic() > worker.started + RESTART_SECONDS:
                self._print_line(f"A worker ended ({ending_reason(code)}) and is started again.")
                self._metrics.count_restart()
                worker.begin_shutdown()
                worker.start()

    def _shut_down(self) -> None:
        """End all workers. They have `FINISH_SECONDS` for their requests, and a few more to end."""
        for worker in self._workers:
            worker.begin_shutdown()
        latest = monotonic() + FINISH_SECONDS + 5
        for worker in self._workers:
            try:
                worker.process.wait(max(latest - monotonic(), 0))
            except subprocess.TimeoutExpired:
                worker.process.kill()

    def _kill(self) -> None:
        for worker in self._workers:
            worker.process.kill()


def ending_reason(code: int | None) -> str:
    """Return why a process ended, by its exit code.

    >>> ending_reason(-9), ending_reason(1), ending_reason(None)
    ('SIGKILL', 'exit code 1', 'not ready in time')
    """
    if code is None:
        return "not ready in time"
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name

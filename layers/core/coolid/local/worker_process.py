"""A worker: one of several processes that serve the same sockets over the same store.

Run as a program: python -m coolid.local.worker_process SETTINGS, with the settings of the store in the environment. Its
standard input is a socket to the supervisor, which receives a byte when the worker is ready. The worker shuts down when
the supervisor closes this socket or ends, even by SIGKILL.
"""

import os
import sys
from contextlib import suppress
from socket import socket
from threading import Thread
from typing import Final

import msgspec
from msgspec import Struct

from coolid.local.metrics import Metrics
from coolid.local.server import serve
from coolid.local.service import Service
from coolid.local.shutdown import ShutdownSignals

READY: Final = b"R"


class WorkerSettings(Struct, frozen=True):
    """The descriptors of the listening `sockets` and the metrics' file, which has `rows` and this worker's `row`."""

    service: Service
    sockets: tuple[int, ...]
    metrics_file: int
    rows: int
    row: int


def main() -> None:
    """Serve until a signal arrives or the supervisor ends."""
    settings = msgspec.json.decode(sys.argv[1], type=WorkerSettings)
    service, control, shutdown = settings.service, socket(fileno=0), ShutdownSignals()
    with shutdown.installed():
        metrics = Metrics(settings.metrics_file, settings.rows, settings.row)
        application = service.asgi_application(os.environ, metrics)
        Thread(target=_await_end, args=(control, shutdown), daemon=True).start()
        sockets = [socket(fileno=each) for each in settings.sockets]
        serve(application, sockets, lambda: report_ready(control, shutdown), shutdown)


def report_ready(control: socket, shutdown: ShutdownSignals) -> None:
    """Send the byte to the supervisor. Begin the shutdown if it closed its end before the server could be ended."""
    try:
        control.sendall(READY)
    except OSError:
        shutdown.begin()


def _await_end(control: socket, shutdown: ShutdownSignals) -> None:
    """Begin the shutdown when the supervisor has closed its end of the socket."""
    with suppress(OSError):
        control.recv(1)
    shutdown.begin()


if __name__ == "__main__":
    main()

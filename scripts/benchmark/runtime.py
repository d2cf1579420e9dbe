"""A stub of Lambda's Runtime API, and functions that run under AWS's own runtime client over it.

Source: "AWS Lambda Developer Guide", "Using the Lambda runtime API": `GET /2018-06-01/runtime/invocation/next` gives an
event, `POST /2018-06-01/runtime/invocation/ID/response` takes what the function answered.
"""

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from msgspec import Struct

from scripts.benchmark.peak import peak

_END: Final = b"\r\n\r\n"
_PATIENCE: Final = 30.0


class Died(Exception):
    """A function ended before it had answered everything."""


class Ran(Struct, frozen=True):
    """What a process of a function did: seconds from its spawning to its first answer; for each answer, the processor
    time so far (seconds); all answers; and the most memory that it had (MB)."""

    first: float
    processor: list[float]
    answers: list[dict[str, Any]]
    memory: float


class RuntimeApi:
    """Passes events to one function, one after the other, and stores its responses with times and costs."""

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        self._events = [json.dumps(event).encode() for event in events]
        self._given = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self._done = threading.Event()
        self.answers: list[bytes] = []
        self.moments: list[float] = []
        self.processor: list[float] = []
        self.process: subprocess.Popen[bytes] | None = None
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._listener, *self._connections):
            each.close()

    def wait(self) -> None:
        """Until everything is answered; `Died`."""
        assert self.process is not None
        until = time.monotonic() + _PATIENCE
        while not self._done.wait(0.05):
            if self.process.poll() is not None or time.monotonic() > until:
                raise Died(f"after {len(self.answers)} answers, with {self.process.poll()}")

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # it was closed
                return
            self._connections.append(connection)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve_until_gone, args=(connection,), daemon=True).start()

    def _serve_until_gone(self, connection: socket.socket) -> None:
        with suppress(OSError):  # the function was ended
            self._serve(connection)

    def _serve(self, connection: socket.socket) -> None:
        read = b""
        while True:
            while _END not in read:
                more = connection.recv(65536)
                if not more:
                    return
                read += more
            head, _, body = read.partition(_END)
            length = _length(head)
            if b"expect: 100-continue" in head.lower():
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            while len(body) < length:
                body += connection.recv(65536)
            read = body[length:]
            if head.startswith(b"POST"):
                self._keep(head, body[:length])
                connection.sendall(b'HTTP/1.1 202 Accepted\r\nContent-Length: 16\r\n\r\n{"status": "OK"}')
            elif self._given < len(self._events):
                connection.sendall(self._next())
            else:
                return  # nothing more comes: the function sleeps until it is ended

    def _keep(self, head: bytes, body: bytes) -> None:
        assert self.process is not None
        self.moments.append(time.perf_counter())
        self.processor.append(processor_time(self.process.pid))
        self.answers.append(body if b"/response " in head.partition(b"\r\n")[0] else b"")
        if len(self.answers) == len(self._events):
            self._done.set()

    def _next(self) -> bytes:
        body, number = self._events[self._given], self._given
        self._given += 1
        deadline = round(time.time() * 1000) + 10_000
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"Lambda-Runtime-Aws-Request-Id: 8476a536-e9f4-11e8-9739-{number:012}\r\n"
            f"Lambda-Runtime-Deadline-Ms: {deadline}\r\n"
            "Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:us-east-1:123456789012:function:coolid-resolve\r\n"
            "Lambda-Runtime-Trace-Id: Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0\r\n"
        )
        return head.encode() + b"\r\n" + body


def run(
    interpreter: str, path: Sequence[Path], environment: Mapping[str, str], events: Sequence[Mapping[str, Any]]
) -> Ran:
    """Start the function in the first folder of `path`, as Lambda would, and let it answer the events.

    It may write no compiled modules, as on Lambda, and knows nothing but what `path` and `environment` say.
    """
    with RuntimeApi(events) as api:
        told = {
            "AWS_LAMBDA_RUNTIME_API": api.address,
            "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "_HANDLER": "handler.handler",
            "LAMBDA_TASK_ROOT": str(path[0]),
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "PATH": os.defpath,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            **environment,
        }
        command = [interpreter, "-S", "-m", "awslambdaric", "handler.handler"]
        begun = time.perf_counter()
        with subprocess.Popen(command, cwd=path[0], env=told, stdout=subprocess.DEVNULL) as process:
            api.process = process
            try:
                api.wait()
                memory = peak(process.pid)
            finally:
                process.kill()
        answers = [json.loads(answer or b"{}") for answer in api.answers]
        return Ran(api.moments[0] - begun, api.processor, answers, memory)


def processor_time(pid: int) -> float:
    """Seconds of processor time of a process (Linux: the clock that clock_getcpuclockid(3) would give)."""
    return time.clock_gettime((~pid << 3) | 2)


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0

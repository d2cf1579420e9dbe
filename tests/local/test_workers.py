"""The service as a whole: several workers over one database, its metrics, its log, and how it ends."""

import http.client
import json
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from socket import create_connection, socket, socketpair
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest

from coolid.local.shutdown import ShutdownSignals
from coolid.local.worker_process import report_ready
from tests.support.servers.coolid_server import Server, prepare, run, serving

LINES = 600
BATCH = json.dumps([{"prefix": "demo", "uri": "https://content.example.org/"}] * LINES).encode()


@pytest.fixture(autouse=True)
def _logged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LOG_REQUESTS")
    prepare(tmp_path)


def metric(server: Server, name: str) -> float:
    """Return a sum over all processes."""
    found = re.search(r"Metrics are at http://127\.0\.0\.1:(\d+)/metrics", "".join(server.stderr_lines))
    assert found
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    value = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert value
    return float(value[1])


def log_lines(folder: Path) -> list[dict[str, Any]]:
    """Return what a server has logged on its standard output."""
    complete, _, _ = (folder / "stdout").read_text(encoding="utf-8").rpartition("\n")
    return [json.loads(line) for line in complete.splitlines()]


def wait_until(holds: Any) -> None:
    """Wait until a condition holds, for at most 60 seconds."""
    end = monotonic() + 60
    while not holds():
        assert monotonic() < end
        sleep(0.05)


def children(process: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()]


def fill(output: int) -> None:
    """Fill the pipe of a descriptor, so that the next write blocks."""
    os.set_blocking(output, False)
    with suppress(BlockingIOError):
        while True:
            os.write(output, b"-" * 4096)
    os.set_blocking(output, True)


def fill_errors(process: int) -> None:
    """Fill the standard error of a process, which is a pipe."""
    output = os.open(f"/proc/{process}/fd/2", os.O_WRONLY)
    fill(output)
    os.close(output)


@contextmanager
def full_pipe() -> Iterator[int]:
    """Return the descriptor of a pipe that is full and that nobody reads."""
    unread, output = os.pipe()
    fill(output)
    yield output
    os.close(unread)
    os.close(output)


def has_ended(process: int) -> bool:
    """Return whether a process is gone, or was not yet removed from the table by its new parent."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    return True


def connect(server: Server) -> socket:
    return create_connection(("127.0.0.1", urlsplit(server.url).port or 0), timeout=60)


def refuses_connections(server: Server) -> bool:
    """Return whether the server listens no more."""
    with suppress(ConnectionRefusedError), connect(server):
        return False
    return True


def mint_batch(server: Server) -> list[int]:
    """Return the status of each line of a batch, or nothing if there was no response."""
    try:
        reply = server.request("POST", "/api/v1/records/batch", BATCH, {"Authorization": f"Bearer {server.key}"})
    except (ConnectionError, http.client.HTTPException):
        return []
    return [line["status"] for line in reply.json()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it finds the workers in /proc")
def test_workers_are_replaced_and_end_with_the_service(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2", "--metrics", "0", reads_errors=False) as server:
        fill_errors(server.process.pid)  # a reader that has stopped must not delay the replacement of a worker
        workers = children(server.process.pid)
        assert len(workers) == 2
        with ThreadPoolExecutor(8) as threads:
            replies = [*threads.map(lambda _: server.mint(), range(40))]
        assert {reply.status for reply in replies} == {201}
        assert metric(server, "coolid_minted_total") == 40
        wait_until(lambda: [line["status"] for line in log_lines(tmp_path)].count(201) == 40)
        os.kill(workers[0], signal.SIGKILL)
        wait_until(lambda: len(children(server.process.pid)) == 2 and workers[0] not in children(server.process.pid))
        assert metric(server, "coolid_worker_restarts_total") == 1
        assert metric(server, "coolid_minted_total") == 40  # the new worker continues the counters of the old one
        for reply in replies:
            assert server.request("GET", f"/demo:{reply.json()['id']}").status == 302
        workers = children(server.process.pid)
        server.process.kill()
        wait_until(lambda: all(map(has_ended, workers)))


def test_a_supervisor_that_ends_while_a_worker_starts_ends_the_worker() -> None:
    begun, shutdown = [], ShutdownSignals()
    ours, theirs = socketpair()
    ours.close()
    shutdown.begin()  # too early for the server
    with theirs, shutdown.handled_by(lambda: begun.append(True)):
        report_ready(theirs, shutdown)
    assert begun == [True]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_first_signal_lets_requests_finish(tmp_path: Path, workers: str) -> None:
    options = ("--workers", workers, "--metrics", "0")
    with (
        full_pipe() as output,  # a log whose reader has stopped must delay neither
        serving(tmp_path, *options, output=output) as server,
        ThreadPoolExecutor(1) as threads,
    ):
        batch = threads.submit(mint_batch, server)
        wait_until(lambda: metric(server, "coolid_minted_total") > 0)
        code = server.end(signal.SIGTERM)
        assert (code, batch.result()) == (0, [201] * LINES)


def test_the_second_signal_does_not(tmp_path: Path) -> None:
    with full_pipe() as output, serving(tmp_path, output=output) as server, closing(connect(server)) as connection:
        head = f"POST /api/v1/records HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.key}\r\n"
        connection.sendall(f"{head}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100 "), "the request has not begun"
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: refuses_connections(server))
        assert server.process.poll() is None
        assert server.end(signal.SIGTERM) == 128 + signal.SIGTERM


def test_a_read_only_service_refuses_changes_and_resolves(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        path = f"/demo:{server.mint().json()['id']}"
        assert server.end(signal.SIGTERM) == 0
    with serving(tmp_path, "--read-only", "--proxy-headers") as server:
        refused = server.mint()
        assert (refused.status, refused.json()["type"]) == (503, f"{server.url}/problems/read-only")
        assert server.request("GET", path, headers={"X-Request-Id": "of-the-proxy"}).status == 302
        checks = server.request("GET", "/health").json()["checks"]
        assert checks[-1] == {"name": "database", "state": "read-only"}
        (tmp_path / ".local" / "coolid.db").rename(tmp_path / "moved.db")  # a change would fail until a restart
        health = server.request("GET", "/health")
        assert (health.status, health.json()["checks"][-1]) == (503, {"name": "database", "state": "failed"})
        assert server.end(signal.SIGTERM) == 0
    assert log_lines(tmp_path)[1]["request"] == "of-the-proxy"
    assert run(tmp_path, "serve", "--read-only", "--probe", "60").returncode == 2

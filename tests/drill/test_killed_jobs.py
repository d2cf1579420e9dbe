"""A bulk job whose worker and service are killed by SIGKILL at any moment: it goes on, no row twice, none lost."""

import csv
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import Any

import pytest

from tests.support.servers.coolid_server import Server, prepare, serving

ROWS = 20_000
KILLS = [(1_000, "worker"), (4_000, "service"), (9_000, "worker"), (13_000, "worker"), (17_000, "service")]
"""After how many rows what is killed."""
TARGET = "https://content.example.org/row/{}"
BASE_URL = "https://id.example.org"  # each start has another port
_PATIENCE = 300
"""Seconds without progress, of which a lease takes thirty."""
_WORKER = b"coolid.local.job_worker.process"

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it finds the worker in /proc"),
]


class Job:
    """A job of the running service."""

    def __init__(self, job_id: str) -> None:
        self.id = job_id

    @classmethod
    def start(cls, server: Server) -> "Job":
        """Upload the rows, and create a job that mints them."""
        lines = ["uri,metadata.row", *(f"{TARGET.format(at)},{at}" for at in range(ROWS))]
        body = "\r\n".join(lines).encode()
        begun = call(server, "POST", "/api/v1/uploads", {"size": len(body)})
        path = begun["url"].removeprefix(BASE_URL)
        reply = server.request(begun["method"], path, body, {**begun["headers"], **authorization(server)})
        assert reply.status == 200, reply
        job = call(server, "POST", "/api/v1/jobs", {"operation": "mint", "prefix": "demo", "upload": begun["upload"]})
        return cls(job["id"])

    def wait_until(self, server: Server, holds: Callable[[Any], bool]) -> None:
        """Wait until the job's document fulfils a condition."""
        latest, progress = monotonic(), None
        while True:
            document = call(server, "GET", f"/api/v1/jobs/{self.id}")
            assert document["state"] in {"validating", "running", "done"}, document
            if holds(document):
                return
            if document["counts"] != progress:
                latest, progress = monotonic(), document["counts"]
            assert monotonic() < latest + _PATIENCE, document
            sleep(0.1)

    def results(self, server: Server) -> list[dict[str, str]]:
        """Return the rows of the results."""
        reply = server.request("GET", f"/api/v1/jobs/{self.id}/results?format=csv", headers=authorization(server))
        assert reply.status == 200, reply
        return [*csv.DictReader(reply.body.decode().splitlines())]


def has_done(rows: int) -> Callable[[Any], bool]:
    """Return a condition: at least so many rows have succeeded."""
    return lambda document: bool(document["counts"]["succeeded"] >= rows)


def authorization(server: Server) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.key}"}


def call(server: Server, method: str, path: str, document: Any = None) -> Any:
    """Return the document that answers a request."""
    headers = {**authorization(server), "Content-Type": "application/json"}
    reply = server.request(method, path, None if document is None else json.dumps(document).encode(), headers)
    assert reply.status < 300, reply
    return reply.json()


def workers(server: Server) -> list[int]:
    """Return the processes that carry out jobs."""
    files = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    children = [int(each) for file in files for each in file.read_text(encoding="ascii").split()]
    return [each for each in children if _WORKER in Path(f"/proc/{each}/cmdline").read_bytes()]


def minted(folder: Path) -> Counter[str]:
    """Return how many records have each target, those of all versions."""
    with closing(sqlite3.connect(folder / ".local" / "coolid.db")) as database:
        bodies = [json.loads(body) for (body,) in database.execute("SELECT body FROM records")]
    targets = (body["records"][0]["uri"] for body in bodies if body.get("records"))
    return Counter(target for target in targets if target.startswith(TARGET.format("")))


def test_a_job_goes_on_after_its_worker_and_its_service_were_killed(tmp_path: Path) -> None:
    prepare(tmp_path)
    job, pending = None, [*KILLS]
    while pending or job is None:
        with serving(tmp_path, "--base-url", BASE_URL) as server:
            job = job or Job.start(server)
            while pending:
                rows, what = pending.pop(0)
                job.wait_until(server, has_done(rows))
                if what == "service":
                    server.process.kill()
                    server.process.wait(60)
                    break
                for process in workers(server):
                    os.kill(process, SIGKILL)
    with serving(tmp_path, "--base-url", BASE_URL) as server:
        job.wait_until(server, lambda found: bool(found["state"] == "done"))
        results = job.results(server)
    assert [row["metadata.row"] for row in results] == [str(at) for at in range(ROWS)]
    assert {row["error"] for row in results} == {""}
    assert len({row["pid"] for row in results}) == ROWS
    assert minted(tmp_path) == Counter(TARGET.format(at) for at in range(ROWS))

"""The worker of bulk jobs: its turns and pauses, and a process that is started, replaced and ended."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from threading import enumerate as enumerate_threads
from time import monotonic, sleep

import pytest
from msgspec.structs import replace

from coolid.aws import key_file
from coolid.aws.settings import SQLITE_SCHEME, STORE
from coolid.local.job_worker.loop import RETRY_SECONDS, SLICE_SECONDS, JobLoop
from coolid.local.job_worker.supervisor import supervised_job_worker
from coolid.local.metrics import Metrics
from coolid.metric_names import UNFORESEEN_ERROR
from coolid.model.jobs import DONE, Job, JobRequest
from coolid.wiring.database_access import DatabaseAccess, open_database_access
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_jobs import MemoryJobs


def job(job_id: str) -> Job:
    return Job(job_id, "epyx6gxg", JobRequest("mint", "mp"), MOMENT, MOMENT)


class World:
    """A loop over jobs whose slices take a second and have these outcomes: a pause, None for the end, or an error."""

    def __init__(self, *ids: str) -> None:
        self.jobs, self.outcomes = MemoryJobs(), dict[str, float | Exception | None]()
        self.now, self.slices = 1000.0, list[tuple[str, float]]()
        self.counted, self.warnings = list[str](), list[str]()
        for job_id in ids:
            self.jobs.create_job(job(job_id))
        self.loop = JobLoop(
            self._run_slice, self.jobs, FixedClock(), lambda name, value=1, **_: self.counted.append(name),
            self.warnings.append, lambda: self.now,
        )  # fmt: skip

    def _run_slice(self, job_id: str, until: float) -> float | None:
        self.slices.append((job_id, until - self.now))
        self.now += 1
        outcome = self.outcomes.get(job_id, 0.0)
        if isinstance(outcome, Exception):
            raise outcome
        if outcome is None:
            found = self.jobs.job(job_id)
            assert found
            self.jobs.replace_job(replace(found, state=DONE, revision=2), found)
        return outcome

    def run(self) -> str:
        return self.loop.run_round(lambda: False)


def test_jobs_take_turns_until_they_have_ended() -> None:
    world = World("a", "b")
    assert (world.run(), world.run()) == ("worked", "worked")
    assert world.slices == [(each, SLICE_SECONDS) for each in "abab"]
    world.outcomes = {"a": None, "b": None}
    assert (world.run(), world.run()) == ("worked", "idle")


def test_a_job_pauses_as_long_as_its_slice_said_and_the_others_do_not() -> None:
    world = World("a", "b")
    world.outcomes = {"a": 5.0}
    for _ in range(4):
        world.run()
    assert [job_id for job_id, _ in world.slices] == ["a", "b", "b", "b", "b"]
    world.outcomes["b"] = 100.0
    world.run()
    assert world.run() == "worked"
    world.outcomes["a"] = 100.0
    world.now += 5
    assert (world.run(), world.run()) == ("worked", "paused")


def test_an_error_makes_its_job_pause_and_is_reported_without_data() -> None:
    world = World("a", "b")
    world.outcomes["a"] = ValueError("data of a row")
    assert (world.run(), world.run()) == ("worked", "worked")
    assert [job_id for job_id, _ in world.slices] == ["a", "b", "b"]
    assert world.counted == [UNFORESEEN_ERROR]
    assert "data of a row" not in "".join(world.warnings)
    world.now += RETRY_SECONDS
    world.outcomes["a"] = None
    world.run()
    assert world.slices[-2][0] == "a"


def test_a_worker_that_is_to_end_begins_no_slice() -> None:
    world = World("a")
    world.loop.run_round(lambda: True)
    assert world.slices == []


def wait_until(holds: Callable[[], object]) -> None:
    """Wait until a condition holds, for at most 60 seconds."""
    end = monotonic() + 60
    while not holds():
        assert monotonic() < end
        sleep(0.02)


def workers() -> list[int]:
    """Return the processes of workers of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").parent.parent.glob("*/children")
    ids = [int(each) for file in children for each in file.read_text(encoding="ascii").split()]
    return [each for each in ids if b"coolid.local.job_worker.process" in _command(each)]


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@pytest.fixture
def access(tmp_path: Path) -> Iterator[DatabaseAccess]:
    with open_database_access(tmp_path / "coolid.db", is_durable=False) as opened:
        yield opened


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    key_file.ensure(tmp_path / "key.pem")
    store = f"{SQLITE_SCHEME}{tmp_path / 'coolid.db'}"
    return {STORE: store, "PUBLIC_BASE_URL": BASE_URL, "SIGNING_KEY_FILE": str(tmp_path / "key.pem")}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it finds the worker in /proc")
def test_a_worker_runs_while_there_are_jobs_and_is_replaced_and_ends_with_the_service(
    access: DatabaseAccess, environment: dict[str, str]
) -> None:
    lines, metrics = list[str](), Metrics.create(rows=2)
    with supervised_job_worker(environment, BASE_URL, metrics, lines.append):
        assert workers() == []
        new = replace(job("k3x9"), created=MOMENT + timedelta(seconds=1))
        access.jobs.jobs.create_job(new)
        wait_until(workers)
        (first,) = workers()
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: workers() and first not in workers())
        assert lines == ["The worker of bulk jobs ended (SIGKILL) and is started again."]
        assert "coolid_worker_restarts_total 1" in metrics.text()
    assert workers() == []


def test_a_read_only_service_has_no_worker(environment: dict[str, str], access: DatabaseAccess) -> None:
    access.jobs.jobs.create_job(job("k3x9"))
    with supervised_job_worker({**environment, "READ_ONLY": "on"}, BASE_URL, Metrics.create(rows=2), print):
        assert "jobs" not in {thread.name for thread in enumerate_threads()}

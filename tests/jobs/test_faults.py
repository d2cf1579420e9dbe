"""Workers that end or fail at any moment: no row is carried out twice, none is lost, and each has one result."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import StoreUnavailable
from coolid.http.formats.xml_parser import parse_xml
from coolid.jobs import downloads, execution, row_loop
from coolid.jobs.session import LEASE_SECONDS
from coolid.jobs.validation import REPEATED
from coolid.model.clients import Quota
from coolid.model.downloads import Download
from coolid.model.jobs import CANCELLED, Job, RetargetRule
from tests.jobs.bench import CLIENT, Host, JobBench, Killed
from tests.support.stores.store_wrappers import FailingStore

ROWS = 7
TARGETS = [f"https://example.org/{at}" for at in range(ROWS)]
MINTS = "uri\n" + "".join(f"{target}\n" for target in TARGETS) + "x\n"
RULES = {
    "once": RetargetRule(from_prefix="https://example.org/", to_prefix="https://elsewhere.example/new/"),
    "twice": RetargetRule(from_prefix="https://example.org/", to_prefix="https://example.org/new/"),
}
"""The first does not match a target that it has changed, the second does."""


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows at a time, with the progress written after each time."""
    monkeypatch.setattr(row_loop, "_BATCH", 2)
    monkeypatch.setattr(execution, "SAVE_ROWS", 2)
    monkeypatch.setattr(downloads, "_PAGE", 2)
    monkeypatch.setattr(downloads, "PART_SIZE", 1)


def mints(bench: JobBench) -> Callable[[], None]:
    """Create a job that mints. Return the check of what it did."""
    bench.job("mint", MINTS, prefix="mp", skip_errors=True)

    def check() -> None:
        results = bench.results("jsonl")
        assert [row["uri"] for row in results] == [*TARGETS, "x"]
        assert [row["status"] for row in results] == ["succeeded"] * ROWS + ["refused"]
        found = {record.pid: record.records[0].uri for record in bench.records()}
        assert {row["pid"]: row["uri"] for row in results[:-1]} == found
        progress = bench.current().progress
        assert (progress.succeeded, progress.refused, len(progress.errors)) == (ROWS, 1, 1)

    return check


def retargets(bench: JobBench, rule: RetargetRule) -> Callable[[], None]:
    """Create a job that changes all targets by a rule. Return the check of what it did."""
    bench.mint(*TARGETS)
    bench.job("retarget", prefix="mp", rule=rule)

    def check() -> None:
        records = bench.records()
        assert {record.version for record in records} == {2}
        moved = [target.replace(rule.from_prefix or "", rule.to_prefix or "") for target in TARGETS]
        assert sorted(record.records[0].uri for record in records) == moved
        assert {row["pid"] for row in bench.results()} == {record.pid for record in records}
        assert (len(bench.results()), bench.current().progress.succeeded) == (ROWS, ROWS)

    return check


def writes(bench: JobBench, compression: Literal["gzip", "zip"]) -> Callable[[], None]:
    """Create a job that writes a download of all records. Return the check of its file."""
    bench.mint(*TARGETS)
    bench.download(Download(format="xml", compression=compression))

    def check() -> None:
        found = parse_xml(bench.downloaded())
        assert sorted(each.text or "" for each in found.iterfind("*/element[@name='_target']")) == TARGETS
        assert bench.current().progress.row == ROWS

    return check


JOBS: dict[str, Callable[[JobBench], Callable[[], None]]] = {
    "mints": mints,
    **{name: partial(retargets, rule=rule) for name, rule in RULES.items()},
    "gzip": partial(writes, compression="gzip"),
    "zip": partial(writes, compression="zip"),
}


def fail_at(moments: set[int], error: Callable[[], BaseException]) -> Callable[[int], None]:
    def fault(moment: int) -> None:
        if moment in moments:
            raise error()

    return fault


def moments_of(kind: str) -> int:
    """Return the number of moments before and after the writes of a job."""
    bench = JobBench()
    JOBS[kind](bench)
    host = Host()
    bench.run(bench.runner(host))
    return host.moments


def runs(bench: JobBench, hosts: Iterator[Host]) -> Job:
    """Run the job with one host after the other, each until it is killed."""
    while True:
        try:
            return bench.run(bench.runner(next(hosts)))
        except Killed:
            bench.expire_lease()


@pytest.mark.parametrize("kind", JOBS)
def test_a_worker_may_be_killed_before_and_after_any_write(kind: str) -> None:
    for moment in range(1, moments_of(kind) + 1):
        bench = JobBench()
        check = JOBS[kind](bench)
        hosts = iter([Host(fail_at({moment}, Killed)), Host()])
        assert runs(bench, hosts).state == "done"
        check()


@given(kind=st.sampled_from(sorted(JOBS)), moments=st.lists(st.integers(1, 40), max_size=6))
def test_workers_may_be_killed_several_times(kind: str, moments: list[int]) -> None:
    bench = JobBench()
    check = JOBS[kind](bench)
    hosts = [*(Host(fail_at({moment}, Killed)) for moment in moments), Host()]
    assert runs(bench, iter(hosts)).state == "done"
    check()


@given(kind=st.sampled_from(sorted(JOBS)), moments=st.sets(st.integers(1, 60), max_size=8))
def test_a_store_that_fails_before_or_after_writes_is_tried_again(kind: str, moments: set[int]) -> None:
    bench = JobBench()
    check = JOBS[kind](bench)

    def unavailable() -> BaseException:
        return StoreUnavailable("the store did not answer")

    assert runs(bench, iter([Host(fail_at(moments, unavailable))])).state == "done"
    check()


def test_a_slice_waits_for_a_store_that_has_failed_for_good() -> None:
    for moment in range(1, moments_of("mints") + 1):
        bench = JobBench()
        check = mints(bench)
        down = fail_at({*range(moment, 1000)}, lambda: StoreUnavailable("down"))
        runner, waits = bench.runner(Host(down)), set[float | None]()
        while not bench.failures:
            waits = {runner.run_slice("j", bench.seconds() + 3)}
        assert waits == {StoreUnavailable.retry_after}
        assert {type(each) for each in bench.failures} == {StoreUnavailable}
        bench.expire_lease()
        assert bench.run().state == "done"
        check()


def test_two_workers_never_hold_one_job() -> None:
    bench = JobBench()
    check = mints(bench)
    waits: list[Any] = []

    def run_another(moment: int) -> None:
        if moment > 2:  # the first worker has taken the job
            waits.append(bench.runner().run_slice("j", bench.seconds() + 3))

    first = bench.runner(Host(run_another))
    assert first.run_slice("j", bench.seconds() + 3) == 0.0
    assert waits
    assert set(waits[:-2]) == {float(LEASE_SECONDS)}  # until the first gives the job back
    bench.run()
    check()


@pytest.mark.parametrize("seconds", [LEASE_SECONDS + 1])
def test_a_worker_that_lost_its_lease_overwrites_nothing(seconds: int) -> None:
    """The worker stops in the middle of its slice, and another worker finishes the job."""
    bench = JobBench()
    check = mints(bench)
    bench.runner().run_slice("j", bench.seconds() + 3)  # validates
    for moment in range(3, 20):
        bench = JobBench()
        check = mints(bench)
        bench.runner().run_slice("j", bench.seconds() + 3)

        def stand_still(now: int, at: int = moment, bench: JobBench = bench) -> None:
            if now == at:
                bench.clock.moment += timedelta(seconds=seconds)
                bench.run()

        bench.runner(Host(stand_still)).run_slice("j", bench.seconds() + 3)
        assert bench.run().state == "done"
        check()


class TestEndings:
    def test_a_cancelled_job_stops_between_rows_and_has_results(self) -> None:
        bench = JobBench()
        bench.job("mint", MINTS, prefix="mp", skip_errors=True)
        bench.runner().run_slice("j", bench.seconds() + 3)

        def cancel(moment: int) -> None:
            bench.clock.moment += timedelta(seconds=0.3)
            if moment == 7:
                job = bench.current()
                bench.jobs.replace_job(replace(job, state=CANCELLED, revision=job.revision + 1), job)

        assert bench.runner(Host(cancel)).run_slice("j", bench.seconds() + 60) is None
        job = bench.current()
        assert job.state == CANCELLED
        assert 0 < job.progress.succeeded < ROWS
        assert len(bench.results()) == job.progress.succeeded == len(bench.records())
        assert bench.runner().run_slice("j", bench.seconds() + 60) is None

    def test_a_revoked_key_ends_the_job(self) -> None:
        bench = JobBench()
        bench.job("mint", MINTS, prefix="mp", skip_errors=True)
        bench.runner().run_slice("j", bench.seconds() + 3)

        def revoke(moment: int) -> None:
            bench.clock.moment += timedelta(seconds=0.3)
            if moment == 7:
                bench.store.put_client(replace(CLIENT, revoked=bench.clock.now()))

        assert bench.runner(Host(revoke)).run_slice("j", bench.seconds() + 60) is None
        job = bench.current()
        assert (job.state, job.failure) == ("failed", "the API key that started the job was revoked")
        assert len(bench.results()) == len(bench.records()) == job.progress.succeeded < ROWS
        assert ("JobFailed", 1) in bench.counts

    def test_lost_rights_refuse_the_remaining_rows(self) -> None:
        bench = JobBench()
        bench.job("mint", MINTS, prefix="mp", skip_errors=True)
        bench.runner().run_slice("j", bench.seconds() + 3)
        bench.store.put_client(replace(CLIENT, scopes=("mint:other",)))
        job = bench.run()
        assert (job.state, job.progress.refused) == ("done", ROWS + 1)
        assert bench.results()[0]["error"] == "the API key has no scope that covers mint:mp"

    def test_a_used_up_quota_makes_the_job_wait(self) -> None:
        bench = JobBench()
        bench.store.put_client(replace(CLIENT, quota=Quota(minute=3)))
        check = mints(bench)
        began = bench.clock.moment
        assert bench.run().state == "done"
        assert bench.clock.moment - began >= timedelta(seconds=60)
        check()

    def test_an_expired_job_is_left_alone(self) -> None:
        bench = JobBench()
        job = bench.job("mint", MINTS, prefix="mp")
        bench.clock.moment = job.expires
        assert bench.runner().run_slice("j", bench.seconds() + 3) is None
        assert bench.runner().run_slice("absent", bench.seconds() + 3) is None

    def test_an_unexpected_error_refuses_its_row_and_is_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bench = JobBench()
        bench.job("mint", MINTS, prefix="mp", skip_errors=True)
        bench.runner().run_slice("j", bench.seconds() + 3)
        failing = FailingStore(bench.store, "before")
        monkeypatch.setattr(failing, "create_record", lambda *_: 1 / 0, raising=False)
        runner = bench.runner()
        runner._parts_of.__self__.endpoint.minter._records = failing  # type: ignore[attr-defined]
        job = bench.run(runner)
        assert (job.state, job.progress.refused) == ("done", ROWS + 1)
        assert {type(each) for each in bench.reported} == {ZeroDivisionError}

    def test_rows_keep_to_the_rate(self) -> None:
        bench = JobBench()
        mints(bench)
        bench.runner().run_slice("j", bench.seconds() + 3)
        began = bench.clock.moment
        assert bench.run(bench.runner(rate=2.0)).state == "done"
        assert bench.clock.moment - began >= timedelta(seconds=ROWS / 2)


def test_a_slice_whose_time_is_up_before_its_first_row_carries_some_out() -> None:
    bench = JobBench()
    check = mints(bench)
    calls = 0
    while bench.runner().run_slice("j", until=bench.seconds() - 1) is not None:
        calls += 1
        assert calls < 4 * ROWS
    check()


def rounds_of_validation(bench: JobBench) -> int:
    """Validate the job with the fewest rows in each slice. Return the number of slices."""
    rounds = 0
    while bench.current().state == "validating":
        bench.runner().run_slice("j", until=bench.seconds() - 1)
        rounds += 1
    return rounds


@pytest.mark.parametrize("count", [20, 40])
def test_the_reads_of_a_validation_grow_with_its_slices(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = JobBench()
    pids = [record.pid for record in bench.mint(*(f"https://example.org/{at}" for at in range(count)))]
    bench.job("withdraw", "pid,reason\n" + "".join(f"{pid},moved\n" for pid in [*pids, pids[0]]), dry_run=True)
    found: list[str] = []
    read = bench.files.read

    def counted(name: str, start: int = 0) -> Iterator[bytes] | None:
        content = read(name, start)
        if content is not None and "/checks/" in name:
            found.append(name)
        return content

    monkeypatch.setattr(bench.files, "read", counted)
    assert rounds_of_validation(bench) == len(found) + 1  # each reads the file of the one before
    errors = bench.current().progress.errors
    assert [(error.row, error.reason) for error in errors] == [(count + 1, REPEATED)]


def test_checks_of_an_earlier_release_are_read() -> None:
    """It left a file for each slice by itself."""
    bench = JobBench()
    pid, *others = [record.pid for record in bench.mint(*TARGETS)]
    bench.job("withdraw", "pid,reason\n" + "".join(f"{each},moved\n" for each in [pid, *others, pid]), dry_run=True)
    runner = bench.runner()
    for _ in range(2):
        runner.run_slice("j", until=bench.seconds() - 1)
    latest, earlier = sorted((name for name in bench.files.contents if "jobs/j/checks/" in name), reverse=True)
    own = msgspec.msgpack.decode(bench.files.contents[latest])["names"]
    first = msgspec.msgpack.decode(bench.files.contents[earlier])["names"]
    for name, names in ((earlier, first), (latest, {row: digest for row, digest in own.items() if row not in first})):
        bench.files.write(name, [msgspec.msgpack.encode({"names": names, "refused": {}})])
    rounds_of_validation(bench)
    assert [error.row for error in bench.current().progress.errors] == [len(TARGETS) + 1]

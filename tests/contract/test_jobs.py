"""The contract of `JobStore` and `FileStore`."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import IdempotencyRecordTaken, Outdated
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.jobs import (
    CANCELLED,
    DONE,
    PREVIEWED,
    RUNNING,
    Job,
    JobProgress,
    JobRequest,
    RetargetRule,
    RowError,
    TargetChange,
)
from coolid.store.jobs import JobAccess
from tests.contract.concurrency import at_once
from tests.contract.job_stores import JOB_STORES
from tests.support.builders.samples import MOMENT

PIECES = [b"id,uri\r\n", b"x" * 70_000, b"\x00\xff", b"y" * 200_000]
WHOLE = b"".join(PIECES)


@pytest.fixture(params=JOB_STORES)
def job_access(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[JobAccess]:
    """The empty stores of jobs and files."""
    if request.param == "aws":
        request.getfixturevalue("moto_tables")
    with JOB_STORES[request.param](tmp_path) as access:
        yield access


def job(job_id: str = "k3x9", client: str = "epyx6gxg", **members: Any) -> Job:
    """Return a new job."""
    return replace(Job(job_id, client, JobRequest("mint", "mp"), MOMENT, MOMENT), **members)


class TestJobs:
    def test_one_is_read_back_equal(self, job_access: JobAccess) -> None:
        rule = RetargetRule(pattern="é(.)", replacement=r"\1")
        wanted = job(
            request=JobRequest("retarget", "mp", {"Titel é": "what", "": ""}, rule, dry_run=True),
            state=RUNNING, file="jobs/k3x9/rows", size=2**33, is_csv=False, rows=3,
            progress=JobProgress(
                1, 2, 3, 4, 5, 6, 7, 8, (RowError(1, "é", "x"),), (TargetChange("p", "a", "b"),), "2021/06/é"
            ),
            failure="é", lease="t", leased_until=MOMENT + timedelta(seconds=30), revision=7,
        )  # fmt: skip
        assert job_access.jobs.job(wanted.id) is None
        job_access.jobs.create_job(wanted)
        assert job_access.jobs.job(wanted.id) == wanted

    def test_a_change_needs_the_current_revision(self, job_access: JobAccess) -> None:
        first = job()
        job_access.jobs.create_job(first)
        second = replace(first, state=RUNNING, revision=2)
        job_access.jobs.replace_job(second, first)
        for outdated in (first, job("absent")):
            with pytest.raises(Outdated):
                job_access.jobs.replace_job(replace(outdated, state=DONE, revision=2), outdated)
        assert (job_access.jobs.job(first.id), job_access.jobs.job("absent")) == (second, None)

    def test_of_many_changes_at_once_one_is_written(self, job_access: JobAccess) -> None:
        first = job()
        job_access.jobs.create_job(first)
        changed = [replace(first, lease=str(at), revision=2) for at in range(8)]
        outcomes = at_once([lambda each=each: job_access.jobs.replace_job(each, first) for each in changed])
        (winner,) = [at for at, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, Outdated) for outcome in outcomes) == 7
        assert job_access.jobs.job(first.id) == changed[winner]

    def test_a_repeated_request_creates_no_second_job(self, job_access: JobAccess) -> None:
        record = IdempotencyRecord("epyx6gxg/k", "sha-256=:x:", "k3x9", MOMENT + timedelta(hours=24))
        job_access.jobs.create_job(job(), record)
        with pytest.raises(IdempotencyRecordTaken):
            job_access.jobs.create_job(job("another"), replace(record, outcome="another"))
        assert job_access.jobs.job("another") is None
        later = MOMENT + timedelta(hours=24)
        job_access.jobs.create_job(job("another", created=later), replace(record, expires=later + timedelta(hours=24)))
        assert job_access.jobs.job("another") is not None

    def test_they_are_listed_page_by_page_the_newest_first(self, job_access: JobAccess) -> None:
        created = [
            job(f"j{at}", "epyx6gxg" if at % 2 else "abcdefgh", created=MOMENT + timedelta(seconds=at // 3))
            for at in range(9)
        ]
        for each in created:
            job_access.jobs.create_job(each)
        order = [f"j{at}" for at in range(8, -1, -1)]
        for client, expected in ((None, order), ("epyx6gxg", order[1::2]), ("none", [])):
            for limit in (1, 2, 9):
                pages: list[list[str]] = []
                after = None
                while True:
                    listed, after = job_access.jobs.list_jobs(client, limit, after)
                    pages.append([each.id for each in listed])
                    if after is None:
                        break
                assert [*chain.from_iterable(pages)] == expected
                assert all(len(page) <= limit for page in pages)

    def test_those_wait_that_have_work_and_no_worker(self, job_access: JobAccess) -> None:
        lease = MOMENT + timedelta(seconds=30)
        jobs = [
            job("b", created=MOMENT + timedelta(seconds=1)),
            job("a", state=RUNNING),
            job("leased", state=RUNNING, lease="t", leased_until=lease),
            *(job(state, state=state) for state in (PREVIEWED, DONE, CANCELLED)),
        ]
        for each in jobs:
            job_access.jobs.create_job(each)

        def waiting(seconds: int, limit: int = 10) -> list[str]:
            return [each.id for each in job_access.jobs.waiting_jobs(MOMENT + timedelta(seconds=seconds), limit)]

        assert waiting(29) == ["a", "b"]
        assert waiting(29, 1) == ["a"]
        assert waiting(30) == ["a", "leased", "b"]
        job_access.jobs.replace_job(replace(jobs[1], state=DONE, revision=2), jobs[1])
        released = replace(jobs[2], lease=None, leased_until=None, revision=2)
        job_access.jobs.replace_job(released, jobs[2])
        assert waiting(0) == ["leased", "b"]


class TestFiles:
    def test_one_is_read_back_from_any_byte(self, job_access: JobAccess) -> None:
        assert job_access.files.write("jobs/é/rows", iter(PIECES), "text/csv") == len(WHOLE)
        assert job_access.files.size("jobs/é/rows") == len(WHOLE)
        for start in (0, 1, 65_535, 65_536, 65_537, 131_072, len(WHOLE) - 1, len(WHOLE)):
            pieces = job_access.files.read("jobs/é/rows", start)
            assert pieces is not None
            assert b"".join(pieces) == WHOLE[start:]

    def test_an_absent_one_has_neither_content_nor_size(self, job_access: JobAccess) -> None:
        assert (job_access.files.read("a"), job_access.files.size("a")) == (None, None)
        job_access.files.delete("a")

    def test_an_empty_one_exists(self, job_access: JobAccess) -> None:
        assert job_access.files.write("a", ()) == 0
        assert (job_access.files.size("a"), b"".join(job_access.files.read("a") or [b"x"])) == (0, b"")

    def test_a_new_content_replaces_the_former_until_it_is_deleted(self, job_access: JobAccess) -> None:
        job_access.files.write("a", [b"x" * 100_000])
        job_access.files.write("a/b", [b"z"])
        job_access.files.write("a", [b"y"])
        assert b"".join(job_access.files.read("a") or ()) == b"y"
        job_access.files.delete("a")
        assert (job_access.files.size("a"), job_access.files.size("a/b")) == (None, 1)

    def test_a_write_that_fails_leaves_the_former_content(self, job_access: JobAccess) -> None:
        def cut_short() -> Iterator[bytes]:
            yield b"y" * 100_000
            raise ConnectionError

        job_access.files.write("a", [b"x"])
        for name in ("a", "b"):
            with pytest.raises(ConnectionError):
                job_access.files.write(name, cut_short())
        assert b"".join(job_access.files.read("a") or ()) == b"x"
        assert job_access.files.size("b") is None

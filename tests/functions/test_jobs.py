"""Bulk jobs through the API: creation, lists, confirmation and cancellation."""

import json
from time import monotonic
from typing import Any

import pytest

from coolid.aws.clock import SystemClock
from coolid.aws.settings import Settings
from coolid.aws.telemetry.metrics import discard_count
from coolid.http.application import Listeners
from coolid.http.management.job_results import ResultFiles
from coolid.http.message import Request
from coolid.model.jobs import DONE, Job, JobRequest
from coolid.store.jobs import MAX_INLINE_BYTES, results_name
from coolid.wiring.job_access import build_job_runner, open_job_access
from coolid.wiring.write_components import WriteComponents
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.fixtures.system import Answer, System
from tests.support.stores.memory_jobs import MemoryFiles

JOBS = "/api/v1/jobs"
MINT = b'{"operation": "mint"}'
ROWS = b"prefix,uri\r\ndemo,https://example.org/1\r\n"


def multipart(job: bytes, rows: bytes | None = None, boundary: str = "x y") -> tuple[list[tuple[str, str]], bytes]:
    """Return the headers and the body of a form with a job and its rows."""
    parts = [("job", "application/json", job), *([("rows", "text/csv", rows)] if rows is not None else ())]
    body = b"".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}.txt"\r\n'
        f"Content-Type: {media_type}\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, media_type, content in parts
    )
    return [("Content-Type", f'multipart/form-data; boundary="{boundary}"')], body + f"--{boundary}--\r\n".encode()


def create(system: System, job: bytes, rows: bytes | None = ROWS, key: str | None = None, **headers: str) -> Answer:
    """Send a new job."""
    sent, body = multipart(job, rows)
    sent += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return system.request("POST", JOBS, headers=sent, body=body, key=key or system.admin_key)


def upload_of(system: System, content: bytes) -> str:
    """Upload a file, and return its id."""
    upload = system.admin("POST", "/api/v1/uploads", {"size": len(content)}).json()["upload"]
    assert system.request("PUT", f"/api/v1/uploads/{upload}", body=content, key=system.admin_key).status == 200
    return str(upload)


def work(system: System) -> None:
    """Carry out all jobs that have work to do."""
    settings = Settings.read(system.environment, writes=True)
    access = open_job_access(settings)
    assert access is not None
    runner = build_job_runner(WriteComponents(settings, Listeners(discard_count, _fail, lambda *_: None)), access)
    while waiting := access.jobs.waiting_jobs(SystemClock().now(), 10):
        for job in waiting:
            runner.run_slice(job.id, monotonic() + 3)


def _fail(error: Exception, _request: Request) -> None:
    raise error


class TestConfirming:
    def test_a_previewed_job_runs_without_its_wrong_rows(self, fresh: System) -> None:
        rows = b"Link\r\nhttps://example.org/1\r\nx\r\nhttps://example.org/2\r\n"
        job = b'{"operation": "mint", "prefix": "demo", "columns": {"Link": "uri"}, "dry_run": true}'
        path = f"{JOBS}/{create(fresh, job, rows).json()['id']}"
        work(fresh)
        previewed = fresh.admin("GET", path).json()
        assert (previewed["state"], previewed["rows"]) == ("previewed", 3)
        assert (previewed["counts"]["valid"], previewed["counts"]["invalid"]) == (2, 1)
        assert previewed["errors"] == [
            {"row": 2, "column": "Link", "reason": "it does not begin with http:// or https://"}
        ]
        started = fresh.admin("POST", f"{path}/run")
        assert (started.status, started.json()["state"]) == (202, "running")
        assert fresh.admin("POST", f"{path}/run").is_problem(409, "wrong-job-state")
        work(fresh)
        done = fresh.admin("GET", path).json()
        assert (done["state"], done["counts"]["succeeded"], done["counts"]["refused"]) == ("done", 2, 1)
        results = fresh.request("GET", f"{path}/results", query="format=jsonl", key=fresh.admin_key)
        found = [json.loads(line) for line in results.content.splitlines()]
        assert [row["status"] for row in found] == ["succeeded", "refused", "succeeded"]
        for row in (found[0], found[2]):
            assert fresh.get(row["pid"].removeprefix(BASE_URL)).headers["location"] == row["Link"]
        assert fresh.admin("DELETE", path).is_problem(409, "wrong-job-state")

    @pytest.mark.parametrize(
        ("accept", "media_type"),
        [
            ("", "text/csv"),
            ("application/x-ndjson", "application/x-ndjson"),
            ("application/jsonl", "application/x-ndjson"),
        ],
    )
    def test_results_have_the_requested_form(self, fresh: System, accept: str, media_type: str) -> None:
        path = f"{JOBS}/{create(fresh, MINT).json()['id']}/results"
        work(fresh)
        headers = [("Accept", accept)] if accept else []
        answer = fresh.request("GET", path, headers=headers, key=fresh.admin_key)
        assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, media_type)
        assert fresh.request("GET", path, query="format=xml", key=fresh.admin_key).is_problem(406, "unknown-format")
        unacceptable = fresh.request("GET", path, headers=[("Accept", "image/png")], key=fresh.admin_key)
        assert unacceptable.is_problem(406, "not-acceptable")

    def test_large_results_are_at_a_url_of_the_storage(self) -> None:
        files = MemoryFiles(has_urls=True)
        job = Job("j", "c", JobRequest("mint"), MOMENT, MOMENT, DONE)
        files.write(results_name("j", "csv"), [b"x" * (MAX_INLINE_BYTES + 1)])
        response = ResultFiles(files).response(job, Request("GET", "/"))
        assert response.status == 303
        assert response.headers["Location"].startswith("https://files.example/jobs/j/results.csv?as=mint-j.csv")


class TestCreating:
    def test_a_job_is_shown_and_listed(self, fresh: System) -> None:
        answer = create(fresh, b'{"operation": "mint", "dry_run": true}')
        assert answer.status == 202, answer.body
        job = answer.json()
        assert answer.headers["location"].endswith(f"{JOBS}/{job['id']}")
        assert (job["state"], job["operation"], job["dry_run"], job["rows"]) == ("validating", "mint", True, None)
        assert fresh.admin("GET", f"{JOBS}/{job['id']}").json() == job
        assert fresh.admin("GET", JOBS).json() == {"jobs": [job], "next": None}

    def test_a_repeated_request_returns_the_first_job(self, fresh: System) -> None:
        first = create(fresh, b'{"operation": "mint"}', Idempotency_Key="k")
        again = create(fresh, b'{ "operation":"mint" }', Idempotency_Key="k")
        assert (again.status, again.json()) == (202, first.json())
        assert create(fresh, b'{"operation": "mint"}', b"uri\r\n", Idempotency_Key="k").is_problem(
            422, "idempotency-key-reused"
        )
        assert len(fresh.admin("GET", JOBS).json()["jobs"]) == 1

    def test_a_repeated_request_may_upload_its_file_again(self, fresh: System) -> None:
        found = set()
        for _ in range(2):
            job = b'{"operation": "mint", "upload": "%s"}' % upload_of(fresh, ROWS).encode()
            found.add(create(fresh, job, None, Idempotency_Key="k").json()["id"])
        assert len(found) == 1

    def test_a_job_works_on_its_file_as_it_was_when_the_job_was_created(self, fresh: System) -> None:
        upload = upload_of(fresh, ROWS)
        created = create(fresh, b'{"operation": "mint", "upload": "%s"}' % upload.encode(), None)
        path = f"{JOBS}/{created.json()['id']}"
        assert fresh.request("PUT", f"/api/v1/uploads/{upload}", body=ROWS * 2, key=fresh.admin_key).status == 200
        work(fresh)
        job = fresh.admin("GET", path).json()
        assert (job["state"], job["rows"]) == ("done", 1)

    @pytest.mark.parametrize(
        ("job", "rows", "pointer"),
        [
            (b'{"operation": "delete"}', ROWS, "/operation"),
            (b'{"operation": "mint", "colour": 1}', ROWS, "/colour"),
            (b'{"operation": "mint"}', None, ""),
            (b'{"operation": "mint", "upload": "abc"}', ROWS, ""),
            (b'{"operation": "mint", "upload": "abc"}', None, "/upload"),
            (b'{"operation": "mint", "columns": {"a": "pid"}}', ROWS, "/columns/a"),
            (b'{"operation": "mint", "columns": {"a": "uri", "b/c": "uri"}}', ROWS, "/columns/b~1c"),
            (b'{"operation": "mint", "rule": {"pattern": "a", "replacement": "b"}}', None, "/rule"),
            (b'{"operation": "retarget", "rule": {"pattern": "a", "replacement": "b"}}', None, "/prefix"),
            (b'{"operation": "retarget", "prefix": "demo", "rule": {"pattern": "a"}}', None, "/rule"),
            (
                b'{"operation": "retarget", "prefix": "demo", "rule": {"pattern": "(", "replacement": ""}}',
                None, "/rule/pattern",
            ),
            (
                b'{"operation": "retarget", "prefix": "demo", "rule": {"pattern": "a", "replacement": "\\\\1"}}',
                None, "/rule/replacement",
            ),
            (
                b'{"operation": "retarget", "prefix": "demo", "rule": {"from": "ftp://a/", "to": "x"}}',
                None, "/rule/from",
            ),
        ],
    )  # fmt: skip
    def test_what_is_wrong_is_pointed_at(self, fresh: System, job: bytes, rows: bytes | None, pointer: str) -> None:
        answer = create(fresh, job, rows)
        assert answer.is_problem(422, "invalid-input"), answer.body
        assert answer.json()["errors"][0]["pointer"] == pointer

    @pytest.mark.parametrize(
        "body",
        [b"", b"--x y--\r\n", b"--x y\r\n\r\n{}\r\n--x y--", b"{}", multipart(b"{")[1], multipart(b"{}")[1][:-8]],
    )
    def test_a_malformed_form_is_refused(self, fresh: System, body: bytes) -> None:
        headers = multipart(b"{}")[0]
        answer = fresh.request("POST", JOBS, headers=headers, body=body, key=fresh.admin_key)
        assert answer.is_problem(400, "malformed-body")

    def test_a_larger_part_is_refused(self, fresh: System) -> None:
        assert create(fresh, b'{"operation": "mint"}', b"x" * 5_000_001).is_problem(413, "body-too-large")


class TestRights:
    def test_a_client_sees_and_changes_its_own_jobs_only(self, fresh: System) -> None:
        one, other = (fresh.key_with(f"mint:{name}") for name in ("demo", "2021/06/demo"))
        assert create(fresh, b'{"operation": "mint", "prefix": "demo"}', key=other).is_problem(403, "forbidden")
        assert create(fresh, b'{"operation": "update", "prefix": "demo"}', key=one).is_problem(403, "forbidden")
        assert create(fresh, b'{"operation": "mint"}', key=fresh.key_with("watch:demo")).is_problem(403, "forbidden")
        job = create(fresh, b'{"operation": "mint", "prefix": "demo"}', key=one).json()
        path = f"{JOBS}/{job['id']}"
        for method, address in (("GET", path), ("DELETE", path), ("POST", f"{path}/run"), ("GET", f"{path}/results")):
            assert fresh.request(method, address, key=other).is_problem(404, "unknown-job")
            assert fresh.request(method, address).is_problem(401, "unauthenticated")
        assert fresh.request("GET", JOBS, key=other).json() == {"jobs": [], "next": None}
        assert [each["id"] for each in fresh.admin("GET", JOBS).json()["jobs"]] == [job["id"]]
        assert fresh.request("DELETE", path, key=one).json()["state"] == "cancelled"

    @pytest.mark.parametrize("path", ["k3x9", "K%20", "k3x9/x", "k3x9/results", ""])
    def test_an_unknown_job_is_absent(self, fresh: System, path: str) -> None:
        assert fresh.admin("GET", f"{JOBS}/{path}").status == 404


def test_states_that_do_not_permit_a_step(fresh: System) -> None:
    job = create(fresh, b'{"operation": "mint"}').json()
    path = f"{JOBS}/{job['id']}"
    for method, address in (("POST", f"{path}/run"), ("GET", f"{path}/results")):
        assert fresh.admin(method, address).is_problem(409, "wrong-job-state")
    cancelled: Any = fresh.admin("DELETE", path).json()
    assert cancelled["state"] == "cancelled"
    assert fresh.admin("DELETE", path).json() == cancelled
    assert fresh.admin("POST", f"{path}/run").is_problem(409, "wrong-job-state")

"""Bulk jobs by both clients: requests, large files, progress and results."""

import asyncio
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

import pytest

import coolid
from coolid.client.bulk_jobs import job_operations
from tests.support.servers.http_server import KEY, SentRequest, host
from tests.support.servers.job_service import JOB, RESULTS, job, job_service

ROWS = b"uri\nhttps://a.example.org/\n"


def parts(sent: SentRequest) -> dict[str, bytes]:
    """The parts of a body by their names."""
    header = f"Content-Type: {sent.headers['content-type']}\r\n\r\n".encode()
    message: Any = BytesParser(policy=HTTP).parsebytes(header + sent.body)
    return {each.get_param("name", header="content-disposition"): each.get_content() for each in message.iter_parts()}


def test_a_file_is_a_part_of_the_request_that_creates_the_job() -> None:
    with job_service(job("validating")) as service, coolid.Client(service.server.url, KEY) as client:
        created = client.jobs.create("mint", ROWS, prefix="demo", columns={"URL": "uri"}, idempotency_key="key-1")
        (sent,) = service.created
    assert (created.id, created.state, created.is_working, created.dry_run) == (JOB, "validating", True, True)
    assert sent.headers["idempotency-key"] == "key-1"
    assert parts(sent) == {
        "job": b'{"operation":"mint","prefix":"demo","columns":{"URL":"uri"}}',
        "rows": ROWS,
    }


def test_a_rule_needs_no_rows() -> None:
    rule = {"from": "https://old.example.org/", "to": "https://new.example.org/"}
    with job_service(job("validating")) as service, coolid.Client(service.server.url, KEY) as client:
        client.jobs.create("retarget", prefix="demo", rule=rule, dry_run=True)
        (sent,) = service.created
    assert sent.json() == {"operation": "retarget", "prefix": "demo", "rule": rule, "dry_run": True}


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_large_file_is_uploaded_first_and_the_key_goes_to_the_service_alone(
    elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_operations, "MAX_PART_BYTES", 10)
    with (
        job_service(job("validating")) as service,
        host(replies=[(200, {}, b"")]) as storage,
        coolid.Client(service.server.url, KEY) as client,
    ):
        service.upload_url = f"{storage.url}/bucket/rows?signature=x" if elsewhere else ""
        client.jobs.create("mint", ROWS)
        begun, *_ = service.server.requests
        (stored,) = storage.requests if elsewhere else service.server.requests[1:2]
    assert begun.json() == {"size": len(ROWS)}
    assert (stored.method, stored.body, stored.headers["content-type"]) == ("PUT", ROWS, "application/octet-stream")
    assert ("authorization" in stored.headers) is not elsewhere
    assert service.created[0].json() == {"operation": "mint", "upload": JOB}


def test_a_file_that_no_service_accepts_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_operations, "MAX_FILE_BYTES", 10)
    with coolid.Client("http://127.0.0.1:1", KEY) as client, pytest.raises(coolid.RefusedByClient, match="larger than"):
        client.jobs.create("mint", ROWS)


@pytest.mark.parametrize("job_id", ["", "../records", "a b", "é"])
def test_an_id_that_is_a_path_is_refused(job_id: str) -> None:
    with coolid.Client("http://127.0.0.1:1", KEY) as client, pytest.raises(coolid.RefusedByClient):
        client.jobs.get(job_id)


def test_a_job_is_followed_until_it_waits_or_ends() -> None:
    waits: list[float] = []
    states = [job("validating"), job("validating", rows=3), job("previewed", rows=3), job("running"), job("done")]
    with job_service(*states) as service, coolid.Client(service.server.url, KEY, wait=waits.append) as client:
        created = client.jobs.create("mint", ROWS)
        seen = [each.state for each in client.jobs.follow(created)]
        ran = [each.state for each in client.jobs.follow(client.jobs.start(JOB))]
    assert (seen, ran) == (["validating", "validating", "previewed"], ["running", "done"])
    assert waits[0] < waits[1]


def test_results_are_fetched_from_elsewhere_without_the_key() -> None:
    with (
        job_service(job("done")) as service,
        host(replies=[(200, {}, RESULTS)]) as storage,
        coolid.Client(service.server.url, KEY) as client,
    ):
        assert client.jobs.results(JOB, "csv") == RESULTS
        service.results = (303, {"Location": f"{storage.url}/file?signature=x"}, b"")
        assert client.jobs.results(JOB) == RESULTS
        asked = [each for each in service.server.requests if "results" in each.target]
        assert "authorization" not in storage.requests[0].headers
    assert [each.target.partition("?")[2] for each in asked] == ["format=csv", ""]
    assert asked[0].headers["accept"] == "text/csv, application/problem+json"


def test_the_asynchronous_client_does_the_same() -> None:
    async def use(url: str) -> list[object]:
        async with coolid.AsyncClient(url, KEY) as client:
            created = await client.jobs.create("withdraw", ROWS)
            seen = [each.state async for each in client.jobs.follow(created)]
            listed = [each.id async for each in client.jobs.list()]
            started, cancelled = await client.jobs.start(JOB), await client.jobs.cancel(JOB)
            found = await client.jobs.get(JOB)
            results = await client.jobs.results(JOB)
            return [seen, listed, started.state, cancelled.state, found.state, results]

    states = [job(each) for each in ("validating", "previewed", "running", "cancelled")]
    with job_service(*states) as service:
        assert asyncio.run(use(service.server.url)) == [
            ["validating", "previewed"], [JOB] * 2, "running", "cancelled", "cancelled", RESULTS
        ]  # fmt: skip

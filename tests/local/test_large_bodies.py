"""Bodies that are too large to hold in memory: uploads of bulk jobs, and their results."""

import http.client
import json
from urllib.parse import urlsplit

import coolid
from coolid.http.management.job_documents import MAX_UPLOAD_BYTES
from coolid.local.server import MAX_BODY_BYTES
from tests.support.servers.coolid_server import Server

ROWS = b"pid\n" + b"x" * (MAX_BODY_BYTES + 1_000) + b"\n"


def begun(server: Server, size: int) -> str:
    """The id of a new upload."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    reply = server.request("POST", "/api/v1/uploads", json.dumps({"size": size}).encode(), headers)
    upload: str = json.loads(reply.body)["upload"]
    return upload


def test_an_upload_may_exceed_the_limit_of_other_bodies(server: Server) -> None:
    path = f"/api/v1/uploads/{begun(server, len(ROWS))}"
    headers = {"Authorization": f"Bearer {server.key}"}
    reply = server.request("PUT", path, ROWS, headers)
    assert (reply.status, json.loads(reply.body)["size"]) == (200, len(ROWS))
    elsewhere = server.request("PUT", "/api/v1/prefixes/demo", ROWS, headers)
    assert elsewhere.status == 413


def test_an_upload_without_a_key_is_refused_before_its_body_is_read(server: Server) -> None:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    connection.putrequest("PUT", f"/api/v1/uploads/{begun(server, 5)}")
    connection.putheader("Content-Length", str(MAX_UPLOAD_BYTES))
    connection.endheaders(b"a part")
    assert connection.getresponse().status == 401
    connection.close()


def test_a_file_of_several_parts_is_carried_out_and_its_results_are_complete(server: Server) -> None:
    """Results are sent in parts, because they may have 100 MB and more."""
    rows = b"uri,what\n" + b"".join(b"https://a.example.org/%d,%s\n" % (n, b"y" * 3_000) for n in range(60))
    with coolid.Client(server.url, server.key) as client:
        job = client.jobs.create("mint", rows, prefix="demo")
        *_, job = client.jobs.follow(job)
        assert (job.state, job.counts.succeeded, job.failure) == ("done", 60, None)
        results = client.jobs.results(job.id, "csv").decode().splitlines()
        assert len(client.jobs.results(job.id, "jsonl").splitlines()) == 60
    assert len(results) == 61
    assert all(line.endswith(",succeeded,") for line in results[1:])

"""The client for JSON of other resolvers, against servers on this machine."""

from time import monotonic

import pytest

from coolid.deadlines import Deadline
from coolid.net.json_client import JsonClient
from tests.support.servers.http_server import host, json, page, raw, to

BASE_URL = "https://id.example.org"
LIMIT = 20_000


def deadline() -> Deadline:
    return Deadline(10, monotonic)


def test_a_request_contains_its_url_and_that_of_this_service_and_nothing_else() -> None:
    with host({"/a%3A1?forward=no": json({"id": 1}, status=410)}) as server:
        client = JsonClient([server.url], BASE_URL, LIMIT)
        status, headers, body = client.get(f"{server.url}/a%3A1?forward=no", deadline())
        assert (status, headers["content-type"].partition(";")[0], body) == (410, "application/json", b'{"id":1}')
        (request,) = server.requests
    assert request.headers.keys() == {"host", "user-agent", "accept", "connection"}
    assert request.headers["accept"] == "application/json"
    assert BASE_URL in request.headers["user-agent"]


def test_redirects_are_not_followed() -> None:
    with host({"/x": to("/y"), "/y": page()}) as server:
        assert JsonClient([server.url], BASE_URL, LIMIT).get(f"{server.url}/x", deadline())[0] in (301, 302, 307)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply", [json({"a": "x" * LIMIT}), raw(b"HTTP/1.1 200 OK\r\n\r\n{"), raw(b"nonsense"), raw(b"")]
)
def test_incomplete_and_oversized_responses_are_failures(reply: object) -> None:
    with host({"/x": reply}) as server, pytest.raises(ConnectionError):  # type: ignore[dict-item]
        JsonClient([server.url], BASE_URL, LIMIT).get(f"{server.url}/x", deadline())


@pytest.mark.parametrize("configured", [[], ["https://a.example/{identifier}"], ["http://10.0.0.1:80"]])
def test_only_configured_addresses_may_be_private(configured: list[str]) -> None:
    with host({"/x": json({})}) as server:
        with pytest.raises(ConnectionError, match="not public"):
            JsonClient(configured, BASE_URL, LIMIT).get(f"{server.url}/x", deadline())
        assert server.requests == []
        assert JsonClient(["http://localhost:8080/"], BASE_URL, LIMIT).get(f"{server.url}/x", deadline())[0] == 200


def test_a_deadline_that_has_passed_is_a_failure() -> None:
    now = iter([0.0, 5.0, 5.0, 5.0, 5.0, 5.0])
    late = Deadline(1, lambda: next(now))
    with host({"/x": json({})}) as server, pytest.raises(ConnectionError):
        JsonClient([server.url], BASE_URL, LIMIT).get(f"{server.url}/x", late)


@pytest.mark.parametrize(
    "url", ["javascript:1", "ftp://a.example/", "https://me:secret@a.example/", "http://a.example:22/"]
)
def test_other_urls_are_not_requested(url: str) -> None:
    with pytest.raises(ConnectionError):
        JsonClient([], BASE_URL, LIMIT).get(url, deadline())

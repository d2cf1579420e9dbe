"""Requests to the services of other operators: statuses are returned, redirects are not followed, all is bounded."""

import pytest

from coolid.errors import OtherServiceUnavailable
from coolid.net.request_target import LOOPBACK
from coolid.net.service_client import HttpServiceClient, networks_of
from tests.support.servers.http_server import host, json, raw, to

BASE_URL = "https://id.example.org"
MOST = 1000


@pytest.fixture
def client() -> HttpServiceClient:
    """A client on this machine."""
    return HttpServiceClient(LOOPBACK, BASE_URL, seconds=2)


@pytest.mark.parametrize("status", [200, 404, 409, 500])
def test_status_and_body_are_returned(status: int, client: HttpServiceClient) -> None:
    with host({"/x": json({"a": 1}, status=status)}) as server:
        assert client.request("POST", f"{server.url}/x", b"{}", MOST) == (status, b'{"a":1}')
        assert server.requests[0].headers["content-type"] == "application/json"
        assert "authorization" not in server.requests[0].headers


def test_a_redirect_is_not_followed(client: HttpServiceClient) -> None:
    with host({"/x": to("/y"), "/y": json({})}) as server:
        assert client.request("GET", f"{server.url}/x", None, MOST)[0] in (301, 302, 303, 307, 308)
        assert server.targets == ["/x"]


@pytest.mark.parametrize("reply", [json({"a": "x" * MOST}), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")])
def test_oversized_and_incomplete_answers_fail(reply: object, client: HttpServiceClient) -> None:
    with host({"/x": reply}) as server, pytest.raises(OtherServiceUnavailable):  # type: ignore[dict-item]
        client.request("GET", f"{server.url}/x", None, MOST)


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1/", "ftp://127.0.0.1/", "https://u:p@127.0.0.1/", "http://127.0.0.1:1/"]
)
def test_unusable_addresses_fail(url: str, client: HttpServiceClient) -> None:
    with pytest.raises(OtherServiceUnavailable):
        client.request("GET", url, None, MOST)


def test_a_public_service_sends_nothing_to_its_own_machine() -> None:
    client = HttpServiceClient(networks_of(BASE_URL, ()), BASE_URL)
    with host({"/x": json({})}) as server:
        with pytest.raises(OtherServiceUnavailable):
            client.request("GET", f"{server.url}/x", None, MOST)
        assert server.requests == []

"""Shared connections, synchronous and asynchronous: what requests have in common, and how faulty hosts end them."""

import asyncio
import gzip
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, create_server

import pytest

from coolid.client.async_connections import AsyncConnections
from coolid.client.connections import Connections
from coolid.client.errors import BadAnswer, ConnectionLost, RefusedByClient, Unreachable
from coolid.client.http_request import MAX_BYTES, HttpAnswer, HttpRequest
from coolid.net.name_resolution import NameResolver
from tests.support.servers.certificates import Authority
from tests.support.servers.http_server import Behaviour, Host, Reply, host, json, page, raw
from tests.support.servers.loopback import loopback_server, nobody
from tests.support.servers.name_server import system_names

Send = Callable[[Sequence[HttpRequest]], list[HttpAnswer]]


def send(requests: Sequence[HttpRequest]) -> list[HttpAnswer]:
    """Send requests one after the other over shared connections."""
    connections = Connections()
    try:
        return [connections.send(request) for request in requests]
    finally:
        connections.close()


def send_async(requests: Sequence[HttpRequest]) -> list[HttpAnswer]:
    async def send_all() -> list[HttpAnswer]:
        connections = AsyncConnections()
        try:
            return [await connections.send(request) for request in requests]
        finally:
            await connections.aclose()

    return asyncio.run(send_all())


@pytest.fixture(params=[send, send_async], ids=["sync", "async"])
def sent(request: pytest.FixtureRequest) -> Send:
    function: Send = request.param
    return function


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        yield running


@pytest.fixture
def ports() -> Iterator[tuple[str, list[int]]]:
    """A server that keeps connections open; the client's port of each request."""
    found: list[int] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        found.append(handler.client_address[1])
        handler.send_response_only(200)
        handler.send_header("Set-Cookie", "a=b; Path=/")
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        handler.wfile.write(b"{}")

    with loopback_server(answer, lasting=True) as port:
        yield f"http://127.0.0.1:{port}/", found


def get(url: str, seconds: float = 5.0) -> HttpRequest:
    return HttpRequest("GET", url, {"Accept": "application/json"}, seconds=seconds)


def test_requests_share_a_connection(sent: Send, ports: tuple[str, list[int]]) -> None:
    url, found = ports
    assert [answer.json() for answer in sent([get(url)] * 3)] == [{}] * 3
    assert (len(found), len(set(found))) == (3, 1)


def test_a_request_that_must_not_be_repeated_has_a_connection_of_its_own(
    sent: Send, ports: tuple[str, list[int]]
) -> None:
    url, found = ports
    sent([get(url), HttpRequest("POST", url, body=b"{}", fresh=True), get(url)])
    first, second, third = found
    assert first == third != second


def test_a_connection_whose_body_was_not_read_is_not_used_again(sent: Send, ports: tuple[str, list[int]]) -> None:
    url, found = ports
    unread = HttpRequest("GET", url, reads_body=lambda answer: False)
    assert [answer.body for answer in sent([unread, unread])] == [b"", b""]
    assert len(set(found)) == 2


def test_an_idle_connection_that_was_closed_is_reported_as_stale(sent: Send) -> None:
    seen: list[int] = []

    def answer_once(handler: BaseHTTPRequestHandler) -> None:
        seen.append(handler.client_address[1])
        handler.close_connection = len(seen) > 1
        if len(seen) == 1:
            handler.send_response_only(200)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

    with loopback_server(answer_once, lasting=True) as port:
        request = get(f"http://127.0.0.1:{port}/")
        with pytest.raises(ConnectionLost) as lost:
            sent([request, request])
        assert (len(seen), len(set(seen)), lost.value.is_stale) == (2, 1, True)
        with pytest.raises(ConnectionLost) as lost:
            sent([request])
        assert not lost.value.is_stale


def test_no_state_passes_from_one_request_to_the_next(
    sent: Send, site: Host, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    site.answers["/"] = (200, {"Set-Cookie": "a=b; Path=/"}, b"")
    first = HttpRequest("GET", f"{site.url}/", {"Authorization": "Bearer x"})
    sent([first, get(f"{site.url}/")])
    assert site.requests[0].headers["authorization"] == "Bearer x"
    assert not site.requests[1].headers.keys() & {"cookie", "authorization", "proxy-authorization", "referer"}


def test_a_response_is_its_status_headers_and_body(sent: Send, site: Host) -> None:
    site.answers["/a?b=c"] = json({"a": 1}, 418)
    (answer,) = sent([get(f"{site.url}/a?b=c#part")])
    assert (answer.status, answer.media_type, answer.json()) == (418, "application/json", {"a": 1})
    assert site.targets == ["/a?b=c"]
    assert site.requests[0].headers["accept"] == "application/json"
    assert site.requests[0].headers["accept-encoding"] == "identity"


def test_a_body_that_is_not_wanted_is_not_read(sent: Send, site: Host) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n")
        while not site.ended.is_set():
            try:
                handler.wfile.write(b"x" * 100_000)
            except OSError:
                return

    site.answers["/"] = endless
    unread = HttpRequest("GET", f"{site.url}/", reads_body=lambda answer: answer.media_type != "application/pdf")
    assert sent([unread])[0].body == b""
    with pytest.raises(BadAnswer, match="larger than"):
        sent([get(f"{site.url}/")])


def test_a_redirect_is_returned_as_received(sent: Send, site: Host) -> None:
    site.answers["/"] = (302, {"Location": "http://["}, b"")
    (answer,) = sent([get(f"{site.url}/")])
    assert (answer.status, answer.headers["location"]) == (302, "http://[")


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["nothing", "header", "body"]
)
def test_the_whole_exchange_is_limited(sent: Send, site: Host, start: bytes) -> None:
    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(start)
        while not site.ended.wait(0.05):
            try:
                handler.wfile.write(b"x" if start else b"")
            except OSError:
                return

    site.answers["/"] = trickle
    with pytest.raises(Unreachable):
        sent([get(f"{site.url}/", seconds=0.3)])


def test_a_host_that_reads_nothing_is_given_up(sent: Send) -> None:
    with create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        with pytest.raises(Unreachable):
            sent([HttpRequest("POST", url, body=b"x" * 30_000_000, seconds=0.3)])


def test_a_handshake_that_never_ends_is_given_up(sent: Send) -> None:
    with create_server(("127.0.0.1", 0)) as silent, pytest.raises(Unreachable):
        sent([get(f"https://127.0.0.1:{silent.getsockname()[1]}/", seconds=0.3)])


BROKEN = [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 999999 \r\n\r\n", b"HTTP/1.1 200 OK\r\n: x\r\n\r\n"]


@pytest.mark.parametrize("reply", [*map(raw, BROKEN), (200, {"Content-Length": "100"}, b"short")])
def test_a_broken_response_is_an_error_after_which_the_next_request_succeeds(
    sent: Send, site: Host, reply: Reply | Behaviour
) -> None:
    site.will(reply, page(b"x"))
    with pytest.raises(ConnectionLost):
        sent([get(f"{site.url}/")])
    assert sent([get(f"{site.url}/")])[0].body == b"x"


def test_a_body_of_exactly_the_limit_is_read(sent: Send, site: Host) -> None:
    site.answers["/"] = page(b"x" * MAX_BYTES)
    site.answers["/more"] = page(b"x" * (MAX_BYTES + 1))
    assert len(sent([get(f"{site.url}/")])[0].body) == MAX_BYTES
    with pytest.raises(BadAnswer, match="larger than"):
        sent([get(f"{site.url}/more")])


def test_a_compressed_body_is_refused_because_none_was_requested(sent: Send, site: Host) -> None:
    site.answers["/"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(b"0" * 1_000_000))
    with pytest.raises(BadAnswer, match="compressed"):
        sent([get(f"{site.url}/")])


@pytest.mark.parametrize("url", ["http://example.org/", "https://me:secret@example.org/", "ftp://127.0.0.1/"])
def test_the_policy_forbids_urls_before_any_request(sent: Send, url: str) -> None:
    with pytest.raises(RefusedByClient):
        sent([get(url)])


def test_a_certificate_must_be_trusted(sent: Send, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    with host({"/": page(b"x")}, authority.vouches("localhost", "127.0.0.1")) as site:
        with pytest.raises(Unreachable, match="certificate"):
            sent([get(f"{site.url}/")])
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert sent([get(f"{site.url}/")])[0].body == b"x"


def test_nobody_is_reached_and_no_proxy_is_used_on_this_machine(sent: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    with host({"/": page()}) as proxy, nobody() as url:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        with pytest.raises(Unreachable):
            sent([get(url)])
        assert proxy.requests == []


def test_certificates_that_cannot_be_read_are_reported(
    sent: Send, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    with pytest.raises(Unreachable):
        sent([get("https://127.0.0.1:1/")])


@pytest.mark.parametrize("url", ["https://" + "a" * 64 + ".invalid/", "https://xn--a.invalid/", "https://127.0.0.1:0/"])
def test_a_host_that_cannot_be_is_not_reached(sent: Send, url: str) -> None:
    with pytest.raises((Unreachable, RefusedByClient)):
        sent([get(url)])


@pytest.mark.parametrize("through", ["no proxy", "a proxy"])
def test_a_name_server_that_does_not_answer_is_not_waited_for(
    sent: Send, monkeypatch: pytest.MonkeyPatch, through: str
) -> None:
    if through == "a proxy":
        monkeypatch.setenv("https_proxy", "http://proxy.example:1")
    with system_names() as names:
        names.stall()
        with pytest.raises(Unreachable):
            sent([get("https://stalled.example/", seconds=0.5)])
        assert names.stalled() == (1, 0)


def test_a_name_with_several_addresses_connects_to_one_that_answers(
    sent: Send, site: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.answers["/"] = page(b"x")
    found = [(AF_INET, SOCK_STREAM, 0, "", (address, site.port)) for address in ("127.0.0.9", "127.0.0.1")]
    monkeypatch.setattr("coolid.client.connections.NAMES", NameResolver(lambda *_: found))
    assert sent([get(f"http://localhost:{site.port}/")])[0].body == b"x"


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": 1, "a": 2}', b"NaN", b"\xff", b"[" * 100_000, b'"\\ud800"'])
def test_what_is_not_sound_json_is_a_bad_answer(body: bytes) -> None:
    with pytest.raises(BadAnswer):
        HttpAnswer("https://id.example.org/", 200, {"content-type": "application/json"}, body).json()

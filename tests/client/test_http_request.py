"""One HTTP request: what it sends and reads, and how it ends with faulty hosts."""

import gzip
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socket import AF_INET, SOCK_STREAM

import pytest

from coolid.client.errors import BadAnswer, RefusedByClient, Unreachable
from coolid.client.http_request import MAX_BYTES
from coolid.client.single_request import get
from coolid.net.name_resolution import NameResolver
from tests.support.servers.certificates import Authority
from tests.support.servers.http_server import Host, host, json, page, raw, to
from tests.support.servers.loopback import nobody
from tests.support.servers.name_server import system_names


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        yield running


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def test_a_response_is_its_status_headers_and_body(site: Host) -> None:
    site.answers["/a?b=c"] = json({"a": 1}, 418)
    answer = get(f"{site.url}/a?b=c#part", accept="application/json")
    assert (answer.status, answer.media_type, answer.json()) == (418, "application/json", {"a": 1})
    assert site.targets == ["/a?b=c"]
    assert site.requests[0].headers["accept"] == "application/json"


def test_no_credentials_and_no_cookies_are_sent(site: Host, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    site.answers["/"] = (200, {"Set-Cookie": "a=b; Path=/"}, b"")
    get(f"{site.url}/")
    get(f"{site.url}/")
    for headers in [request.headers for request in site.requests]:
        assert not headers.keys() & {"cookie", "authorization", "proxy-authorization", "referer"}


def test_loopback_requests_use_no_proxy(site: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    with nobody() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy)
        monkeypatch.setenv("ALL_PROXY", proxy)
        assert get(f"{site.url}/").status == 404


def test_a_redirect_is_returned_as_a_response(site: Host) -> None:
    site.answers["/"] = to("/elsewhere")
    assert get(f"{site.url}/").headers["location"] == "/elsewhere"
    assert site.targets == ["/"]


def test_a_body_that_is_not_wanted_is_not_read(site: Host) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n")
        while not site.ended.is_set():
            try:
                handler.wfile.write(b"x" * 100_000)
            except OSError:
                return

    site.answers["/"] = endless
    assert get(f"{site.url}/", reads_body=lambda answer: answer.media_type != "application/pdf").body == b""
    with pytest.raises(BadAnswer, match="larger than"):
        get(f"{site.url}/")


def test_a_body_of_exactly_the_limit_is_read(site: Host) -> None:
    site.answers["/"] = page(b"x" * MAX_BYTES)
    site.answers["/more"] = page(b"x" * (MAX_BYTES + 1))
    assert len(get(f"{site.url}/").body) == MAX_BYTES
    with pytest.raises(BadAnswer, match="larger than"):
        get(f"{site.url}/more")


def test_a_compressed_body_is_refused_because_none_was_requested(site: Host) -> None:
    site.answers["/"] = (200, {"Content-Encoding": "gzip"}, gzip.compress(b"0" * 10_000_000))
    with pytest.raises(BadAnswer, match="compressed"):
        get(f"{site.url}/")
    assert site.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["nothing", "header", "body"]
)
def test_a_slow_response_times_out(site: Host, start: bytes) -> None:
    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(start)
        while not site.ended.wait(0.05):
            try:
                handler.wfile.write(b"x" if start else b"")
            except OSError:
                return

    site.answers["/"] = trickle
    with pytest.raises(Unreachable, match=r"no whole answer within|no answer in time"):
        get(f"{site.url}/", seconds=0.4)


def test_a_truncated_response_is_an_error(site: Host) -> None:
    site.answers["/"] = (200, {"Content-Length": "100"}, b"short")
    with pytest.raises(Unreachable):
        get(f"{site.url}/")


@pytest.mark.parametrize(
    "answer", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 999999 \r\n\r\n", b"HTTP/1.1 200 OK\r\n: x\r\n\r\n"]
)
def test_a_response_without_http_is_an_error(site: Host, answer: bytes) -> None:
    site.answers["/"] = raw(answer)
    with pytest.raises(Unreachable):
        get(f"{site.url}/")


def test_without_a_listening_server_nobody_is_reached() -> None:
    with nobody() as url, pytest.raises(Unreachable):
        get(url)


@pytest.mark.parametrize("through", ["no proxy", "a proxy"])
def test_a_name_server_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, through: str) -> None:
    if through == "a proxy":
        monkeypatch.setenv("https_proxy", "http://proxy.example:1")
    with system_names() as names:
        names.stall()
        for _ in range(2):
            with pytest.raises(Unreachable, match=r"not resolved in time|no whole answer within"):
                get("https://stalled.example/", seconds=0.05)
        assert names.stalled() == (1, 0)


def test_a_name_with_several_addresses_connects_to_one_that_answers(
    site: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.answers["/"] = page(b"x")
    found = [(AF_INET, SOCK_STREAM, 0, "", (address, site.port)) for address in ("127.0.0.9", "127.0.0.1")]
    monkeypatch.setattr("coolid.client.connections.NAMES", NameResolver(lambda *_: found))
    assert get(f"http://localhost:{site.port}/").body == b"x"


@pytest.mark.parametrize("url", ["https://" + "a" * 64 + ".invalid/", "https://xn--a.invalid/", "https://127.0.0.1:0/"])
def test_a_host_that_cannot_be_is_not_reached(url: str) -> None:
    with pytest.raises((Unreachable, RefusedByClient)):
        get(url)


def test_a_certificate_must_be_trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    with host({"/": page()}, authority.vouches("localhost", "127.0.0.1")) as site:
        with pytest.raises(Unreachable, match="certificate"):
            get(f"{site.url}/")
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert get(f"{site.url}/").status == 200


def test_certificates_that_cannot_be_read_are_reported(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    with pytest.raises(Unreachable):
        get("https://127.0.0.1:1/")


def test_a_handshake_that_never_ends_is_given_up() -> None:
    from socket import create_server

    with create_server(("127.0.0.1", 0)) as silent, pytest.raises(Unreachable):
        get(f"https://127.0.0.1:{silent.getsockname()[1]}/", seconds=0.3)


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": 1, "a": 2}', b"NaN", b"\xff", b"[" * 100_000, b'"\\ud800"'])
def test_what_is_not_sound_json_is_a_bad_answer(site: Host, body: bytes) -> None:
    site.answers["/"] = page(body, "application/json")
    with pytest.raises(BadAnswer):
        get(f"{site.url}/").json()

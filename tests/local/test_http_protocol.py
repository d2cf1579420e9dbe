"""The server's protocol: each target reaches the application as it was sent, or is refused."""

import json
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator
from random import Random
from signal import SIGTERM
from threading import Event, Thread
from urllib.parse import parse_qsl

import pytest

from coolid.http.message import Request, Response
from coolid.local import http_protocol
from coolid.local.http_protocol import MAX_HEAD_BYTES
from coolid.local.server import Server, serve
from coolid.local.shutdown import ShutdownSignals
from tests.support.builders.samples import BASE_URL

HOST = b"Host: x\r\n"
LAST = b"Connection: close\r\n\r\n"


class Served:
    """A running server. `received` has the requests of its application."""

    def __init__(self, listening: socket.socket) -> None:
        self.address = listening.getsockname()
        self.received: list[Request] = []

    def answer(self, request: Request) -> Response:
        self.received.append(request)
        return Response(200, {"Link": f"<{BASE_URL}>"}, "é")

    def send(self, data: bytes) -> bytes:
        """Send bytes; return what comes back until the server closes the connection."""
        with socket.create_connection(self.address, timeout=10) as connection:
            connection.sendall(data)
            return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    listening = socket.create_server(("127.0.0.1", 0))
    served, ready, shutdown = Served(listening), Event(), ShutdownSignals()
    server = Server(served.answer, is_short=lambda request: request.method == "GET")
    thread = Thread(target=serve, args=(server, [listening], ready.set, shutdown))
    thread.start()
    ready.wait(10)
    yield served
    shutdown._receive(SIGTERM, None)
    thread.join(10)


def _random_targets(number: int) -> Iterator[bytes]:
    rng = Random(21)
    for _ in range(number):
        yield b"/" + bytes(rng.choices(range(0x21, 0x7F), k=rng.randrange(16)))


TARGETS = (
    b"/ // ///a /a//b /../a /a/../b /a/./b/ /. /%2F /%252F /%zz /% /%00 /%C3%A9%20%22 /%0d%0aX:1 /a;b=c /a#b /a##b# /#"
    b" /?# /a?b#c /a?b?c /?? /a? /a?? /a?info /a?x=1&y=2&x=%C3%A9&=3&;&z /https://h/ark:/1 /https:///h //host:80/path?q"
    b' /[x] /<x> /"x" /{x} /|^`\\ /a@b /: /a:80 /a+b;c=d&e /~!$&\'()*+,;=:@'
).split()


class TestTargets:
    def test_paths_and_queries_arrive_as_they_were_sent(self, served: Served) -> None:
        long = [b"/" + b"a" * 60_000, b"/x?" + b"q" * 60_000]
        targets = [*TARGETS, *long, *_random_targets(300)]
        served.received.clear()
        requests = [b"GET " + target + b" HTTP/1.1\r\n" + HOST for target in targets]
        with socket.create_connection(served.address, timeout=30) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for request in requests:
                connection.sendall(request[:7])
                connection.sendall(request[7:] + b"\r\n")
                while not connection.recv(65_536).endswith("é".encode()):
                    pass
        assert len(served.received) == len(targets)
        for target, received in zip(targets, served.received, strict=True):
            path, _, query = target.decode().partition("?")
            assert (received.path, received.query) == (path, tuple(parse_qsl(query, keep_blank_values=True)))

    @pytest.mark.parametrize(
        "target",
        [
            b"*",
            b"go:1",
            b"http://h/x",
            b"http://h",
            b"x",
            b"?x",
            b"",
            b"/\xc3\xa9",
            b"/\xff",
            b"/a\x00",
            b"/a\tb",
            b"/a b",
        ],
    )
    def test_others_are_refused(self, served: Served, target: bytes) -> None:
        served.received.clear()
        assert served.send(b"GET " + target + b" HTTP/1.1\r\n" + HOST + LAST).startswith(b"HTTP/1.1 400 ")
        assert served.received == []


class TestHeads:
    @pytest.mark.parametrize(
        "head",
        [
            b"GET /a HTTP/1.1\r\n",
            b"GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n",
            b"GET /a\r\n",
            b"GET /a HTTP/1.1\r\nHost : x\r\n",
            b"GET /a HTTP/1.1\r\nHost: x\r\nX: a\x01\r\n",
            b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n",
            b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        ],
    )
    def test_malformed_ones_are_refused(self, served: Served, head: bytes) -> None:
        served.received.clear()
        assert served.send(head + LAST).startswith(b"HTTP/1.1 400 ")
        assert served.received == []

    @pytest.mark.parametrize(
        ("beginning", "status"),
        [
            (b"BREW /a", b"501"),
            (b"\r\nget /a", b"501"),
            (b"\x16\x03\x01", b"400"),  # TLS
            (b"(GET) /a", b"400"),
            (b"PRI *", b"400"),  # HTTP/2
        ],
    )
    def test_a_method_that_the_parser_does_not_have_is_a_problem(
        self, served: Served, beginning: bytes, status: bytes
    ) -> None:
        answer = served.send(beginning + b" HTTP/1.1\r\n" + HOST + LAST)
        assert answer.startswith(b"HTTP/1.1 " + status)
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"Content-Type: application/problem+json" in head
        assert f"Content-Length: {len(body)}".encode() in head
        assert json.loads(body)["status"] == int(status)

    def test_a_malformed_one_does_not_replace_the_response_to_the_one_before(self, served: Served) -> None:
        one = b"GET /a HTTP/1.1\r\n" + HOST + b"\r\n"
        for complete in (one, one + one):
            answer = served.send(complete + b"BREW / HTTP/1.1\r\n" + HOST + LAST)
            assert answer.count(b"HTTP/1.1 ") == answer.count(b"HTTP/1.1 200 OK") == complete.count(b"GET")

    def test_an_endless_one_is_refused(self, served: Served) -> None:
        served.received.clear()
        begin = b"GET / HTTP/1.1\r\nX: "
        with pytest.raises(ConnectionError):  # closed before all is read
            served.send(begin + b"a" * 100 * MAX_HEAD_BYTES)
        assert served.received == []

    def test_repeated_headers_are_joined(self, served: Served) -> None:
        served.send(b"GET /a HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nX-A: 1\r\naccept: */*\r\n" + LAST)
        assert served.received[-1].headers == {
            "host": "x",
            "accept": "text/html, */*",
            "x-a": "1",
            "connection": "close",
        }


class TestBodies:
    def test_they_are_read_whole(self, served: Served) -> None:
        head = b"PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n" + LAST
        answer = served.send(head + b"2\r\nab\r\n0\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
        assert served.received[-1].body == b"ab"

    def test_trailer_fields_are_no_headers(self, served: Served) -> None:
        head = b"PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n" + LAST
        answer = served.send(head + b"2\r\nab\r\n0\r\nAuthorization: Bearer cool_x\r\nHost: y\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert served.received[-1].headers.keys() == {"host", "transfer-encoding", "trailer", "connection"}
        assert (served.received[-1].headers["host"], served.received[-1].body) == ("x", b"ab")

    @pytest.mark.parametrize("begin", [b"0\r\nX: ", b"2;x="])
    def test_endless_trailers_and_extensions_are_refused(self, served: Served, begin: bytes) -> None:
        served.received.clear()
        head = b"PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + LAST
        with pytest.raises(ConnectionError):  # closed before all is read
            served.send(head + begin + b"a" * 100 * MAX_HEAD_BYTES)
        assert served.received == []

    def test_a_request_to_change_the_protocol_is_answered_as_any_other(self, served: Served) -> None:
        """Java's client, for example, sends it with every first request."""
        upgrade = b"Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\nUpgrade: h2c\r\n"
        served.received.clear()
        post = b"POST /a HTTP/1.1\r\n" + upgrade + b"Content-Length: 22\r\n\r\nGET /smuggled HTTP/1.1"
        get = b"GET /b HTTP/1.1\r\n" + upgrade + b"\r\n"
        answer = served.send(post + get + get + b"GET /c HTTP/1.1\r\n" + HOST + LAST)
        assert answer.count(b"HTTP/1.1 200 OK\r\n") == 4
        assert [request.path for request in served.received] == ["/a", "/b", "/b", "/c"]
        assert served.received[0].body == b"GET /smuggled HTTP/1.1"


class Timeout:
    """Stands in for `ConnectionTimer`. Its time is over as soon as a method named `moment` is called."""

    moment = ""

    def __init__(
        self, loop: AbstractEventLoop, transport: object, flow: object, on_timeout: Callable[[], None]
    ) -> None:
        self._loop, self._on_timeout = loop, on_timeout
        self._call("__init__")

    def await_head(self) -> None:
        self._call("await_head")

    def await_body(self) -> None:
        self._call("await_body")

    def await_nothing(self) -> None:
        self._call("await_nothing")

    def cancel(self) -> None:
        pass

    def _call(self, name: str) -> None:
        if name == self.moment:
            self._loop.call_soon(self._on_timeout)


class TestSlowClients:
    @pytest.mark.parametrize(
        ("moment", "data", "status"),
        [
            ("__init__", b"", b""),
            ("await_head", b"GET /a HTTP/1.1\r\nHost:", b"HTTP/1.1 408 Request Timeout"),
            (
                "await_body",
                b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na",
                b"HTTP/1.1 408 Request Timeout",
            ),
        ],
    )
    def test_an_incomplete_request_ends_when_its_time_is_over(
        self, served: Served, monkeypatch: pytest.MonkeyPatch, moment: str, data: bytes, status: bytes
    ) -> None:
        monkeypatch.setattr(http_protocol, "ConnectionTimer", Timeout)
        monkeypatch.setattr(Timeout, "moment", moment)
        served.received.clear()
        answer = served.send(data)
        assert answer.partition(b"\r\n")[0] == status
        assert served.received == []

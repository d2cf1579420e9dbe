"""A loopback HTTP server with canned responses that records the received requests."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import orjson

from tests.support.servers.loopback import loopback_server

KEY = "cool_epyx6gxg_" + "s" * 43
RECORD = {
    "id": "x",
    "pid": "https://id.example.org/demo/x",
    "version": 1,
    "status": "active",
    "updated": "2025-07-10T14:22:30Z",
    "metadata": {"what": "Spectra"},
    "records": [{"uri": "https://content.example.org/"}],
}
ETAG = '"tag-1"'


Reply = tuple[int, Mapping[str, str], bytes]
Behaviour = Callable[[BaseHTTPRequestHandler], None]

MISSING: Reply = (404, {}, b"")


def page(body: bytes = b"<p>It is here", media_type: str = "text/html") -> Reply:
    return 200, {"Content-Type": media_type}, body


def to(location: str, status: int = 302) -> Reply:
    return status, {"Location": location}, b"a body that nobody needs"


def json(document: Any, status: int = 200, media_type: str = "application/json") -> Reply:
    return status, {"Content-Type": media_type}, orjson.dumps(document)


def raw(sent: bytes) -> Behaviour:
    """Send these bytes, then close the connection."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(sent)

    return answer


def stored(document: Any = RECORD, status: int = 200, etag: str = ETAG) -> Reply:
    return status, {"Content-Type": "application/json", "ETag": etag}, orjson.dumps(document)


def problem(status: int, detail: str = "No", **members: Any) -> Reply:
    headers = {"Content-Type": "application/problem+json"}
    retry = members.pop("retry_after", None)
    document = {"type": "about:blank", "title": "A title", "status": status, "detail": detail, **members}
    return status, headers | ({"Retry-After": str(retry)} if retry is not None else {}), orjson.dumps(document)


@dataclass(frozen=True)
class SentRequest:
    """A received request; `target` is its path with the query, `headers` are by lower-case names."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass
class Host:
    """A running server: its `answers` by target or else the `replies` in order, and the received `requests`."""

    port: int
    scheme: str = "http"
    answers: dict[str, Reply | Behaviour] = field(default_factory=dict)
    replies: list[Reply | Behaviour] = field(default_factory=list)
    requests: list[SentRequest] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def targets(self) -> list[str]:
        return [request.target for request in self.requests]

    def will(self, *replies: Reply | Behaviour) -> None:
        """Send these responses from now on; the last one is repeated."""
        self.replies = list(replies)

    def next_reply(self, target: str) -> Reply | Behaviour:
        if not self.replies:
            return self.answers.get(target, MISSING)
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@contextmanager
def host(
    answers: Mapping[str, Reply | Behaviour] | None = None,
    proof: ssl.SSLContext | None = None,
    *,
    replies: Sequence[Reply | Behaviour] = (),
) -> Iterator[Host]:
    """Run a server on a free port, over TLS if there is a `proof`. Unknown targets are 404."""
    running = Host(0, "https" if proof else "http", dict(answers or {}), list(replies))

    def handle(handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length", "0")))
        running.requests.append(SentRequest(handler.command, handler.path, headers, body))
        give(running.next_reply(handler.path), handler)

    with loopback_server(handle, proof=proof) as running.port:
        try:
            yield running
        finally:
            running.ended.set()


def give(reply: Reply | Behaviour, handler: BaseHTTPRequestHandler) -> None:
    """Answer a request, and close its connection."""
    handler.close_connection = True
    if callable(reply):
        reply(handler)
        return
    status, headers, body = reply
    handler.send_response_only(status)
    for name, value in ({"Content-Length": str(len(body)), "Connection": "close"} | dict(headers)).items():
        handler.send_header(name, value)
    handler.end_headers()
    try:
        handler.wfile.write(body)
    except OSError:  # the client has read enough
        return

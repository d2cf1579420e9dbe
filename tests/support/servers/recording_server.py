"""Answering: a real HTTP server on a free port of the loopback that answers any method, reply after reply."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import orjson

from tests.support.servers.http_hosts import Behaviour, Reply, give, headers_of
from tests.support.servers.loopback import listening

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


def stored(document: Any = RECORD, status: int = 200, etag: str = ETAG) -> Reply:
    return status, {"Content-Type": "application/json", "ETag": etag}, orjson.dumps(document)


def problem(status: int, detail: str = "No", **members: Any) -> Reply:
    headers = {"Content-Type": "application/problem+json"}
    retry = members.pop("retry_after", None)
    document = {"type": "about:blank", "title": "A title", "status": status, "detail": detail, **members}
    return status, headers | ({"Retry-After": str(retry)} if retry is not None else {}), orjson.dumps(document)


@dataclass(frozen=True)
class Asked:
    """A request that came; `headers` by lower-case names."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass
class Answering:
    """A running server: the `replies` that are left, of which the last stays, and what was `asked`."""

    port: int
    replies: list[Reply | Behaviour] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def will(self, *replies: Reply | Behaviour) -> None:
        self.replies = list(replies)

    def next(self) -> Reply | Behaviour:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@contextmanager
def answering(replies: Sequence[Reply | Behaviour] = ()) -> Iterator[Answering]:
    """A server with these replies."""
    running = Answering(0, list(replies))

    def handle(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        running.asked.append(Asked(handler.command, handler.path, headers_of(handler), body))
        give(running.next(), handler)

    with listening(handle) as running.port:
        try:
            yield running
        finally:
            running.ended.set()

"""Answering: a real HTTP server on a free port of the loopback that answers any method, reply after reply."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson

from tests.client.hosts import Behaviour, Reply

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


def _method(running: Answering) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        running.asked.append(Asked(handler.command, handler.path, headers, body))
        handler.close_connection = True
        reply = running.next()
        if callable(reply):
            reply(handler)
            return
        status, told, content = reply
        handler.send_response_only(status)
        for name, value in ({"Content-Length": str(len(content))} | dict(told)).items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            handler.wfile.write(content)
        except OSError:  # the client has seen enough
            return

    return answer


@contextmanager
def answering(replies: Sequence[Reply | Behaviour] = ()) -> Iterator[Answering]:
    """A server with these replies."""
    running = Answering(0, list(replies))
    answer = _method(running)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("do_"):
                raise AttributeError(name)
            return lambda: answer(self)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = False

        def handle_error(self, *_: Any) -> None:
            """A client that goes is no error."""

    server = Quiet(("127.0.0.1", 0), Handler)
    running.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield running
    finally:
        running.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()

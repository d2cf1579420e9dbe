"""The HTTP server: uvicorn, which converts each HTTP request to a `Request` and sends the application's response.

Writes and everything that may take long run in threads. A short read is answered on the event loop, because handing it
to a thread and back takes longer than the read itself.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import parse_qsl
from uuid import uuid4

import uvicorn

from coolid.http.message import Request, Response
from coolid.local.http_protocol import RawTargetProtocol
from coolid.local.shutdown import ShutdownSignals
from coolid.strict_json import dump

MAX_BODY_BYTES: Final = 10_000_000  # the limit of API Gateway
THREADS: Final = 32
_BODILESS: Final = (204, 304)
_BODY_HEADERS: Final = ("content-length", "transfer-encoding")

Answer = Callable[[Request], Response]
IsShort = Callable[[Request], bool]
"""Returns whether a request is answered in a millisecond or two, without waiting for a network."""


def never(_request: Request) -> bool:
    """Return False: every request runs in a thread."""
    return False


class Server:
    """An ASGI application that calls `answer` with every request, on the event loop if `is_short` returns True."""

    def __init__(self, answer: Answer, is_short: IsShort = never) -> None:
        self._answer = answer
        self._is_short = is_short
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request."""
        method, path = scope["method"], scope["raw_path"].decode("latin-1")
        headers = headers_of(scope["headers"])
        body: bytes | None = b""
        if any(name in headers for name in _BODY_HEADERS):
            try:
                body = await _read_body(receive)
            except _CutShortError:
                return
        if body is None:
            await _refuse(send, method, 413, "Request too long")
            return
        if fault := _fault_of(scope["http_version"], path, headers):
            await _refuse(send, method, 400, fault)
            return
        query = query_of(scope["query_string"])
        request = Request(method, path, query, headers, body, str(uuid4()))
        if self._is_short(request):
            response = self._answer(request)
        else:
            response = await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, request)
        await _send(send, method, response)


def _fault_of(version: str, path: str, headers: Mapping[str, str]) -> str:
    """Return what is wrong with a request head that llhttp accepts (RFC 9112, sections 2.3 and 3.2), or nothing."""
    if version not in ("1.0", "1.1"):
        return "The version of HTTP is not supported"
    if version == "1.1" and ("host" not in headers or "," in headers["host"]):
        return "A request has one Host header"
    return "" if path.startswith("/") else "The request target is not a path"


def headers_of(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by lower-case name, repeated ones joined with commas.

    >>> headers_of([(b"accept", b"text/html"), (b"x", b"1"), (b"accept", b"*/*")])
    {'accept': 'text/html, */*', 'x': '1'}
    """
    headers: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def query_of(raw: bytes) -> tuple[tuple[str, str], ...]:
    """Return the decoded parameters in order.

    >>> query_of(b"x=1&y=%C3%A9&x")
    (('x', '1'), ('y', 'é'), ('x', ''))
    """
    return tuple(parse_qsl(raw.decode("latin-1"), keep_blank_values=True)) if raw else ()


def serve(server: Server, sockets: list[Any], ready: Callable[[], None], shutdown: ShutdownSignals) -> None:
    """Serve on sockets that are bound already until one of the `shutdown` signals arrives.

    `ready` is called once requests are accepted. Requests that are running then have 5 seconds to finish.
    """
    config = uvicorn.Config(
        server,
        http=RawTargetProtocol,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    _GracefulServer(config, ready, shutdown).run(sockets=sockets)


class _GracefulServer(uvicorn.Server):
    """Calls `ready` once requests are accepted, and returns after a signal instead of raising it again."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], shutdown: ShutdownSignals) -> None:
        super().__init__(config)
        self._ready = ready
        self._shutdown = shutdown

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with self._shutdown.handled_by(self.handle_exit):
            yield

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


class _CutShortError(Exception):
    """The client disconnected before its request was complete."""


async def _read_body(receive: Any) -> bytes | None:
    """Return the body, or None if it exceeds the limit of API Gateway."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _CutShortError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


async def _refuse(send: Any, method: str, status: int, title: str) -> None:
    """Send an error that API Gateway itself would send, in the form of the stack's gateway responses."""
    body = dump({"type": "about:blank", "title": title, "status": status})
    headers = {"Content-Type": "application/problem+json", "Cache-Control": "no-store"}
    await _send(send, method, Response(status, headers, body))


async def _send(send: Any, method: str, response: Response) -> None:
    body = response.body.encode() if isinstance(response.body, str) else response.body
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
    if method != "HEAD" and response.status not in _BODILESS:
        raw.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": response.status, "headers": raw})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

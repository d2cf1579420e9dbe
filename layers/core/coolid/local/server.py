"""The HTTP server: uvicorn, which converts each HTTP request to a `Request` and sends the application's response.

Writes and everything that may take long run in threads. A short read is answered on the event loop, because handing it
to a thread and back takes longer than the read itself.
"""

import asyncio
import ctypes
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from socket import socket
from time import perf_counter
from typing import Any, Final
from urllib.parse import parse_qsl
from uuid import uuid4

import uvicorn

from coolid.http.errors import MalformedBody
from coolid.http.management.uploads import UPLOADS
from coolid.http.message import Request, Response
from coolid.local.http_protocol import RawTargetProtocol, refusal
from coolid.local.listeners import ErrorLog
from coolid.local.metrics import CONTENT_TYPE, Metrics
from coolid.local.request_threads import Answer, RequestThreads
from coolid.local.shutdown import ShutdownSignals

MAX_BODY_BYTES: Final = 10_000_000
"""The usual limit of a body, which is that of API Gateway."""
FINISH_SECONDS: Final = 30
"""The time limit of requests at the shutdown: more than `coolid.wiring.write_components.REQUEST_SECONDS`."""
_M_ARENA_MAX: Final = -8
"""The number of an option of glibc's `mallopt`."""
_BODILESS: Final = (204, 304)
_UPLOADS: Final = f"{UPLOADS}/".encode()
"""The start of paths whose bodies are received in parts, and may be larger than `MAX_BODY_BYTES`."""
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:/+=-]{1,64}")

AsgiApplication = Callable[[Any, Any, Any], Awaitable[None]]
"""An ASGI application."""
IsShort = Callable[[Request], bool]
"""Returns whether a request is answered within a few milliseconds, without waiting for a network or a lock."""
Observe = Callable[[int, float], None]
"""Receives the status of each response and the seconds that it took."""


def never(_request: Request) -> bool:
    """Return False: every request runs in a thread."""
    return False


class Server:
    """An ASGI application that calls `answer` with every request, on the event loop if `is_short` returns True.

    With `trusts_proxy`, the `X-Request-Id` of a request is its id in logs and problems. A body longer than
    `max_body_bytes` is refused (413).
    """

    def __init__(
        self,
        answer: Answer,
        is_short: IsShort = never,
        observe: Observe | None = None,
        *,
        trusts_proxy: bool = False,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self._answer = answer
        self._is_short = is_short
        self._observe = observe
        self._trusts_proxy = trusts_proxy
        self._max_body_bytes = max_body_bytes
        self._threads = RequestThreads(answer)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request."""
        start = perf_counter()
        headers = headers_of(scope["headers"])
        body: bytes | None = b""
        stream: Iterator[bytes] | None = None
        if scope["method"] == "PUT" and scope["raw_path"].startswith(_UPLOADS):
            stream = _body_parts(receive, asyncio.get_running_loop())
        elif "content-length" in headers or "transfer-encoding" in headers:
            try:
                body = await _read_body(receive, self._max_body_bytes)
            except _CutShortError:
                return
        response = await self._response(scope, headers, body, stream)
        await _send(send, scope["method"], response)
        if self._observe:
            self._observe(response.status, perf_counter() - start)

    async def _response(
        self, scope: Any, headers: dict[str, str], body: bytes | None, stream: Iterator[bytes] | None
    ) -> Response:
        path = scope["raw_path"].decode("latin-1")
        if body is None:
            return refusal(413, "Request too long")
        if fault := _fault_of(scope["http_version"], path, headers):
            return refusal(400, fault)
        query = query_of(scope["query_string"])
        request = Request(scope["method"], path, query, headers, body, self._request_id(headers), stream)
        if self._is_short(request):
            return self._answer(request)
        return await self._threads.answer(request)

    def _request_id(self, headers: Mapping[str, str]) -> str:
        if self._trusts_proxy and _REQUEST_ID.fullmatch(headers.get("x-request-id", "")):
            return headers["x-request-id"]
        return str(uuid4())


def with_metrics(server: Server, metrics: Metrics, port: int) -> AsgiApplication:
    """Return an ASGI application that serves `/metrics` to connections to this port, and everything else on others."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["server"][1] != port:
            await server(scope, receive, send)
        elif scope["raw_path"] == b"/metrics":
            await _send(send, scope["method"], Response(200, {"Content-Type": CONTENT_TYPE}, metrics.text()))
        else:
            await _send(send, scope["method"], refusal(404, "Not found"))

    return application


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


def serve(
    application: AsgiApplication, sockets: Sequence[socket], ready: Callable[[], None], shutdown: ShutdownSignals
) -> None:
    """Serve on listening sockets until one of the `shutdown` signals arrives.

    `ready` is called once requests are accepted. After a signal, requests in progress have `FINISH_SECONDS`.
    """
    logging.basicConfig(handlers=[ErrorLog()])
    _limit_memory_arenas()
    config = uvicorn.Config(
        application,
        http=RawTargetProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,  # nothing uses the client's address
        server_header=False,
        timeout_graceful_shutdown=FINISH_SECONDS,
    )
    _GracefulServer(config, ready, shutdown).run(sockets=list(sockets))


def _limit_memory_arenas() -> None:
    """Let all threads share two arenas of glibc's `malloc`, where this C library is in use.

    With up to eight for each processor, memory takes a fourth more and grows for hours, because each has gaps of its
    own. More arenas save no time, because few threads run at once.
    """
    with suppress(AttributeError, OSError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


class _GracefulServer(uvicorn.Server):
    """Calls `ready` once requests are accepted, and returns after a signal instead of raising it again."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], shutdown: ShutdownSignals) -> None:
        super().__init__(config)
        self._ready = ready
        self._shutdown = shutdown

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with self._shutdown.handled_by(self._begin_exit):
            yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    def _begin_exit(self) -> None:
        self.should_exit = True


class _CutShortError(Exception):
    """The client disconnected before its request was complete."""


async def _read_body(receive: Any, max_bytes: int) -> bytes | None:
    """Return the body, or None if it has more than `max_bytes`."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _CutShortError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > max_bytes:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _body_parts(receive: Any, loop: asyncio.AbstractEventLoop) -> Iterator[bytes]:
    """Yield the parts of a body to a thread as they are received. Raises `MalformedBody` if the client disconnects."""
    while True:
        message = asyncio.run_coroutine_threadsafe(receive(), loop).result()
        if message["type"] == "http.disconnect":
            raise MalformedBody("the body ended early")
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


async def _send_stream(send: Any, parts: Iterator[bytes]) -> None:
    """Send the parts of a body, each of which is read in a thread."""
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body"})


async def _send(send: Any, method: str, response: Response) -> None:
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
    raw += [(b"set-cookie", each.encode("latin-1")) for each in response.cookies]
    has_body = method != "HEAD" and response.status not in _BODILESS
    if response.stream is not None and has_body:
        await send({"type": "http.response.start", "status": response.status, "headers": raw})
        await _send_stream(send, response.stream)
        return
    body = response.body.encode() if isinstance(response.body, str) else response.body
    if has_body:
        raw.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": response.status, "headers": raw})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

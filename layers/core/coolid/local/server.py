"""The HTTP server: uvicorn, with a thread pool that calls a function with each request as an event."""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

import uvicorn

from coolid.local.events import from_answer, to_event
from coolid.local.shutdown import ShutdownSignals

MAX_BODY_BYTES: Final = 10_000_000  # the limit of API Gateway
THREADS: Final = 32
_BODILESS: Final = (204, 304)

Invoke = Callable[[dict[str, Any]], dict[str, Any]]


class Server:
    """An ASGI application that calls `invoke` with every request as an API Gateway event."""

    def __init__(self, invoke: Invoke) -> None:
        self._invoke = invoke
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="function")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one HTTP request."""
        if scope["type"] != "http":
            return
        try:
            body = await _read_body(receive)
        except _CutShortError:
            return
        if body is None:
            await _refuse(send, scope["method"], 413, "Request too long")
            return
        path = scope["raw_path"].decode("latin-1")
        if not path.startswith("/"):
            await _refuse(send, scope["method"], 400, "The request target is not a path")
            return
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        event = to_event(
            scope["method"],
            path,
            scope["query_string"].decode("latin-1"),
            headers=headers,
            body=body,
            request_id=str(uuid4()),
        )
        answer = await asyncio.get_running_loop().run_in_executor(self._threads, self._invoke, event)
        await _send(send, scope["method"], *from_answer(answer))


def serve(invoke: Invoke, host: str, sockets: list[Any], ready: Callable[[], None], shutdown: ShutdownSignals) -> None:
    """Serve on sockets that are bound already until one of the `shutdown` signals arrives.

    `ready` is called once requests are accepted. Requests that are running then have 5 seconds to finish.
    """
    config = uvicorn.Config(
        Server(invoke),
        host=host,
        http="h11",  # does not change the path
        ws="none",
        lifespan="off",
        log_level="warning",
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
    body = json.dumps({"type": "about:blank", "title": title, "status": status}).encode()
    headers = [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]
    await _send(send, method, status, headers, body)


async def _send(send: Any, method: str, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
    if method != "HEAD" and status not in _BODILESS:
        headers = [*headers, ("Content-Length", str(len(body)))]
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

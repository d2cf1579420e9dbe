"""Load on an HTTP server: prepared requests over many connections, each of which sends the next when it has a response.

The client reads only the status and the length of a response, so that it takes a fraction of the server's time.

>>> get("/go:0006915", Accept="*/*")
b'GET /go:0006915 HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAccept: */*\\r\\n\\r\\n'
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, Final

import uvloop
from msgspec import Struct, field

CONNECTIONS: Final = 32
_END: Final = b"\r\n\r\n"
_LENGTH: Final = b"\r\ncontent-length: "
_BODILESS: Final = (204, 304)


class Outcome(Struct):
    """The responses of a load by status, and the seconds that each took."""

    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def rate(self) -> float:
        """Return the responses a second."""
        return len(self.latencies) / self.seconds


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """Return a request with headers whose names have `_` for `-`."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join((*lines, "", "")).encode() + body


def get(path: str, **headers: str) -> bytes:
    """Return a `GET` request."""
    return request("GET", path, b"", **headers)


def load(port: int, requests: Iterable[bytes], connections: int = CONNECTIONS) -> Outcome:
    """Send the requests to a port of this machine. Raises `ConnectionError` if the server closes a connection."""
    return uvloop.run(_load(port, iter(requests), connections))


async def _load(port: int, requests: Iterator[bytes], connections: int) -> Outcome:
    outcome, loop = Outcome(), asyncio.get_running_loop()
    begun = perf_counter()
    opened = [
        (await loop.create_connection(lambda: _Connection(requests, outcome), "127.0.0.1", port))[1]
        for _ in range(connections)
    ]
    await asyncio.gather(*(each.ended for each in opened))
    outcome.seconds = perf_counter() - begun
    return outcome


class _Connection(asyncio.Protocol):
    """One connection: a request, its response, the next request, until there is none."""

    def __init__(self, requests: Iterator[bytes], outcome: Outcome) -> None:
        self._requests = requests
        self._outcome = outcome
        self._received = b""
        self._sent = 0.0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(_END)
        if end < 0:
            return
        status = int(self._received[9:12])
        length = 0 if status in _BODILESS else _length_of(self._received[:end])
        if len(self._received) < end + len(_END) + length:
            return
        self._received = b""
        self._outcome.statuses[status] += 1
        self._outcome.latencies.append(perf_counter() - self._sent)
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(exc or ConnectionError("the server closed the connection"))

    def _next(self) -> None:
        following = next(self._requests, None)
        if following is None:
            self.ended.set_result(None)
            self._transport.close()
            return
        self._sent = perf_counter()
        self._transport.write(following)


def _length_of(head: bytes) -> int:
    """Return the length of the body after a head.

    >>> _length_of(b"HTTP/1.1 200 OK\\r\\ncontent-length: 17\\r\\nvary: Accept")
    17
    """
    return int(head.lower().split(_LENGTH, 1)[1].split(b"\r\n", 1)[0])

"""Connections of the synchronous client: `httpx` with a limit in time for the whole exchange.

`httpx` limits each step, and a step can be one byte. It calls `getaddrinfo`, which has no time limit, and has no
setting for another backend, so `limit_backend` replaces the private `httpcore.NetworkBackend` of each transport. Each
step then has the time that is left of the exchange (`coolid.deadlines`).

>>> send_once(HttpRequest("GET", "http://example.org/"))
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from ssl import SSLContext
from threading import Lock
from time import monotonic
from typing import Any, Final

import httpcore
import httpx

from coolid.client.http_request import BodyBuffer, HttpAnswer, HttpRequest
from coolid.client.httpx_settings import (
    ConnectionTrace,
    ReceivedHeaders,
    client_errors,
    limit_backend,
    pool_of,
    settings,
    timeouts,
)
from coolid.deadlines import Deadline, current_deadline, limited
from coolid.net.name_resolution import AddressInfo, NameResolver, stream_addresses

NAMES: Final[NameResolver[AddressInfo]] = NameResolver(stream_addresses)
"""It caches nothing, because a client runs for a moment, or for days in which addresses change."""

_PIECE: Final = 16_384
"""Bytes of a write, so that a host that reads slowly does not take the whole time for each of many parts."""


class Connections:
    """Connections that requests share, from any thread. They carry no cookies from one request to the next."""

    def __init__(self) -> None:
        self._pools: dict[tuple[str, bool], httpx.Client] = {}
        self._lock = Lock()

    def send(self, request: HttpRequest) -> HttpAnswer:
        """Send a request, once.

        Raises `RefusedByClient`, `Unreachable` or `BadAnswer`, and `ConnectionLost`, a subclass of `Unreachable`, if
        the service may have processed the request.
        """
        if request.fresh:
            return send_once(replace(request, fresh=False))
        target, headers = request.target, request.sent_headers
        trace = ConnectionTrace()
        with client_errors(request.seconds, trace):
            pool = self._pool(target)  # loads certificates, before time is limited
            with limited(Deadline(request.seconds, monotonic)):
                return _exchange(pool, request, target, headers, trace)

    def close(self) -> None:
        """Close all connections. Later requests open new ones."""
        with self._lock:
            pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.close()

    def _pool(self, target: str) -> httpx.Client:
        kind = pool_of(target)
        with self._lock:
            if kind not in self._pools:
                pool = httpx.Client(**settings(*kind), event_hooks={"response": [ReceivedHeaders.hold]})
                limit_backend(pool, httpx.HTTPTransport, LimitedBackend())
                self._pools[kind] = pool
            return self._pools[kind]


def _exchange(
    pool: httpx.Client, request: HttpRequest, target: str, headers: dict[str, str], trace: ConnectionTrace
) -> HttpAnswer:
    with pool.stream(
        request.method,
        target,
        headers=headers,
        content=request.body or None,
        timeout=timeouts(request.seconds),
        extensions={"trace": trace},
    ) as response:
        trace.is_answered = True
        answer = HttpAnswer(request.url, response.status_code, ReceivedHeaders.of(response))
        if not request.wants_body(answer):
            return answer
        body = BodyBuffer(answer.headers, request.max_bytes)
        for part in response.iter_raw():
            body.add(part)
        return replace(answer, body=body.content())


def send_once(request: HttpRequest) -> HttpAnswer:
    """Send a request over a new connection. See `Connections.send`."""
    with closing(Connections()) as connections:
        return connections.send(request)


class LimitedStream(httpcore.NetworkStream):
    """A connection each of whose steps ends with the deadline of the current context."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """See `httpcore.NetworkStream`."""
        return self._stream.read(max_bytes, _shorter(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """See `httpcore.NetworkStream`."""
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], _shorter(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """See `httpcore.NetworkStream`."""
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """See `httpcore.NetworkStream`."""
        seconds = _shorter(timeout, httpcore.ConnectTimeout)
        return LimitedStream(self._stream.start_tls(ssl_context, server_hostname, seconds))

    def get_extra_info(self, info: str) -> Any:
        """See `httpcore.NetworkStream`."""
        return self._stream.get_extra_info(info)


class LimitedBackend(httpcore.SyncBackend):
    """Opens connections that end with the deadline of the current context."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """See `httpcore.NetworkBackend`. Each address gets an equal share of the time after name resolution."""
        seconds = _shorter(timeout, httpcore.ConnectTimeout)
        assert seconds is not None
        end = monotonic() + seconds
        with connect_errors():
            addresses = NAMES.resolve(host, port, seconds)
        failed: httpcore.ConnectError | httpcore.ConnectTimeout = httpcore.ConnectTimeout("no time is left to connect")
        for address, share in shares(addresses, end):
            try:
                return LimitedStream(super().connect_tcp(address, port, share, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


@contextmanager
def connect_errors() -> Iterator[None]:
    """Raise errors of a name resolution as errors of `httpcore`."""
    try:
        yield
    except TimeoutError as error:
        raise httpcore.ConnectTimeout(str(error)) from error
    except (OSError, ValueError) as error:
        raise httpcore.ConnectError(str(error)) from error


def shares(addresses: Sequence[AddressInfo], end: float) -> Iterator[tuple[str, float]]:
    """Yield the hosts of addresses, each with its share of the seconds that are left until the moment `end`."""
    for tried, (*_, address) in enumerate(addresses):
        share = (end - monotonic()) / (len(addresses) - tried)
        if share <= 0:
            return
        yield host_literal(address), share


def host_literal(address: tuple[Any, ...]) -> str:
    """Return the host of a socket address, with the zone of a link-local IPv6 address.

    >>> host_literal(("fe80::1", 80, 0, 2)), host_literal(("127.0.0.1", 80))
    ('fe80::1%2', '127.0.0.1')
    """
    host, zone = str(address[0]), address[3] if len(address) > 3 else 0
    return f"{host}%{zone}" if zone and "%" not in host else host


def _shorter(timeout: float | None, passed: Callable[[str], Exception]) -> float | None:
    """Return the shorter one of a time limit and the time that is left. Raises `passed` if none is left."""
    deadline = current_deadline()
    if deadline is None:
        return timeout
    try:
        left = deadline.remaining_seconds()
    except TimeoutError as error:
        raise passed(str(error)) from error
    return left if timeout is None else min(timeout, left)

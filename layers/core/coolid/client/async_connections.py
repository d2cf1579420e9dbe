"""Connections of the asynchronous client: `httpx` with a limit in time for the whole exchange.

They work with `asyncio` and with `trio`, by `anyio`, on which `httpx` depends.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from ssl import SSLContext
from time import monotonic
from typing import Any, Self, TypeVar

import anyio
import httpcore
import httpx
from anyio.to_thread import run_sync

from coolid.client import connections
from coolid.client.errors import ConnectionLost
from coolid.client.flows import Flow, run_async
from coolid.client.http_request import BodyBuffer, HttpAnswer, HttpRequest
from coolid.client.httpx_settings import (
    ConnectionTrace,
    ReceivedHeaders,
    client_errors,
    limit_backend,
    pool_of,
    settings,
    timeouts,
    too_late,
)

T = TypeVar("T")


class AsyncConnections:
    """Connections that the tasks of one event loop share. They carry no cookies from one request to the next."""

    def __init__(self) -> None:
        self._pools: dict[tuple[str, bool], httpx.AsyncClient] = {}

    async def send(self, request: HttpRequest) -> HttpAnswer:
        """Send a request, once. See `coolid.client.connections.Connections.send`."""
        if request.fresh:
            single = AsyncConnections()
            try:
                return await single.send(replace(request, fresh=False))
            finally:
                await single.aclose()
        target, headers = request.target, request.sent_headers
        trace = ConnectionTrace()
        with client_errors(request.seconds, trace):
            pool = self._pool(target)
            with anyio.move_on_after(request.seconds):
                return await _exchange(pool, request, target, headers, trace)
        raise ConnectionLost(too_late(request.seconds))

    async def aclose(self) -> None:
        """Close all connections. Later requests open new ones."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.aclose()

    def _pool(self, target: str) -> httpx.AsyncClient:
        kind = pool_of(target)
        if kind not in self._pools:
            pool = httpx.AsyncClient(**settings(*kind), event_hooks={"response": [ReceivedHeaders.hold_async]})
            limit_backend(pool, httpx.AsyncHTTPTransport, ResolvingBackend())
            self._pools[kind] = pool
        return self._pools[kind]


async def _exchange(
    pool: httpx.AsyncClient, request: HttpRequest, target: str, headers: dict[str, str], trace: ConnectionTrace
) -> HttpAnswer:
    async with pool.stream(
        request.method,
        target,
        headers=headers,
        content=request.body or None,
        timeout=timeouts(request.seconds),
        extensions={"trace": trace.note},
    ) as response:
        trace.is_answered = True
        answer = HttpAnswer(request.url, response.status_code, ReceivedHeaders.of(response))
        if not request.wants_body(answer):
            return answer
        body = BodyBuffer(answer.headers, request.max_bytes)
        async for part in response.aiter_raw():
            body.add(part)
        return replace(answer, body=body.content())


class ResolvingBackend(httpcore.AnyIOBackend):
    """Resolves names within the time for connecting. The event loop would wait for `getaddrinfo` at its end."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """See `httpcore.AsyncNetworkBackend`. Each address gets an equal share of the time after name resolution."""
        assert timeout is not None
        end = monotonic() + timeout
        with connections.connect_errors():
            addresses = await run_sync(connections.NAMES.resolve, host, port, timeout, abandon_on_cancel=True)
        failed: httpcore.ConnectError | httpcore.ConnectTimeout = httpcore.ConnectTimeout("no time is left to connect")
        for address, share in connections.shares(addresses, end):
            try:
                return ClosingStream(await super().connect_tcp(address, port, share, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


class ClosingStream(httpcore.AsyncNetworkStream):
    """A connection that is closed if the exchange is cancelled during its TLS handshake. httpcore would drop it."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """See `httpcore.AsyncNetworkStream`."""
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """See `httpcore.AsyncNetworkStream`."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """See `httpcore.AsyncNetworkStream`."""
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        """See `httpcore.AsyncNetworkStream`."""
        try:
            return ClosingStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._stream.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        """See `httpcore.AsyncNetworkStream`."""
        return self._stream.get_extra_info(info)


class ParallelFlows:
    """Runs flows from a program without an event loop, at most `parallel` of them at the same time."""

    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._runner = asyncio.Runner()
        self._connections = AsyncConnections()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._connections.aclose())
        self._runner.close()

    def run(self, flows: Iterable[Flow[T]]) -> list[T]:
        """Return the results of flows in their order. Raises the first error of one, and ends the others."""
        return self._runner.run(self._run_all(flows))

    async def _run_all(self, flows: Iterable[Flow[T]]) -> list[T]:
        limit = asyncio.Semaphore(self._parallel)

        async def run_one(flow: Flow[T]) -> T:
            async with limit:
                return await run_async(flow, self._connections.send, asyncio.sleep)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(run_one(flow)) for flow in flows]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

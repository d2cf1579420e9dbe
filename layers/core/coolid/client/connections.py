"""A network backend for `httpx` that limits name resolution and the whole exchange in time.

`httpx` limits each step, and a step can be one byte. It calls `getaddrinfo`, which has no time limit, and has no
setting for another backend, so `LimitedBackend.limit` replaces the private `httpcore.NetworkBackend` of each transport.
"""

import socket
from collections.abc import Iterable
from threading import Timer
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self, cast

import httpcore
import httpx

from coolid.net.name_resolution import AddressInfo, NameResolver, stream_addresses

NAMES: Final[NameResolver[AddressInfo]] = NameResolver(stream_addresses)
"""It caches nothing, because a client runs for a moment, or for days in which addresses change."""


class LimitedBackend(httpcore.SyncBackend):
    """A context that shuts down its connections after `seconds`; then `passed` is true."""

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._sockets: list[socket.socket] = []
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        for each in self._sockets:
            each.close()

    def limit(self, client: httpx.Client) -> httpx.Client:
        """Use this backend in all transports of a client, including those for proxies. Return the client."""
        for transport in (client._transport, *client._mounts.values()):
            if isinstance(transport, httpx.HTTPTransport):
                cast(Any, transport._pool)._network_backend = self
        return client

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """See `httpcore.NetworkBackend`. Each address gets an equal share of the time after name resolution."""
        assert timeout is not None
        end = monotonic() + timeout
        try:
            addresses = NAMES.resolve(host, port, timeout)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except (OSError, ValueError) as error:
            raise httpcore.ConnectError(str(error)) from error
        failed: httpcore.ConnectError | httpcore.ConnectTimeout = httpcore.ConnectTimeout("no time is left to connect")
        for tried, (*_, address) in enumerate(addresses):
            share = (end - monotonic()) / (len(addresses) - tried)
            if share <= 0:
                break
            try:
                stream = super().connect_tcp(_host_literal(address), port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
            else:
                # The duplicate stays valid when TLS wraps the original.
                self._sockets.append(stream.get_extra_info("socket").dup())
                if self.passed:
                    self._end()
                return stream
        raise failed

    def _end(self) -> None:
        self.passed = True
        for each in self._sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:  # the peer closed it
                continue


def _host_literal(address: tuple[Any, ...]) -> str:
    """Return the host of a socket address, with the zone of a link-local IPv6 address."""
    host, zone = str(address[0]), address[3] if len(address) > 3 else 0
    return f"{host}%{zone}" if zone and "%" not in host else host

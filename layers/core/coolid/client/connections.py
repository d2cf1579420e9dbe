"""A network backend for `httpx` with a time limit for name resolution.

`httpx` calls `getaddrinfo`, which has no time limit, and has no setting for another backend. `limit_name_resolution`
therefore replaces the private `httpcore.NetworkBackend` of each transport.
"""

from collections.abc import Iterable
from time import monotonic
from typing import Any, Final, cast

import httpcore
import httpx

from coolid.net.name_resolution import AddressInfo, NameResolver, stream_addresses

NAMES: Final[NameResolver[AddressInfo]] = NameResolver(stream_addresses)
"""It caches nothing, because a client runs for a moment, or for days in which addresses change."""


class DeadlineBackend(httpcore.SyncBackend):
    """Resolves a name and connects to one of its addresses; the connect timeout covers both."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """See `httpcore.NetworkBackend`. Each address gets an equal share of the remaining time."""
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
                return super().connect_tcp(_host_literal(address), port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


def limit_name_resolution(client: httpx.Client) -> httpx.Client:
    """Limit the time for name resolution in all transports of a client, including those for proxies. Return it."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx.HTTPTransport):
            cast(Any, transport._pool)._network_backend = DeadlineBackend()
    return client


def _host_literal(address: tuple[Any, ...]) -> str:
    """Return the host of a socket address, with the zone of a link-local IPv6 address."""
    host, zone = str(address[0]), address[3] if len(address) > 3 else 0
    return f"{host}%{zone}" if zone and "%" not in host else host

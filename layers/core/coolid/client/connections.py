"""Connections for `httpx`, which resolves names as `getaddrinfo` does: without a limit of time.

`bound` gives the transports of an `httpx.Client` a network backend (`httpcore.NetworkBackend`) that resolves names in
time. `httpx` has no setting for it, so it is put where a transport keeps its own.
"""

from collections.abc import Iterable
from time import monotonic
from typing import Any, Final, cast

import httpcore
import httpx

from coolid.net.name_resolution import AddressInfo, NameResolver, stream_addresses

NAMES: Final[NameResolver[AddressInfo]] = NameResolver(stream_addresses)
"""Nothing is reused: a client runs for a moment, or for days between which addresses change."""


class TimelyBackend(httpcore.SyncBackend):
    """Resolves a name and connects to one of its addresses, within the time for connecting as a whole."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """As `httpcore.NetworkBackend`; each address gets its share of the time that is left."""
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
                return super().connect_tcp(_literal(address), port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


def bound(client: httpx.Client) -> httpx.Client:
    """Return the client after letting all its transports, those by proxies among them, resolve names in time."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx.HTTPTransport):
            cast(Any, transport._pool)._network_backend = TimelyBackend()
    return client


def _literal(address: tuple[Any, ...]) -> str:
    """A socket address as a host, with the zone of a link-local IPv6 address."""
    host, zone = str(address[0]), address[3] if len(address) > 3 else 0
    return f"{host}%{zone}" if zone and "%" not in host else host

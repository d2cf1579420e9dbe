"""Connections to hosts whose addresses the address policy allows.

Each connection looks its host name up once and checks all addresses. It connects to one of these addresses, not to the
name, so that a later change of the name has no effect (DNS rebinding). One forbidden address forbids the whole name: a
name with a public and a private address is an attack, which makes the client fall back to the second, or a mistake.

Proxies of the environment are not used, because they would look the name up again.
"""

import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from coolid.deadlines import Deadline
from coolid.model.check_state import BUSY
from coolid.net.address_policy import Address, AddressPolicy
from coolid.net.failures import NOT_PUBLIC, RequestFailed, RequestRefused, failure
from coolid.net.name_resolution import NameResolver, stream_addresses
from coolid.net.request_target import RequestTarget
from coolid.net.tcp_stream import connect_to_first, open_socket

Resolve = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host name, in the order to try them. Raises `OSError`, `ValueError`."""
Connect = Callable[[Address, int, float], socket.socket]
"""Connects to a port of an address within seconds. Raises `OSError`."""

MAX_ADDRESSES_TRIED: Final = 4
MAX_LOOK_UPS: Final = 16
"""Name look-ups in progress in one process, including those whose caller has given up."""


class GuardedConnector:
    """Connects within a `policy`. Tests can replace `resolve`, `connect` and the TLS context `trust`."""

    def __init__(
        self,
        policy: AddressPolicy,
        resolve: Resolve | None = None,
        connect: Connect | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = NameResolver(resolve) if resolve else _NAMES
        self._connect = connect or open_connection
        self._trust = trust

    def open(self, target: RequestTarget, deadline: Deadline) -> socket.socket:
        """Return a connection, for https with verified TLS. Raises `RequestFailed`, `RequestRefused` (forbidden)."""
        addresses = self._addresses(target, deadline)
        if not all(self._policy.allows(address) for address in addresses):
            raise RequestRefused(NOT_PUBLIC)
        try:
            connection = self._connect_to_first(addresses[:MAX_ADDRESSES_TRIED], target.port, deadline)
            return self._start_tls(connection, target.host, deadline) if target.secure else connection
        except OSError as error:
            raise failure(error) from error

    def _addresses(self, target: RequestTarget, deadline: Deadline) -> Sequence[Address]:
        literal = target.address
        if literal is not None:
            return [literal]
        try:
            found = self._resolver.resolve(target.host, target.port, deadline.remaining_seconds())
            # An address that cannot be parsed raises ValueError, because no policy could be applied to it.
            addresses = [ip_address(address) for address in dict.fromkeys(found)]
        except TimeoutError:
            raise RequestFailed("its host name cannot be looked up in time", BUSY) from None
        except OSError as error:
            raise failure(error) from error
        except ValueError:
            raise RequestRefused("its host name is invalid") from None
        if not addresses:
            raise RequestFailed("its host name has no address")
        return addresses

    def _connect_to_first(self, addresses: Sequence[Address], port: int, deadline: Deadline) -> socket.socket:
        """Connect to the first address that accepts. Raises the first error that says something about the host."""
        errors: list[OSError] = []

        def connect(address: Address, seconds: float) -> socket.socket:
            try:
                return _require_peer(self._connect(address, port, seconds), address)
            except OSError as error:
                errors.append(error)
                raise

        try:
            return connect_to_first(addresses, connect, deadline.remaining_seconds)
        except OSError as error:
            raise next((each for each in errors if failure(each).verdict != BUSY), error) from None

    def _start_tls(self, connection: socket.socket, host: str, deadline: Deadline) -> socket.socket:
        try:
            connection.settimeout(deadline.remaining_seconds())  # for the whole handshake
            # As bytes, because the idna codec refuses some ASCII names that exist.
            trust = self._trust or system_trust()
            return trust.wrap_socket(connection, server_hostname=host.removesuffix(".").encode())
        except OSError:  # before ValueError, because SSLCertVerificationError is both
            connection.close()
            raise
        except ValueError:
            connection.close()
            raise ssl.SSLError("no name that a certificate could have") from None


@cache
def system_trust() -> ssl.SSLContext:
    """Return the TLS context with the system's certificates, which verifies names. Cached, because loading is slow."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _require_peer(connection: socket.socket, address: Address) -> socket.socket:
    """Return a connection that leads to the address; else close it and raise `ConnectionError`."""
    with suppress(OSError):  # the peer may have closed the connection already
        if ip_address(connection.getpeername()[0]) == address:
            return connection
    connection.close()
    raise ConnectionError("the connection leads to another address")


def resolve_host(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host from the system's resolver, with their zones, which the policy refuses."""
    found = stream_addresses(host, port)
    return [str(each[0]) + (f"%{each[3]}" if len(each) > 3 and each[3] else "") for *_, each in found]


_NAMES: Final = NameResolver(resolve_host, threads=MAX_LOOK_UPS)
"""The resolver of this process. It never reuses addresses, because they may no longer be the host's."""


def open_connection(address: Address, port: int, seconds: float) -> socket.socket:
    """Return a TCP connection to an address."""
    family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
    return open_socket(family, (str(address), port), seconds, socket.socket)

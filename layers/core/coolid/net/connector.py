"""Dialling: a connection to a place, by an address that was judged.

A name is looked up once for a connection. All its addresses are judged, and the connection is made to one of these
very addresses, not to the name: whatever the name resolves to a moment later does not matter (DNS rebinding). Where one
of the addresses is forbidden, the whole name is: a name that has a public and a private address is either an attack
(the client is to take the second when the first fails) or a mistake, and does not work for everybody.

Proxies that an environment names are not gone by: they would look the name up again.
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

Resolve = Callable[[str, int], Sequence[str]]
"""The addresses of a host name, in the order to try them. Raises `OSError`, `ValueError`."""
Connect = Callable[[Address, int, float], socket.socket]
"""A connection to a port of an address, within seconds. Raises `OSError`."""

MOST_TRIED: Final = 4
"""Addresses of a name."""
MOST_LOOK_UPS: Final = 16
"""Look-ups of a process that may be in progress, those that can no longer come in time among them."""


class GuardedConnector:
    """Connects within a `reach`. `resolve`, `connect` and the settings of TLS can be others, for tests."""

    def __init__(
        self,
        reach: AddressPolicy,
        resolve: Resolve | None = None,
        connect: Connect | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self._reach = reach
        self._names = NameResolver(resolve) if resolve else _NAMES
        self._connect = connect or open_connection
        self._trust = trust

    def open(self, place: RequestTarget, deadline: Deadline) -> socket.socket:
        """A connection to ask by; with TLS, its certificate and name verified, where the URL says https.

        Raises `RequestFailed`, `RequestRefused` if there is an address that is not to be reached.
        """
        addresses = self._addresses(place, deadline)
        if not all(self._reach.allows(address) for address in addresses):
            raise RequestRefused(NOT_PUBLIC)
        try:
            connection = self._connected(addresses[:MOST_TRIED], place.port, deadline)
            return self._secured(connection, place.host, deadline) if place.secure else connection
        except OSError as error:
            raise failure(error) from error

    def _addresses(self, place: RequestTarget, deadline: Deadline) -> Sequence[Address]:
        literal = place.address
        if literal is not None:
            return [literal]
        try:
            found = self._names.resolve(place.host, place.port, deadline.left())
            # One that cannot be read is none that could be judged.
            addresses = [ip_address(address) for address in dict.fromkeys(found)]
        except TimeoutError:
            raise RequestFailed("its host name cannot be looked up in time", BUSY) from None
        except OSError as error:
            raise failure(error) from error
        except ValueError:
            raise RequestRefused("its host name is none that could be looked up") from None
        if not addresses:
            raise RequestFailed("its host name has no address")
        return addresses

    def _connected(self, addresses: Sequence[Address], port: int, deadline: Deadline) -> socket.socket:
        """To the first that answers; each gets its share of the time that is left."""
        refused: OSError | None = None
        for tried, address in enumerate(addresses):
            try:
                connection = self._connect(address, port, deadline.left() / (len(addresses) - tried))
            except OSError as error:
                if refused is None or failure(refused).verdict == BUSY:  # else it tells more than this one
                    refused = error
                continue
            with suppress(OSError):  # of one that has gone already
                if ip_address(connection.getpeername()[0]) == address:
                    return connection
            connection.close()
            refused = ConnectionError("it is not whom we connected to")
        assert refused is not None
        raise refused

    def _secured(self, connection: socket.socket, host: str, deadline: Deadline) -> socket.socket:
        try:
            connection.settimeout(deadline.left())  # holds for the handshake as a whole
            # As bytes: names are ASCII by now, and other codecs would refuse some that exist.
            trust = self._trust or system_trust()
            return trust.wrap_socket(connection, server_hostname=host.removesuffix(".").encode())
        except OSError:  # a certificate that is refused is a ValueError, too
            connection.close()
            raise
        except ValueError:
            connection.close()
            raise ssl.SSLError("no name that a certificate could have") from None


@cache
def system_trust() -> ssl.SSLContext:
    """What the system trusts; names are verified. To read that takes a while, and it is the same for a process."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    context.load_default_certs()
    return context


def resolve_host(host: str, port: int) -> Sequence[str]:
    """As the system resolves it; an address with a zone keeps that, to be refused."""
    found = stream_addresses(host, port)
    return [str(where[0]) + (f"%{where[3]}" if len(where) > 3 and where[3] else "") for *_, where in found]


_NAMES: Final = NameResolver(resolve_host, threads=MOST_LOOK_UPS)
"""The resolver of this process. It never reuses addresses, because they may no longer be the host's."""


def open_connection(address: Address, port: int, seconds: float) -> socket.socket:
    """By TCP."""
    connecting = socket.socket(socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET)
    try:
        connecting.settimeout(seconds)
        connecting.connect((str(address), port))
    except OSError:
        connecting.close()
        raise
    return connecting

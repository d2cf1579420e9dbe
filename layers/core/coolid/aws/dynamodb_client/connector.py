"""Dialling: getting a line to a server, in the time that there is."""

import socket
from time import monotonic

from msgspec import Struct, field

from coolid.aws.clock import monotonic_seconds
from coolid.aws.dynamodb_client.endpoints import Endpoint
from coolid.aws.dynamodb_client.tcp_stream import ByteStream, TcpStream
from coolid.aws.dynamodb_client.trust_store import TrustStore
from coolid.net.name_resolution import REUSE, AddressInfo, NameResolver, stream_addresses


def service_names() -> NameResolver[AddressInfo]:
    """A resolver for the hosts of AWS's services, whose earlier addresses stay usable for a while.

    TLS verifies the server, so an address that has passed on to another service is refused.
    """
    return NameResolver(stream_addresses, reuse=REUSE, clock=monotonic_seconds())


class Connector(Struct, frozen=True):
    """Gets lines; `connect` is how many seconds name resolution and TCP may take, and TLS as many."""

    connect: float
    trust: TrustStore
    names: NameResolver[AddressInfo] = field(default_factory=service_names)

    def open(self, endpoint: Endpoint, deadline: float) -> ByteStream:
        """A line that is ready, before the monotonic clock says so. Raises `OSError`."""
        if not endpoint.secure:
            return TcpStream(self._reach(endpoint, deadline))
        from coolid.aws.dynamodb_client.tls_stream import open_tls_stream  # which takes a while to import

        return open_tls_stream(
            lambda: self._reach(endpoint, deadline), endpoint.host, self.trust, self.connect, deadline
        )

    def _reach(self, endpoint: Endpoint, deadline: float) -> socket.socket:
        """A TCP connection to the first address that answers; each gets its share of the time that is left."""
        deadline = min(deadline, monotonic() + self.connect)
        addresses = self.names.resolve(endpoint.host, endpoint.port, deadline - monotonic())
        refused: OSError = TimeoutError("no time is left to connect")
        for tried, (family, kind, protocol, _, address) in enumerate(addresses):
            share = (deadline - monotonic()) / (len(addresses) - tried)
            if share <= 0:
                break
            connecting = socket.socket(family, kind, protocol)
            try:
                connecting.settimeout(share)
                connecting.connect(address)
                connecting.setblocking(True)
                connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connecting
            except OSError as error:
                connecting.close()
                refused = error
        raise refused

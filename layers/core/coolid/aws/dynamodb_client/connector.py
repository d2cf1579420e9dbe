"""The connector, which opens TCP and TLS streams to a server before a deadline."""

import socket
from time import monotonic

from msgspec import Struct, field

from coolid.aws.clock import monotonic_seconds
from coolid.aws.dynamodb_client.endpoints import Endpoint
from coolid.aws.dynamodb_client.tcp_stream import ByteStream, TcpStream
from coolid.aws.dynamodb_client.trust_store import TrustStore
from coolid.net.name_resolution import REUSE_SECONDS, AddressInfo, NameResolver, stream_addresses


def service_names() -> NameResolver[AddressInfo]:
    """Return a resolver for the host names of AWS services. It reuses earlier addresses for a while.

    This is safe because TLS verification rejects an address that now belongs to another service.
    """
    return NameResolver(stream_addresses, reuse=REUSE_SECONDS, clock=monotonic_seconds())


class Connector(Struct, frozen=True):
    """Opens streams. `connect_seconds` limits name resolution and TCP together, and then the TLS handshake."""

    connect_seconds: float
    trust: TrustStore
    names: NameResolver[AddressInfo] = field(default_factory=service_names)

    def open(self, endpoint: Endpoint, deadline: float) -> ByteStream:
        """Return a connected stream before `deadline`, a time of the monotonic clock. Raises `OSError`."""
        if not endpoint.secure:
            return TcpStream(self._connect(endpoint, deadline))
        from coolid.aws.dynamodb_client.tls_stream import open_tls_stream  # slow to import

        return open_tls_stream(
            lambda: self._connect(endpoint, deadline), endpoint.host, self.trust, self.connect_seconds, deadline
        )

    def _connect(self, endpoint: Endpoint, deadline: float) -> socket.socket:
        """Return a TCP connection to the first address that accepts. Each gets a share of the remaining time."""
        deadline = min(deadline, monotonic() + self.connect_seconds)
        addresses = self.names.resolve(endpoint.host, endpoint.port, deadline - monotonic())
        failure: OSError = TimeoutError("no time is left to connect")
        for position, (family, kind, protocol, _, address) in enumerate(addresses):
            share = (deadline - monotonic()) / (len(addresses) - position)
            if share <= 0:
                break
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(share)
                connection.connect(address)
                connection.setblocking(True)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection
            except OSError as error:
                connection.close()
                failure = error
        raise failure

"""The connector, which opens TCP and TLS streams to AWS servers before a deadline."""

from socket import socket
from time import monotonic

from msgspec import Struct, field

from coolid.aws.clock import monotonic_seconds
from coolid.aws.dynamodb_client.endpoints import Endpoint
from coolid.aws.dynamodb_client.trust_store import TrustStore
from coolid.net.name_resolution import REUSE_SECONDS, AddressInfo, NameResolver, stream_addresses
from coolid.net.tcp_stream import ByteStream, TcpStream, connect_to_first, open_socket


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
        """Return a connected stream before `deadline`, a monotonic time, by the first trust that fits, or `OSError`."""
        if not endpoint.secure:
            return self._connect(endpoint, deadline)
        from ssl import SSLCertVerificationError  # slow to import

        from coolid.net.tls_stream import TlsStream

        failure = OSError("no trust setting")
        for context in self.trust.contexts(endpoint.host):
            plain = self._connect(endpoint, deadline)
            try:
                stream = TlsStream(plain, context, endpoint.host)
                stream.handshake(min(deadline, monotonic() + self.connect_seconds))
                return stream
            except SSLCertVerificationError as error:
                failure = error
                plain.close()
            except BaseException:
                plain.close()
                raise
        raise failure

    def _connect(self, endpoint: Endpoint, deadline: float) -> TcpStream:
        deadline = min(deadline, monotonic() + self.connect_seconds)
        addresses = self.names.resolve(endpoint.host, endpoint.port, deadline - monotonic())

        def connect(address: AddressInfo, seconds: float) -> socket:
            return open_socket(address[0], address[4], seconds)

        return TcpStream(connect_to_first(addresses, connect, lambda: deadline - monotonic()))

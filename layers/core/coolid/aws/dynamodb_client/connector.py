"""The connector, which opens TCP and TLS streams to AWS servers before a deadline.

Loading the system's certificates takes longer than the rest of a first request. AWS servers therefore are verified
with Amazon's few roots first (`amazon-roots.pem`), and with the system's certificates if that fails. `AWS_CA_BUNDLE`
replaces both, as in boto3.

Source of the roots: "Amazon Trust Services", https://www.amazontrust.com/repository/.
"""

from _socket import socket
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from coolid.aws.clock import monotonic_seconds
from coolid.aws.dynamodb_client.endpoints import AWS_DOMAINS, Endpoint
from coolid.net.name_resolution import REUSE_SECONDS, AddressInfo, NameResolver, stream_addresses
from coolid.net.tcp_stream import ByteStream, TcpStream, connect_to_first, open_socket

if TYPE_CHECKING:
    from _ssl import _SSLContext

AMAZON_ROOTS: Final = f"{__file__.rpartition('/')[0]}/amazon-roots.pem"
_BUNDLES: Final = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE")  # boto3 reads both


class TrustStore:
    """TLS contexts, created on first use. `bundle` is a PEM file that replaces the default certificates."""

    def __init__(self, bundle: str | None = None) -> None:
        self._bundle = bundle
        self._contexts: dict[str | None, _SSLContext] = {}

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "TrustStore":
        """Return the trust store that the environment configures."""
        return cls(next((environment[name] for name in _BUNDLES if environment.get(name)), None))

    def contexts(self, host: str) -> "Iterator[_SSLContext]":
        """Yield the contexts to try for a host, in order, until one accepts its certificate.

        Each context verifies certificates and host names. Raises `OSError` for an unreadable bundle.
        """
        if self._bundle is None and host.endswith(AWS_DOMAINS):
            yield self._context(AMAZON_ROOTS)
        yield self._context(self._bundle)

    def _context(self, file: str | None) -> "_SSLContext":
        """Return a context with the certificates of a file, or of the system."""
        context = self._contexts.get(file)
        if context is None:
            from coolid.net.tls_stream import tls_context  # loads OpenSSL, which plain HTTP does not need

            context = self._contexts[file] = tls_context(file)
        return context


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
        from _ssl import SSLCertVerificationError  # slow to import, because it loads OpenSSL

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
            return open_socket(address[0], address[4], seconds, socket)

        return TcpStream(connect_to_first(addresses, connect, lambda: deadline - monotonic()))

"""Securing: a line behind TLS (RFC 8446), with certificates and names verified.

OpenSSL deals with bytes in memory alone: what came is received with one call, where over a socket of its own it would
make four.
"""

from collections.abc import Callable
from socket import socket
from ssl import MemoryBIO, SSLCertVerificationError, SSLContext, SSLWantReadError
from time import monotonic

from coolid.aws.dynamodb_client.tcp_stream import AT_ONCE, ByteStream, TcpStream
from coolid.aws.dynamodb_client.trust_store import TrustStore


class TlsStream:
    """A `ByteStream` over another one."""

    def __init__(self, line: ByteStream, context: SSLContext, host: str) -> None:
        self._line = line
        self._incoming = MemoryBIO()
        self._outgoing = MemoryBIO()
        name = host.encode()  # as bytes: see `dialling`
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self.limit = line.limit
        self.close = line.close

    def handshake(self, deadline: float) -> None:
        """Agree upon keys. Raises `OSError`, a certificate's being refused among them."""
        while True:
            try:
                self._tls.do_handshake()
            except SSLWantReadError:
                self._flush()
                self._await(deadline)
            else:
                self._flush()
                return

    def send(self, data: bytes) -> None:
        """As of `ByteStream`."""
        self._tls.write(data)
        self._line.send(self._outgoing.read())

    def receive(self) -> bytes | None:
        """As of `ByteStream`; the end may come without a word, for answers tell their lengths."""
        if not self._incoming.pending:
            came = self._line.receive()
            if not came:
                return b""
            self._incoming.write(came)
        try:
            return self._tls.read(AT_ONCE)
        except SSLWantReadError:  # a ticket, or not all of a record
            return None

    def has_pending_data(self) -> bool:
        """As of `ByteStream`; tickets and new keys are nothing that is said."""
        try:
            if self._line.has_pending_data():
                came = self._line.receive()
                if not came:
                    return True
                self._incoming.write(came)
            if self._incoming.pending:
                self._tls.read(1)
                return True
        except SSLWantReadError:
            return False
        except OSError:
            return True
        return False

    def _await(self, deadline: float) -> None:
        left = deadline - monotonic()
        if left <= 0:
            raise TimeoutError("TLS takes too long")
        self._line.limit(left)
        came = self._line.receive()
        if came:
            self._incoming.write(came)
        else:
            self._incoming.write_eof()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._line.send(self._outgoing.read())


def open_tls_stream(
    reach: Callable[[], socket], host: str, trust: TrustStore, seconds: float, deadline: float
) -> ByteStream:
    """A secured line over a connection that `reach` makes, or over another if that server is not believed at first.

    Raises `OSError`.
    """
    refused: OSError | None = None
    for context in trust.contexts(host):
        plain = TcpStream(reach())
        try:
            line = TlsStream(plain, context, host)
            line.handshake(min(deadline, monotonic() + seconds))
            return line
        except SSLCertVerificationError as error:
            refused = error
            plain.close()
        except BaseException:
            plain.close()
            raise
    assert refused is not None
    raise refused

"""A byte stream over TLS (RFC 8446) that verifies certificates and host names.

OpenSSL reads from memory, which takes one system call for a receive. Over a socket it would take four.

`_ssl` is the compiled part of Python's `ssl`, whose import takes a tenth of a cold start (decision 15).
"""

from _ssl import PROTOCOL_TLS_CLIENT, MemoryBIO, PROTO_TLSv1_2, SSLWantReadError, _SSLContext
from time import monotonic
from typing import TYPE_CHECKING, Final

from coolid.net.tcp_stream import MAX_READ_BYTES, ByteStream

if TYPE_CHECKING:
    from ssl import SSLObject

_RECORD_BYTES: Final = 16_384
"""The largest record (RFC 8446, section 5.1), of which one call returns one. Python reserves as much for each call."""


class TlsStream:
    """A `ByteStream` over another stream."""

    def __init__(self, stream: ByteStream, context: _SSLContext, host: str) -> None:
        self._stream = stream
        self._incoming = MemoryBIO()
        self._outgoing = MemoryBIO()
        wrap = context._wrap_bio  # type: ignore[attr-defined]
        self._tls: SSLObject = wrap(self._incoming, self._outgoing, server_side=False, server_hostname=host)
        self.limit = stream.limit
        self.close = stream.close

    def handshake(self, deadline: float) -> None:
        """Perform the TLS handshake. Raises `OSError`, also for a rejected certificate."""
        while True:
            try:
                self._tls.do_handshake()
            except SSLWantReadError:
                self._flush()
                self._receive_more(deadline)
            else:
                self._flush()
                return

    def send(self, data: bytes) -> None:
        self._tls.write(data)
        self._stream.send(self._outgoing.read())

    def receive(self, max_bytes: int) -> bytes | None:
        """See `ByteStream.receive`. An end without a TLS alert is accepted, because responses state their length."""
        if not self._incoming.pending:
            data = self._stream.receive(MAX_READ_BYTES)
            if not data:
                return b""
            self._incoming.write(data)
        try:
            return self._tls.read(min(max_bytes, _RECORD_BYTES))
        except SSLWantReadError:  # a session ticket, or part of a record
            return None

    def has_pending_data(self) -> bool:
        """See `ByteStream.has_pending_data`. Session tickets and key updates do not count."""
        try:
            if self._stream.has_pending_data():
                data = self._stream.receive(MAX_READ_BYTES)
                if not data:
                    return True
                self._incoming.write(data)
            if self._incoming.pending:
                self._tls.read(1)
                return True
        except SSLWantReadError:
            return False
        except OSError:
            return True
        return False

    def _receive_more(self, deadline: float) -> None:
        seconds = deadline - monotonic()
        if seconds <= 0:
            raise TimeoutError("TLS takes too long")
        self._stream.limit(seconds)
        data = self._stream.receive(MAX_READ_BYTES)
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._stream.send(self._outgoing.read())


def tls_context(file: str | None = None) -> _SSLContext:
    """Return a context that verifies certificates and host names, with the certificates of a file, or of the system."""
    context = _SSLContext(PROTOCOL_TLS_CLIENT)
    context.minimum_version = PROTO_TLSv1_2
    if file is None:
        context.set_default_verify_paths()
    else:
        context.load_verify_locations(file)
    return context

"""The protocol of byte streams to a server, and its implementation over TCP. See `tls_stream` for TLS.

The kernel enforces the timeouts (`SO_RCVTIMEO`). Python's own timeouts would need four system calls instead of two.
"""

import socket
from select import POLLIN, poll
from struct import pack
from typing import Final, Protocol

MAX_READ_BYTES: Final = 65_536
"""The most bytes that one call reads."""
_MIN_SECONDS: Final = 0.001  # the kernel takes 0 as no limit


class ByteStream(Protocol):
    """A connection to a server. All methods but `has_pending_data` and `close` raise `OSError`."""

    def limit(self, seconds: float) -> None:
        """Set the timeout for later calls."""
        ...

    def send(self, data: bytes) -> None:
        """Send all of the data."""
        ...

    def receive(self) -> bytes | None:
        """Return the next bytes, no bytes at the end, or None if they cannot be decrypted yet."""
        ...

    def has_pending_data(self) -> bool:
        """Return whether data or the end of the stream has arrived."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class TcpStream:
    """A `ByteStream` over TCP."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self.send = connected.sendall
        self.close = connected.close
        poller = poll()
        poller.register(connected, POLLIN)
        self._poll = poller.poll

    def limit(self, seconds: float) -> None:
        """See `ByteStream.limit`."""
        whole, part = divmod(round(max(seconds, _MIN_SECONDS) * 1e6), 1_000_000)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, pack("ll", whole, part))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, pack("ll", whole, part))

    def receive(self) -> bytes:
        """See `ByteStream.receive`."""
        try:
            return self._socket.recv(MAX_READ_BYTES)
        except BlockingIOError:
            raise TimeoutError("nothing came in time") from None

    def has_pending_data(self) -> bool:
        """See `ByteStream.has_pending_data`."""
        return bool(self._poll(0))

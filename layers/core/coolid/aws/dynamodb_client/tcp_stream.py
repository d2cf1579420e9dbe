"""Lines: ways to a server and back. A plain one is over TCP; `coolid.aws.dynamodb_client.tls_stream` has one behind TLS.

The kernel itself minds how long is waited: to ask it before each call, as Python's timeouts do, would make four calls
of two.
"""

import socket
from select import POLLIN, poll
from struct import pack
from typing import Final, Protocol

AT_ONCE: Final = 65_536
"""Bytes that are read at once, at most."""
_LEAST: Final = 0.001  # to the kernel, 0 means for ever


class ByteStream(Protocol):
    """A way to a server and back. All but `has_pending_data` and `close` raise `OSError`."""

    def limit(self, seconds: float) -> None:
        """From now on, wait no longer for what is received."""
        ...

    def send(self, data: bytes) -> None:
        """Send all of it."""
        ...

    def receive(self) -> bytes | None:
        """Something that came; nothing at the end, None if it is not known yet what it is."""
        ...

    def has_pending_data(self) -> bool:
        """Whether something came that nobody has asked for, the end perhaps."""
        ...

    def close(self) -> None:
        """It is over."""
        ...


class TcpStream:
    """A `ByteStream` over TCP."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self.send = connected.sendall
        self.close = connected.close
        watching = poll()
        watching.register(connected, POLLIN)
        self._poll = watching.poll

    def limit(self, seconds: float) -> None:
        """As of `ByteStream`."""
        whole, part = divmod(round(max(seconds, _LEAST) * 1e6), 1_000_000)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, pack("ll", whole, part))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, pack("ll", whole, part))

    def receive(self) -> bytes:
        """As of `ByteStream`."""
        try:
            return self._socket.recv(AT_ONCE)
        except BlockingIOError:
            raise TimeoutError("nothing came in time") from None

    def has_pending_data(self) -> bool:
        """As of `ByteStream`."""
        return bool(self._poll(0))

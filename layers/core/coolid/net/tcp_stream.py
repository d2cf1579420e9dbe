"""Byte streams over sockets, and the choice among a host's addresses. See `tls_stream` for TLS.

`_socket` is the compiled part of Python's `socket`, whose import takes a tenth of a cold start (decision 15).
"""

import _socket
from collections.abc import Callable, Iterable, Sequence
from select import POLLIN, poll
from struct import pack
from typing import Any, Final, Protocol, TypeVar

Address = TypeVar("Address")
Connection = TypeVar("Connection")
Socket = TypeVar("Socket", bound=_socket.socket)

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

    def receive(self, max_bytes: int) -> bytes | None:
        """Return the next bytes, no bytes at the end, or None if they cannot be decrypted yet."""
        ...

    def has_pending_data(self) -> bool:
        """Return whether data or the end of the stream has arrived."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class SocketStream:
    """A `ByteStream` over a connected socket of any kind, with Python's timeouts."""

    def __init__(self, connected: _socket.socket) -> None:
        self._socket = connected
        self.limit = connected.settimeout
        self.send = connected.sendall
        self.close = connected.close

    def receive(self, max_bytes: int) -> bytes:
        return self._socket.recv(min(max_bytes, MAX_READ_BYTES))

    def has_pending_data(self) -> bool:
        poller = poll()
        poller.register(self._socket, POLLIN)
        return bool(poller.poll(0))


class TcpStream:
    """A `ByteStream` over TCP whose timeouts the kernel keeps, with half the system calls of Python's own."""

    def __init__(self, connected: _socket.socket) -> None:
        connected.setblocking(True)
        connected.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        self._socket = connected
        self.send = connected.sendall
        self.close = connected.close
        poller = poll()
        poller.register(connected, POLLIN)
        self._poll = poller.poll

    def limit(self, seconds: float) -> None:
        whole, part = divmod(round(max(seconds, _MIN_SECONDS) * 1e6), 1_000_000)
        self._socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, pack("ll", whole, part))
        self._socket.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDTIMEO, pack("ll", whole, part))

    def receive(self, max_bytes: int) -> bytes:
        try:
            return self._socket.recv(min(max_bytes, MAX_READ_BYTES))
        except BlockingIOError:
            raise TimeoutError("nothing came in time") from None

    def has_pending_data(self) -> bool:
        return bool(self._poll(0))


def connect_to_first(
    addresses: Sequence[Address],
    connect: Callable[[Address, float], Connection],
    time_left: Callable[[], float],
) -> Connection:
    """Return the connection to the first address that accepts. Each gets an equal share of the remaining time.

    `connect` opens a connection within seconds; `time_left` returns seconds. Raises the last `OSError`.
    """
    failure = OSError("the host has no address")
    for position, address in enumerate(addresses):
        try:
            seconds = time_left()
            if seconds <= 0:
                raise TimeoutError("there is no time left")
            return connect(address, seconds / (len(addresses) - position))
        except OSError as error:
            failure = error
    raise failure


def open_socket(
    family: int,
    address: Any,
    seconds: float,
    kind: type[Socket],
    options: Iterable[tuple[int, int, int | bytes]] = (),
) -> Socket:
    """Return a socket of a class, connected over TCP within seconds. Raises `OSError`."""
    connection = kind(family, _socket.SOCK_STREAM)
    try:
        for option in options:
            connection.setsockopt(*option)
        connection.settimeout(seconds)
        connection.connect(address)
    except BaseException:
        connection.close()
        raise
    return connection

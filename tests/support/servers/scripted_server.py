"""A loopback server that sends the bytes of a script on each connection."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from zlib import crc32

import orjson


class Connection:
    """A connection of a client; `number` is the number of earlier connections."""

    def __init__(self, connected: socket.socket, number: int) -> None:
        self.number = number
        self._socket = connected
        self._read = connected.makefile("rb")

    def request(self) -> tuple[bytes, dict[str, str], Any]:
        """Return the first line of the next request, its headers by lower-case names, and its document.

        Raises `OSError` at the end.
        """
        first = self._read.readline()
        if not first:
            raise ConnectionResetError
        headers: dict[str, str] = {}
        while line := self._read.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        body = self._read.read(int(headers.get("content-length", 0)))
        return first.strip(), headers, orjson.loads(body) if body else None

    def say(self, *parts: bytes) -> None:
        """Send each part separately."""
        for part in parts:
            self._socket.sendall(part)

    def say_plainly(self, *parts: bytes) -> None:
        """Send each part without TLS."""
        for part in parts:
            socket.socket.sendall(self._socket, part)

    def wait(self) -> None:
        """Send nothing until the client closes the connection."""
        while self._socket.recv(65_536):
            pass

    def leave(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._read.close()
        self._socket.close()


Script = Callable[[Connection], None]


def holding(item: dict[str, Any]) -> dict[str, Any]:
    """Return DynamoDB's GetItem response with this item."""
    return {"Item": item, "ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}}


def answer(document: Any, status: bytes = b"200 OK", *headers: bytes, checked: bool = True) -> bytes:
    """Return a response of DynamoDB."""
    body = document if isinstance(document, bytes) else orjson.dumps(document)
    returned = [b"HTTP/1.1 " + status, b"Content-Type: application/x-amz-json-1.0", b"Content-Length: %d" % len(body)]
    if checked:
        returned.append(b"x-amz-crc32: %d" % crc32(body))
    return b"\r\n".join([*returned, *headers, b"", body])


class _Server:
    """Handles each connection in a thread of its own."""

    def __init__(self, script: Script, proof: ssl.SSLContext | None) -> None:
        self._script = script
        self._proof = proof
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._socket.getsockname()
        self._visitors: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._ending = socket.socket()
        self._ending.bind(("127.0.0.1", 0))
        self._serving = threading.Thread(target=self._serve, args=(self._ending.getsockname(),))
        self._serving.start()

    def _serve(self, last: tuple[str, int]) -> None:
        """Serve each connection until the one from the address `last`."""
        while True:
            connected, address = self._socket.accept()
            if address == last:
                connected.close()
                return
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._visitors.append(connected)
            thread = threading.Thread(target=self._attend, args=(connected, len(self._threads)), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _attend(self, connected: socket.socket, number: int) -> None:
        with suppress(OSError):
            if self._proof:
                connected = self._proof.wrap_socket(connected, server_side=True)
                self._visitors.append(connected)
            connection = Connection(connected, number)
            try:
                self._script(connection)
            finally:
                connection.leave()

    def end(self) -> None:
        """Serve the connections that were made before, then close all connections and wait for their threads."""
        with self._ending:
            self._ending.connect(self.address)
            self._serving.join()
        self._socket.close()
        for connected in self._visitors:
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for connected in self._visitors:
            connected.close()


@contextmanager
def scripted_server(script: Script, proof: ssl.SSLContext | None = None) -> Iterator[int]:
    """Run a server that calls this function for each connection, in a thread of its own, and then closes it.

    Return its port. With `proof` it uses TLS.
    """
    server = _Server(script, proof)
    try:
        yield server.address[1]
    finally:
        server.end()


def repeat(*parts: bytes) -> Script:
    """Send the same parts for every request."""

    def script(connection: Connection) -> None:
        while True:
            connection.request()
            connection.say(*parts)

    return script


@contextmanager
def silent() -> Iterator[int]:
    """Reserve a port that neither accepts nor refuses connections. Return its number."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        waiting = []
        for _ in range(4):  # more than the queue holds
            connecting = socket.socket()
            connecting.setblocking(False)
            connecting.connect_ex(server.getsockname())
            waiting.append(connecting)
        try:
            yield server.getsockname()[1]
        finally:
            for connecting in waiting:
                connecting.close()

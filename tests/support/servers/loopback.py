"""The HTTP server of all tests: on a free loopback port, in threads of this process.

`http.server` polls for its end; here a last connection ends it at once. Those that were made before are served.
"""

import ssl
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from typing import Any

Handle = Callable[[BaseHTTPRequestHandler], None]


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Ignore clients that disconnect."""

    def serve_until(self, last: tuple[str, int]) -> None:
        """Serve each connection until the one from the address `last`."""
        while True:
            try:
                connection, address = self.get_request()
            except OSError:  # the client has disconnected
                continue
            if address == last:
                connection.close()
                return
            self.process_request(connection, address)


def _handler(handle: Handle, methods: Collection[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = (
            True  # send bodies without waiting for the acknowledgement of the headers, which takes 40 ms
        )

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("do_") or (methods and name.removeprefix("do_") not in methods):
                raise AttributeError(name)
            return lambda: handle(self)

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    return Handler


@contextmanager
def loopback_server(
    handle: Handle, *methods: str, proof: ssl.SSLContext | None = None, lasting: bool = False
) -> Iterator[int]:
    """Run a server that passes requests to `handle`, or only those with these methods. Return its port.

    With `proof` it uses TLS. At the end it waits for all responses, except on `lasting` connections, which only clients
    close.
    """
    server = _Server(("127.0.0.1", 0), _handler(handle, methods))
    server.daemon_threads = lasting
    port = server.server_address[1]
    if proof:
        server.socket = proof.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with socket() as ending:
        ending.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.serve_until, args=(ending.getsockname(),))
        thread.start()
        try:
            yield port
        finally:
            ending.connect(("127.0.0.1", port))
            thread.join()
            server.server_close()


@contextmanager
def nobody() -> Iterator[str]:
    """Return the URL of a loopback port that is reserved, so that no server listens there."""
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"

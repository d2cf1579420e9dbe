"""The one HTTP server of the tests: on a free loopback port, in threads of this process.

`http.server` polls for its end; here a last connection ends it at once.
"""

import ssl
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import create_connection, socket
from typing import Any

Handle = Callable[[BaseHTTPRequestHandler], None]


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """A client that goes is no error."""

    def serve_until(self, over: threading.Event) -> None:
        """Serve each connection until one comes after `over` is set."""
        while True:
            try:
                connection, address = self.get_request()
            except OSError:  # whoever came has gone
                continue
            if over.is_set():
                connection.close()
                return
            self.process_request(connection, address)


def _handler(handle: Handle, methods: Collection[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body does not wait for word that its headers have come: 40 ms each time

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("do_") or (methods and name.removeprefix("do_") not in methods):
                raise AttributeError(name)
            return lambda: handle(self)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    return Handler


@contextmanager
def loopback_server(
    handle: Handle, *methods: str, proof: ssl.SSLContext | None = None, lasting: bool = False
) -> Iterator[int]:
    """A server that gives each request to `handle`, or only those of these methods; its port.

    With `proof` it speaks TLS. At the end all answers are waited for, but where connections are `lasting`, which only
    their clients end.
    """
    server = _Server(("127.0.0.1", 0), _handler(handle, methods))
    server.daemon_threads = lasting
    port = server.server_address[1]
    if proof:
        server.socket = proof.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    over = threading.Event()
    thread = threading.Thread(target=server.serve_until, args=(over,))
    thread.start()
    try:
        yield port
    finally:
        over.set()
        with create_connection(("127.0.0.1", port)):
            thread.join()
        server.server_close()


@contextmanager
def nobody() -> Iterator[str]:
    """The URL of a loopback port that is taken, so that nobody listens there."""
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"

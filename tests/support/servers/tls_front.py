"""A TLS server with any name before a service on loopback, which clients reach as their HTTP proxy.

Clients of a fixed host, such as `ezid.cdlib.org`, then need no change: `https_proxy` leads them here, `SSL_CERT_FILE`
and `CURL_CA_BUNDLE` name the authority of the certificate. Every tunnel (RFC 9110, 9.3.6) ends at the service.
"""

import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.servers.certificates import Authority

LOOPBACK = "127.0.0.1"
_CHUNK = 65_536


@contextmanager
def tls_front(folder: Path, host: str, port: int) -> Iterator[dict[str, str]]:
    """Serve TLS as `host` before the service on a port. Yield the environment variables for clients."""
    authority = Authority(folder)
    context = authority.vouches(host)
    with socket.create_server((LOOPBACK, 0)) as listener, ThreadPoolExecutor(16) as pool:
        pool.submit(_accept, listener, _Front(context, f"https://{host}/".encode(), port), pool)
        front = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        trust = str(authority.file)
        try:
            yield {"https_proxy": front, "SSL_CERT_FILE": trust, "CURL_CA_BUNDLE": trust}
        finally:
            listener.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True)
class _Front:
    context: ssl.SSLContext
    base: bytes
    port: int


def _accept(listener: socket.socket, front: _Front, pool: ThreadPoolExecutor) -> None:
    with suppress(OSError):  # when the listener is shut down
        while True:
            connection, _ = listener.accept()
            pool.submit(_tunnel, connection, front)


def _tunnel(connection: socket.socket, front: _Front) -> None:
    """Answer a request for a tunnel, and forward what arrives until a side closes its connection.

    urllib repeats a request through a tunnel with the whole URL as its target. As from nginx, only the path goes on.
    """
    connection.settimeout(60)
    with connection, socket.create_connection((LOOPBACK, front.port), timeout=60) as service, suppress(OSError):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += connection.recv(1)
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with front.context.wrap_socket(connection, server_side=True) as client, ThreadPoolExecutor(1) as back:
            back.submit(_forward, service, client)
            service.sendall(client.recv(_CHUNK).replace(b" " + front.base, b" /", 1))
            _forward(client, service)


def _forward(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(_CHUNK):
            target.sendall(content)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)

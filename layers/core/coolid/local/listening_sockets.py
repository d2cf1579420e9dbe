"""The addresses that the service listens on, and the URL under which clients reach it.

>>> split_address("9100"), split_address("192.0.2.1:9100"), split_address("[::1]:9100")
(('127.0.0.1', 9100), ('192.0.2.1', 9100), ('::1', 9100))
"""

import socket
from ipaddress import ip_address
from typing import Final

from coolid.aws.settings import require_base_url
from coolid.errors import UsageError

LOOPBACK: Final = "127.0.0.1"
_MAX_PORT: Final = 65_535


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the first address of a host. Raises `UsageError`."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = found[0]
        # With the explicit protocol, asyncio sets TCP_NODELAY; otherwise each small answer is delayed by 40 ms.
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        reason = f"cannot listen on {host}, port {port}: {error.strerror}"
        raise UsageError(f"{reason}. Choose another with --host, --port or --metrics") from error
    return listening


def public_base_url(host: str, port: int, base_url: str | None) -> str:
    """Return the base URL of all absolute URLs: `base_url`, or the URL of a loopback address. Raises `UsageError`.

    >>> public_base_url("127.0.0.1", 8080, None), public_base_url("::1", 8080, None)
    ('http://127.0.0.1:8080', 'http://localhost:8080')
    """
    if base_url is not None:
        return require_base_url("--base-url", base_url)
    if not is_loopback(host):
        raise UsageError(
            f"other machines can reach {host}, so the service needs the URL that clients use: "
            "--base-url https://id.example.org. All identifiers and proofs begin with it, and requests cannot change it"
        )
    return f"http://{'localhost' if ':' in host else host}:{port}"


def address_of(listening: socket.socket) -> str:
    """Return the address of a socket as in a URL, such as `127.0.0.1:8080` or `[::1]:8080`."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::"), is_loopback("example.org")
    (True, True, False, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def split_address(text: str) -> tuple[str, int]:
    """Return the host and port of `PORT`, which is on loopback, or `HOST:PORT`. Raises `UsageError`."""
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > _MAX_PORT:
        raise UsageError(f"{text} is not an address such as 9100 or 192.0.2.1:9100")
    return host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port)

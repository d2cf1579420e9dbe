"""One HTTP/1.1 request and the head of its response (RFC 9112).

The connection ends after the response. By default only its head is read. Nothing is decompressed.

>>> from coolid.net.request_target import parse_target
>>> encode_request("HEAD", parse_target("https://example.org:8443/a?b"), {"Accept": "*/*"}).splitlines()
[b'HEAD /a?b HTTP/1.1', b'Host: example.org:8443', b'Accept: */*', b'Connection: close', b'']
"""

import re
import socket
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from coolid.deadlines import Deadline
from coolid.net.failures import RequestFailed, failure
from coolid.net.http_connection import BrokenResponse, HttpConnection
from coolid.net.request_target import RequestTarget
from coolid.net.tcp_stream import SocketStream

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\t -~]*")
_RESERVED_HEADERS: Final = frozenset({"host", "connection", "content-length", "transfer-encoding"})


class ResponseHead(Struct, frozen=True):
    """A status and headers, whose names are in lower case; of several with one name, the first. A body if requested."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


def encode_request(method: str, target: RequestTarget, headers: Mapping[str, str], body: bytes | None = None) -> bytes:
    """Return a complete request. Raises `ValueError` for headers that are malformed or reserved for the connection."""
    lines = [f"{method} {target.path_and_query} HTTP/1.1", f"Host: {target.authority}"]
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value) or name.lower() in _RESERVED_HEADERS:
            raise ValueError(f"a header that cannot be sent: {name!r}")
        lines.append(f"{name}: {value}")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    lines += ["Connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii") + (body or b"")


def exchange(
    connection: socket.socket, request_bytes: bytes, deadline: Deadline, max_response_bytes: int = 0
) -> ResponseHead:
    """Send a request and return the head of its response, with its body if `max_response_bytes` allow one.

    Raises `RequestFailed`. The caller closes the connection.
    """
    try:
        stream = SocketStream(connection)
        http = (
            HttpConnection(stream, max_response_bytes=max_response_bytes)
            if max_response_bytes
            else (HttpConnection(stream, lenient=True))
        )
        response = http.exchange(request_bytes, deadline.remaining_seconds())
    except BrokenResponse as error:
        cause = error.__cause__
        raise failure(cause) if isinstance(cause, OSError) else RequestFailed(str(error)) from error
    except OSError as error:
        raise failure(error) from error
    headers: dict[str, str] = {}
    for name, value in response.headers:
        text = value.decode("latin-1").strip(" \t")  # spaces are not part of the value (RFC 9110 section 5.5)
        headers.setdefault(name.decode("latin-1").lower(), text)
    return ResponseHead(response.status, headers, response.body)

"""One HTTP/1.1 request and the head of its response (RFC 9112).

The connection ends after the head, so that at most `MAX_RESPONSE_BYTES` are read and nothing is decompressed. llhttp,
the parser of Node.js, parses the heads as leniently as browsers do. Response smuggling is impossible, because each
connection carries one response.

>>> from coolid.net.request_target import parse_target
>>> encode_request("HEAD", parse_target("https://example.org:8443/a?b"), {"Accept": "*/*"}).splitlines()
[b'HEAD /a?b HTTP/1.1', b'Host: example.org:8443', b'Accept: */*', b'Connection: close', b'']
"""

import re
import socket
from collections.abc import Mapping
from typing import Final

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser
from msgspec import Struct

from coolid.deadlines import Deadline
from coolid.net.failures import RequestFailed, failure
from coolid.net.request_target import RequestTarget

MAX_RESPONSE_BYTES: Final = 65_536
"""Including the interim responses (1xx) before the final one."""
_READ_BYTES: Final = 16_384

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\t -~]*")
_RESERVED_HEADERS: Final = frozenset({"host", "connection", "content-length", "transfer-encoding"})


class ResponseHead(Struct, frozen=True):
    """A status and headers, whose names are in lower case; of several with one name, the first."""

    status: int
    headers: Mapping[str, str]


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


def exchange(connection: socket.socket, request_bytes: bytes, deadline: Deadline) -> ResponseHead:
    """Send a request and return the head of its response. Raises `RequestFailed`. The caller closes the connection."""
    parser = _HeadParser()
    received = 0
    try:
        # A socket's timeout limits one call, so that it is set again before each.
        connection.settimeout(deadline.remaining_seconds())
        connection.sendall(request_bytes)
        while True:
            connection.settimeout(deadline.remaining_seconds())
            data = connection.recv(min(_READ_BYTES, MAX_RESPONSE_BYTES - received))
            if not data:
                raise RequestFailed(
                    "it broke off its answer" if received else "it closed the connection without an answer"
                )
            received += len(data)
            response = parser.feed(data)
            if response is not None:
                return response
            if received == MAX_RESPONSE_BYTES:
                raise RequestFailed("the head of its answer is too long")
    except OSError as error:
        raise failure(error) from error


class _HeadParser:
    """The callbacks of llhttp; collects the head of the final response."""

    def __init__(self) -> None:
        self._headers: dict[str, str] = {}
        self._response: ResponseHead | None = None
        self._parser = HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_chunked_length=True,
            lenient_transfer_encoding=True,
            lenient_version=True,
            lenient_optional_lf_after_cr=True,
            lenient_optional_cr_before_lf=True,
        )

    def feed(self, data: bytes) -> ResponseHead | None:
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            if self._response is None:  # after the head, only the body can be invalid
                raise RequestFailed("its answer is not HTTP") from None
        return self._response

    def on_header(self, name: bytes, value: bytes) -> None:
        text = value.decode("latin-1").strip(" \t")  # spaces are not part of the value (RFC 9110 section 5.5)
        self._headers.setdefault(name.decode("latin-1").lower(), text)

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= 200 and self._response is None:
            self._response = ResponseHead(status, self._headers)
        self._headers = {}  # headers of 100 and 103 are not the final response's (RFC 9110 section 15.2)

"""Asking: one request goes out, and the head of its answer is heard (HTTP/1.1, RFC 9112).

Of the body nothing is wanted: the connection ends with the head, so that no answer is longer than `MAX_RESPONSE_BYTES`, and
nothing is unpacked. The heads are taken apart by llhttp, the parser of Node, which is told to bear with what browsers
bear with: on a connection for one answer nobody can smuggle in another.

>>> from coolid.net.request_target import parse_target
>>> request("HEAD", parse_target("https://example.org:8443/a?b"), {"Accept": "*/*"}).splitlines()
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

MOST_BYTES: Final = 65_536
"""Of any answer, provisional ones before it included."""
_AT_ONCE: Final = 16_384

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\t -~]*")
_OURS: Final = frozenset({"host", "connection", "content-length", "transfer-encoding"})


class ResponseHead(Struct, frozen=True):
    """A status, and the headers by their names in lower case; of several with one name, the first."""

    status: int
    headers: Mapping[str, str]


def request(method: str, place: RequestTarget, headers: Mapping[str, str], body: bytes | None = None) -> bytes:
    """A request, whole. `ValueError` for headers that no request can carry, or that are not the caller's to say."""
    lines = [f"{method} {place.target} HTTP/1.1", f"Host: {place.authority}"]
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value) or name.lower() in _OURS:
            raise ValueError(f"a header that cannot be sent: {name!r}")
        lines.append(f"{name}: {value}")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    lines += ["Connection: close", "", ""]
    return "\r\n".join(lines).encode("ascii") + (body or b"")


def exchange(connection: socket.socket, asked: bytes, deadline: Deadline) -> ResponseHead:
    """Send a request and hear the head of its answer. Raises `RequestFailed`. To close the connection is the caller's."""
    hearing = _HeadParser()
    received = 0
    try:
        # Python's timeouts hold for a call as a whole, and this loop sees to it that they hold for all calls together.
        connection.settimeout(deadline.left())
        connection.sendall(asked)
        while True:
            connection.settimeout(deadline.left())
            came = connection.recv(min(_AT_ONCE, MOST_BYTES - received))
            if not came:
                raise RequestFailed(
                    "it broke off its answer" if received else "it closed the connection without an answer"
                )
            received += len(came)
            answer = hearing.hear(came)
            if answer is not None:
                return answer
            if received == MOST_BYTES:
                raise RequestFailed("the head of its answer is too long")
    except OSError as error:
        raise failure(error) from error


class _HeadParser:
    """What the parser calls, until a head is whole that is not of a provisional answer."""

    def __init__(self) -> None:
        self._headers: dict[str, str] = {}
        self._answer: ResponseHead | None = None
        self._parser = HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_chunked_length=True,
            lenient_transfer_encoding=True,
            lenient_version=True,
            lenient_optional_lf_after_cr=True,
            lenient_optional_cr_before_lf=True,
        )

    def hear(self, came: bytes) -> ResponseHead | None:
        try:
            self._parser.feed_data(came)
        except (HttpParserError, HttpParserUpgrade):
            if self._answer is None:  # else what is wrong stands in the body
                raise RequestFailed("its answer is not HTTP") from None
        return self._answer

    def on_header(self, name: bytes, value: bytes) -> None:
        said = value.decode("latin-1").strip(" \t")  # which is no part of it (RFC 9110 section 5.5)
        self._headers.setdefault(name.decode("latin-1").lower(), said)

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= 200 and self._answer is None:
            self._answer = ResponseHead(status, self._headers)
        self._headers = {}  # those of 100 and 103 belong to no answer (RFC 9110 section 15.2)

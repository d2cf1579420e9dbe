"""A connection: a request goes out, its answer comes back (HTTP/1.1, RFC 9112), one after the other.

The messages are taken apart by llhttp, the parser of Node. It is as strict as RFC 9112 wants. An answer that has
no length would end with its connection, and is therefore never whole; bytes behind an answer end the connection's use.
"""

from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser
from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from coolid.aws.dynamodb_client.tcp_stream import ByteStream

MAX_HEAD_BYTES: Final = 65_536
"""Bytes of an answer's head."""
MAX_RESPONSE_BYTES: Final = 32 * 2**20
"""Bytes of an answer. DynamoDB gives 16 MB at once, which twice as many may write down in JSON."""
OBJECT: Final[Decoder[Mapping[str, Any]]] = Decoder(dict[str, Any])


class BrokenResponse(Exception):
    """No answer, or none that can be relied on; says why."""


class NoResponse(BrokenResponse):
    """The connection was closed before a byte of the answer came."""


class RawResponse(Struct):
    """A status, a body, and of the headers the one that says what the body's CRC-32 is."""

    status: int
    body: bytes
    checksum: bytes | None

    def document(self, shape: Decoder[Mapping[str, Any]] = OBJECT) -> Mapping[str, Any]:
        """The body, which is to be JSON of this shape. Raises `BrokenResponse`."""
        with suppress(DecodeError, UnicodeDecodeError, RecursionError):
            return shape.decode(self.body)
        raise BrokenResponse(
            "the answer is not JSON of the shape that it should have"
        )  # outside: it tells nothing of the body


class HttpConnection:
    """Over a line, for one thread at a time. `lasts`: whether it may be used again."""

    def __init__(self, line: ByteStream) -> None:
        self._line = line
        self._limit = -1.0
        self._parser = HttpResponseParser(self)
        self._begin()
        self.stirs = line.has_pending_data
        self.lasts = True

    def exchange(self, request: bytes, seconds: float) -> RawResponse:
        """Send a request and wait so long for the whole of the answer.

        Raises `BrokenResponse` and `OSError`, after which the connection is of no use.
        """
        self.lasts = False
        deadline = monotonic() + seconds
        self._wait(seconds)
        self._begin()
        received = 0
        try:
            self._line.send(request)
            while True:
                came = self._line.receive()
                if came:
                    received += len(came)
                    self._feed(came)
                    if self._whole:
                        return self._answer()
                    if received > (MAX_RESPONSE_BYTES if self._in_body else MAX_HEAD_BYTES):
                        raise BrokenResponse("the answer is too long")
                elif came is not None:
                    raise ConnectionResetError("the connection is closed")
                self._wait(deadline - monotonic())
        except ConnectionError as error:
            raise BrokenResponse("the answer broke off") if received else NoResponse("no answer came") from error

    def close(self) -> None:
        """It is over."""
        self.lasts = False
        del self._parser  # which knows us, too
        self._line.close()

    def _begin(self) -> None:
        self._whole = self._in_body = self._surplus = self._keep_alive = False
        self._checksum: bytes | None = None
        self._parts: list[bytes] = []
        self._heads = 0

    def _wait(self, seconds: float) -> None:
        if seconds <= 0:
            raise TimeoutError("the answer takes too long")
        if seconds != self._limit:
            self._limit = seconds
            self._line.limit(seconds)

    def _feed(self, came: bytes) -> None:
        try:
            self._parser.feed_data(came)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self._whole:  # else what is wrong stands behind the answer
                raise BrokenResponse("the answer is not HTTP") from error
            self._surplus = True

    def _answer(self) -> RawResponse:
        parts = self._parts
        self.lasts = self._keep_alive and not self._surplus
        return RawResponse(self._status, parts[0] if len(parts) == 1 else b"".join(parts), self._checksum)

    # What the parser calls.

    def on_message_begin(self) -> None:
        """An answer begins: the first, one that follows upon a provisional one, or one too many."""
        if self._whole:
            raise BrokenResponse("an answer that nobody asked for")

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; in a chunked body, also one behind it."""
        self._heads += len(name) + len(value)
        if self._heads > MAX_HEAD_BYTES:
            raise BrokenResponse("the answer's head is too long")
        if name.lower() == b"x-amz-crc32":
            self._checksum = value

    def on_headers_complete(self) -> None:
        """The head is over."""
        self._status = self._parser.get_status_code()
        self._in_body = True

    def on_body(self, part: bytes) -> None:
        """Some of the body."""
        self._parts.append(part)

    def on_message_complete(self) -> None:
        """The answer is whole, unless it was provisional (RFC 9110 section 15.2)."""
        if self._status < 200:
            self._begin()
            return
        self._keep_alive = self._parser.should_keep_alive()  # which the parser forgets
        self._whole = True

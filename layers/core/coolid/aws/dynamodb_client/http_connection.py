"""A connection that exchanges one HTTP/1.1 request and response (RFC 9112) at a time.

llhttp, Node's parser, parses responses as strictly as RFC 9112 requires. A response without a length counts as
incomplete, because the end of a connection does not prove that it is whole. A connection is not reused after surplus
bytes.
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
"""The largest head of a response."""
MAX_RESPONSE_BYTES: Final = 32 * 2**20
"""The largest response: DynamoDB returns up to 16 MB of items, which can double in size as JSON."""
OBJECT: Final[Decoder[Mapping[str, Any]]] = Decoder(dict[str, Any])


class BrokenResponse(Exception):
    """There is no complete, valid response. The message gives the reason."""


class NoResponse(BrokenResponse):
    """The connection was closed before the first byte of the response."""


class RawResponse(Struct):
    """A status, a body, and the body's CRC-32 if a header states it."""

    status: int
    body: bytes
    checksum: bytes | None

    def document(self, shape: Decoder[Mapping[str, Any]] = OBJECT) -> Mapping[str, Any]:
        """Return the body decoded as JSON of this shape. Raises `BrokenResponse`."""
        with suppress(DecodeError, UnicodeDecodeError, RecursionError):
            return shape.decode(self.body)
        # Without a cause, because that would contain parts of the body.
        raise BrokenResponse("the answer is not JSON of the shape that it should have")


class HttpConnection:
    """A connection over a stream, for one thread at a time. `is_reusable` is false after errors and when closed."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._seconds = -1.0
        self._parser = HttpResponseParser(self)
        self._begin()
        self.has_pending_data = stream.has_pending_data
        self.is_reusable = True

    def exchange(self, request: bytes, seconds: float) -> RawResponse:
        """Send a request and return the complete response within `seconds`.

        Raises `BrokenResponse` and `OSError`, after which the connection is unusable.
        """
        self.is_reusable = False
        deadline = monotonic() + seconds
        self._wait(seconds)
        self._begin()
        received = 0
        try:
            self._stream.send(request)
            while True:
                data = self._stream.receive()
                if data:
                    received += len(data)
                    self._feed(data)
                    if self._whole:
                        return self._response()
                    if received > (MAX_RESPONSE_BYTES if self._in_body else MAX_HEAD_BYTES):
                        raise BrokenResponse("the answer is too long")
                elif data is not None:
                    raise ConnectionResetError("the connection is closed")
                self._wait(deadline - monotonic())
        except ConnectionError as error:
            raise BrokenResponse("the answer broke off") if received else NoResponse("no answer came") from error

    def close(self) -> None:
        """Close the stream."""
        self.is_reusable = False
        del self._parser  # breaks the reference cycle
        self._stream.close()

    def _begin(self) -> None:
        self._whole = self._in_body = self._surplus = self._keep_alive = False
        self._checksum: bytes | None = None
        self._parts: list[bytes] = []
        self._head_bytes = 0

    def _wait(self, seconds: float) -> None:
        if seconds <= 0:
            raise TimeoutError("the answer takes too long")
        if seconds != self._seconds:
            self._seconds = seconds
            self._stream.limit(seconds)

    def _feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self._whole:  # else the surplus bytes are invalid
                raise BrokenResponse("the answer is not HTTP") from error
            self._surplus = True

    def _response(self) -> RawResponse:
        parts = self._parts
        self.is_reusable = self._keep_alive and not self._surplus
        return RawResponse(self._status, parts[0] if len(parts) == 1 else b"".join(parts), self._checksum)

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        """Accept a first response, or one after an interim response. Reject a surplus one."""
        if self._whole:
            raise BrokenResponse("an answer that nobody asked for")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Process a header or a trailer."""
        self._head_bytes += len(name) + len(value)
        if self._head_bytes > MAX_HEAD_BYTES:
            raise BrokenResponse("the answer's head is too long")
        if name.lower() == b"x-amz-crc32":
            self._checksum = value

    def on_headers_complete(self) -> None:
        """Store the status at the end of the head."""
        self._status = self._parser.get_status_code()
        self._in_body = True

    def on_body(self, part: bytes) -> None:
        """Store a part of the body."""
        self._parts.append(part)

    def on_message_complete(self) -> None:
        """Finish the response, unless it is interim (RFC 9110, 15.2)."""
        if self._status < 200:
            self._begin()
            return
        self._keep_alive = self._parser.should_keep_alive()  # unavailable later
        self._whole = True

"""A connection that exchanges one HTTP/1.1 request and response (RFC 9112) at a time.

llhttp, Node's parser, parses responses as strictly as RFC 9112 requires. A response without a length counts as
incomplete, because the end of a connection does not prove that it is whole. A connection is not reused after surplus
bytes.

A *lenient* connection parses heads as browsers do and reads no body. It carries one response only, so that response
smuggling is impossible.
"""

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser
from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from coolid.net.tcp_stream import ByteStream

MAX_HEAD_BYTES: Final = 65_536
"""The largest head of a response, including the interim responses (1xx) before it."""
MAX_RESPONSE_BYTES: Final = 32 * 2**20
"""The largest response: DynamoDB returns up to 16 MB of items, which can double in size as JSON."""
OBJECT: Final[Decoder[Mapping[str, Any]]] = Decoder(dict[str, Any])


class BrokenResponse(Exception):
    """There is no complete, valid response. The message gives the reason."""


class NoResponse(BrokenResponse):
    """The connection was closed before the first byte of the response."""


class HttpResponse(Struct):
    """A status, headers and trailers as sent, and a body."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes

    def header(self, name: bytes) -> bytes | None:
        """Return the last value of a header or trailer, whose name is in lower case."""
        for key, value in reversed(self.headers):
            if key.lower() == name:
                return value
        return None

    def document(self, shape: Decoder[Mapping[str, Any]] = OBJECT) -> Mapping[str, Any]:
        """Return the body decoded as JSON of this shape. Raises `BrokenResponse`."""
        try:
            return shape.decode(self.body)
        except (DecodeError, UnicodeDecodeError, RecursionError):
            failure = BrokenResponse("its answer is not JSON of the shape that it should have")
        raise failure  # without a cause, because that would contain parts of the body


class HttpConnection:
    """A connection over a stream, for one thread at a time. `is_reusable` is false after errors and when closed.

    A response may have at most `max_response_bytes`, its head included.
    """

    def __init__(
        self, stream: ByteStream, *, lenient: bool = False, max_response_bytes: int = MAX_RESPONSE_BYTES
    ) -> None:
        self._stream = stream
        self._max_response_bytes = max_response_bytes
        self._lenient = lenient
        self._seconds = -1.0
        self._parser = HttpResponseParser(self)
        if lenient:
            self._parser.set_dangerous_leniencies(
                lenient_headers=True,
                lenient_chunked_length=True,
                lenient_transfer_encoding=True,
                lenient_version=True,
                lenient_optional_lf_after_cr=True,
                lenient_optional_cr_before_lf=True,
            )
        self._begin()
        self.has_pending_data = stream.has_pending_data
        self.is_reusable = True

    def exchange(self, request: bytes, seconds: float) -> HttpResponse:
        """Return the response within `seconds`. After `BrokenResponse` or `OSError` the connection is unusable."""
        self.is_reusable = False
        deadline = monotonic() + seconds
        self._wait(seconds)
        self._begin()
        received = 0
        try:
            self._stream.send(request)
            while True:
                max_bytes = self._max_response_bytes if self._in_body else MAX_HEAD_BYTES
                if received >= max_bytes:
                    raise BrokenResponse(
                        "its answer is too long" if self._in_body else "the head of its answer is too long"
                    )
                data = self._stream.receive(max_bytes - received)
                if data:
                    received += len(data)
                    self._feed(data)
                    if received > self._max_response_bytes and not self._lenient:  # a short one comes with its head
                        raise BrokenResponse("its answer is too long")
                    if self._whole:
                        return self._response()
                elif data is not None:
                    raise _broken_off(received)
                self._wait(deadline - monotonic())
        except ConnectionError as error:
            raise _broken_off(received) from error

    def close(self) -> None:
        """Close the stream."""
        self.is_reusable = False
        del self._parser  # breaks the reference cycle
        self._stream.close()

    def _begin(self) -> None:
        self._whole = self._in_body = self._surplus = self._keep_alive = False
        self._headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []
        self._head_bytes = 0

    def _wait(self, seconds: float) -> None:
        if seconds <= 0:
            raise TimeoutError("the response takes too long")
        if seconds != self._seconds:
            self._seconds = seconds
            self._stream.limit(seconds)

    def _feed(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self._whole:  # else the surplus bytes are invalid
                raise BrokenResponse("its answer is not HTTP") from error
            self._surplus = True

    def _response(self) -> HttpResponse:
        parts = self._parts
        self.is_reusable = self._keep_alive and not self._surplus
        return HttpResponse(self._status, self._headers, parts[0] if len(parts) == 1 else b"".join(parts))

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        """Accept a first response, or one after an interim response. Reject a surplus one."""
        if self._whole:
            raise BrokenResponse("a second answer")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header or a trailer."""
        self._head_bytes += len(name) + len(value)
        if self._head_bytes > MAX_HEAD_BYTES:
            raise BrokenResponse("the head of its answer is too long")
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Store the status at the end of the head."""
        self._status = self._parser.get_status_code()
        self._in_body = not self._lenient
        self._whole = self._lenient and self._status >= 200

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


def _broken_off(received: int) -> BrokenResponse:
    if received:
        return BrokenResponse("it broke off its answer")
    return NoResponse("it closed the connection without an answer")

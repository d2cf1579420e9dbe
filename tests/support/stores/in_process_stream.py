"""Streams from the DynamoDB client to the embedded backend, without a network.

An HTTP parser reads the sent bytes. The backend receives each request in the form that botocore would use.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

from botocore.awsrequest import AWSPreparedRequest, HeadersDict
from httptools import HttpRequestParser

from coolid.aws.dynamodb_client.connector import Connector
from coolid.aws.dynamodb_client.endpoints import AWS_DOMAINS, Endpoint
from coolid.net.tcp_stream import ByteStream

Process = Callable[[Any], Any]
"""moto's function for answering a prepared request: status, headers and body, or None for another service."""

_OWN_HEADERS: Final = ("content-length", "connection", "transfer-encoding")


class InProcessStream:
    """Implements `coolid.net.tcp_stream.ByteStream`; no call blocks."""

    def __init__(self, endpoint: Endpoint, process: Process) -> None:
        self._url = f"https://{endpoint.authority}"
        self._process = process
        self._parser = HttpRequestParser(self)
        self._answers: deque[bytes] = deque()
        self._whole = False

    def limit(self, seconds: float) -> None:
        """See `ByteStream.limit`."""

    def send(self, data: bytes) -> None:
        """See `ByteStream.send`. A complete request is answered at once."""
        self._parser.feed_data(data)
        if self._whole:
            self._whole = False
            self._answer()

    def receive(self, max_bytes: int) -> bytes:
        """See `ByteStream.receive`."""
        return self._answers.popleft() if self._answers else b""

    def has_pending_data(self) -> bool:
        """See `ByteStream.has_pending_data`."""
        return bool(self._answers)

    def close(self) -> None:
        """See `ByteStream.close`."""
        self._answers.clear()

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        """Start a request."""
        self._headers = HeadersDict()
        self._target, self._body = b"", b""

    def on_url(self, target: bytes) -> None:
        """Append a part of the request target."""
        self._target += target

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header."""
        self._headers[name.decode("ascii")] = value.decode("ascii")

    def on_body(self, part: bytes) -> None:
        """Append a part of the body."""
        self._body += part

    def on_message_complete(self) -> None:
        """Mark the request as complete."""
        self._whole = True

    def _answer(self) -> None:
        method = self._parser.get_method().decode("ascii")
        url = self._url + self._target.decode("ascii")
        headers: Any = self._headers  # botocore's stubs declare only one of its two types
        answer = self._process(AWSPreparedRequest(method, url, headers, self._body, False))
        if answer is None:
            raise ConnectionRefusedError(f"{url} is not embedded")
        status, answer_headers, text = answer
        body = text.encode() if isinstance(text, str) else text
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Content-Length: {len(body)}"]
        head += [f"{name}: {value}" for name, value in answer_headers.items() if name.lower() not in _OWN_HEADERS]
        self._answers.append("\r\n".join([*head, "", ""]).encode("latin-1") + body)


@contextmanager
def connected_to(process: Process) -> Iterator[None]:
    """While the block runs, connect AWS endpoints to `process`; other addresses are not affected."""
    open_stream = Connector.open

    def open_embedded(connector: Connector, endpoint: Endpoint, deadline: float) -> ByteStream:
        if endpoint.port == 443 and endpoint.host.endswith(AWS_DOMAINS):
            return InProcessStream(endpoint, process)
        return open_stream(connector, endpoint, deadline)

    Connector.open = open_embedded  # type: ignore[assignment,method-assign]  # for every instance
    try:
        yield
    finally:
        Connector.open = open_stream  # type: ignore[method-assign]

"""Sockets without a network: lines of our own client of DynamoDB that end in this process, at the embedded backend.

Requests arrive as they are sent, are taken apart by a parser of HTTP, and are handed over as botocore would do it.
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
from coolid.aws.dynamodb_client.tcp_stream import ByteStream

Process = Callable[[Any], Any]
"""moto's way of answering a prepared request: status, headers and body, or None if it is none of its business."""

_TOLD_HERE: Final = ("content-length", "connection", "transfer-encoding")


class EmbeddedLine:
    """Implements `coolid.aws.dynamodb_client.tcp_stream.ByteStream`; there is nothing to wait for."""

    def __init__(self, endpoint: Endpoint, process: Process) -> None:
        self._url = f"https://{endpoint.authority}"
        self._process = process
        self._parser = HttpRequestParser(self)
        self._answers: deque[bytes] = deque()
        self._whole = False

    def limit(self, seconds: float) -> None:
        """As of `ByteStream`."""

    def send(self, data: bytes) -> None:
        """As of `ByteStream`; a request is answered as soon as it is whole."""
        self._parser.feed_data(data)
        if self._whole:
            self._whole = False
            self._answer()

    def receive(self) -> bytes:
        """As of `ByteStream`."""
        return self._answers.popleft() if self._answers else b""

    def has_pending_data(self) -> bool:
        """As of `ByteStream`."""
        return bool(self._answers)

    def close(self) -> None:
        """As of `ByteStream`."""
        self._answers.clear()

    # What the parser calls.

    def on_message_begin(self) -> None:
        """A request begins."""
        self._headers = HeadersDict()
        self._target, self._body = b"", b""

    def on_url(self, target: bytes) -> None:
        """Some of the request's target."""
        self._target += target

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self._headers[name.decode("ascii")] = value.decode("ascii")

    def on_body(self, part: bytes) -> None:
        """Some of the body."""
        self._body += part

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._whole = True

    def _answer(self) -> None:
        method = self._parser.get_method().decode("ascii")
        url = self._url + self._target.decode("ascii")
        headers: Any = self._headers  # botocore's stubs know only one of its two kinds
        answer = self._process(AWSPreparedRequest(method, url, headers, self._body, False))
        if answer is None:
            raise ConnectionRefusedError(f"{url} is not embedded")
        status, told, text = answer
        body = text.encode() if isinstance(text, str) else text
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Content-Length: {len(body)}"]
        head += [f"{name}: {value}" for name, value in told.items() if name.lower() not in _TOLD_HERE]
        self._answers.append("\r\n".join([*head, "", ""]).encode("latin-1") + body)


@contextmanager
def leading_to(process: Process) -> Iterator[None]:
    """While this lasts, who dials AWS is answered by `process`; other addresses stay what they are."""
    dial = Connector.open

    def dial_here(dialler: Connector, endpoint: Endpoint, deadline: float) -> ByteStream:
        if endpoint.port == 443 and endpoint.host.endswith(AWS_DOMAINS):
            return EmbeddedLine(endpoint, process)
        return dial(dialler, endpoint, deadline)

    Connector.open = dial_here  # type: ignore[assignment,method-assign]  # for whichever dialler is made
    try:
        yield
    finally:
        Connector.open = dial  # type: ignore[method-assign]  # as it was

"""A loopback server with faults that AWS services have shown: errors, lost connections, damaged responses."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.support.servers.loopback import loopback_server

Fault = Callable[[BaseHTTPRequestHandler], None]


def answering(status: int, kind: str, **members: Any) -> Fault:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": "no"} | members).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/x-amz-json-1.0")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def closing(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def breaking_off(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"{")
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def answering_with(body: bytes, **headers: str) -> Fault:
    """Return a response with this body, and with headers whose names have `_` for `-`."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/x-amz-json-1.0")
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def talking_nonsense(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(502)
    handler.send_header("Content-Length", "4")
    handler.end_headers()
    handler.wfile.write(b"<ht>")


class Hanging:
    """Receives the request and sends nothing until the end."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        self.over.wait()
        handler.close_connection = True


FAULTS: dict[str, Fault] = {
    "fails": answering(500, "InternalServerError"),
    "is unavailable": answering(503, "ServiceUnavailable"),
    "throttles": answering(400, "ProvisionedThroughputExceededException"),
    "throttles the account": answering(400, "ThrottlingException"),
    "limits requests": answering(400, "RequestLimitExceeded"),
    "refuses the credentials": answering(400, "UnrecognizedClientException"),
    "denies access": answering(400, "AccessDeniedException"),
    "has lost the table": answering(400, "ResourceNotFoundException"),
    "closes the connection": closing,
    "breaks off": breaking_off,
    "talks nonsense": talking_nonsense,
    "damages its answers": answering_with(
        b'{"ConsumedCapacity": {}, "Responses": {"prefixes": [], "luis": []}, "Items": [], "Attributes": {}}',
        x_amz_crc32="1",
    ),
    "answers null": answering_with(b"null", x_amzn_requestid="1"),
    "answers a list": answering_with(b"[]"),
    "answers with lists for items": answering_with(b'{"Item": [], "Responses": [], "Items": {}, "Attributes": []}'),
}


@contextmanager
def faulty_server(fault: Fault) -> Iterator[str]:
    """Run a server with this behaviour for every request. Return its URL."""

    def handle(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        fault(handler)

    with loopback_server(handle, "POST", lasting=True) as port:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            if isinstance(fault, Hanging):
                fault.over.set()

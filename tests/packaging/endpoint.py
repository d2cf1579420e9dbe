"""The embedded DynamoDB and KMS behind a port of loopback, for programs in processes of their own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from moto.core.models import botocore_stubber

from coolid.local.embedded import REGION

# What `X-Amz-Target` begins with, and the service that it means.
SERVICES = {"DynamoDB_20120810": "dynamodb", "TrentService": "kms"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        service = SERVICES[self.headers["X-Amz-Target"].partition(".")[0]]
        headers = HTTPHeaders()
        for name, value in self.headers.items():
            headers[name] = value
        url = f"https://{service}.{REGION}.amazonaws.com/"
        # As boto3 in this process asks it, behind the same lock.
        answer = botocore_stubber.process_request(AWSPreparedRequest("POST", url, headers, sent, False))
        assert answer is not None
        status, told, text = answer
        body = text.encode() if isinstance(text, str) else text
        self.send_response(status)
        for name, value in told.items():
            if name.lower() not in {"content-length", "date", "server"}:
                self.send_header(name, str(value))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def endpoint() -> Iterator[str]:
    """Answer, while an embedded backend runs; the URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

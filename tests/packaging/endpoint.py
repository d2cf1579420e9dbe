"""The embedded DynamoDB and KMS behind a port of loopback, for programs in processes of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from moto.core.models import botocore_stubber

from tests.support.servers.certificates import Authority
from tests.support.servers.loopback import loopback_server
from tests.support.stores.moto_store import REGION

# What `X-Amz-Target` begins with, and the service that it means.
SERVICES = {"DynamoDB_20120810": "dynamodb", "TrentService": "kms"}


def _answer(handler: BaseHTTPRequestHandler) -> None:
    sent = handler.rfile.read(int(handler.headers["Content-Length"]))
    service = SERVICES[handler.headers["X-Amz-Target"].partition(".")[0]]
    headers = HTTPHeaders()
    for name, value in handler.headers.items():
        headers[name] = value
    url = f"https://{service}.{REGION}.amazonaws.com/"
    # As boto3 in this process asks it, behind the same lock.
    answer = botocore_stubber.process_request(AWSPreparedRequest("POST", url, headers, sent, False))
    assert answer is not None
    status, returned, text = answer
    body = text.encode() if isinstance(text, str) else text
    handler.send_response(status)
    for name, value in returned.items():
        if name.lower() not in {"content-length", "date", "server"}:
            handler.send_header(name, str(value))
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def endpoint(authority: Authority) -> Iterator[str]:
    """Answer over TLS, while an embedded backend runs; the URL."""
    with loopback_server(_answer, "POST", proof=authority.vouches("127.0.0.1"), lasting=True) as port:
        yield f"https://127.0.0.1:{port}"

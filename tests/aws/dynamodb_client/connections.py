"""Connections to loopback servers, for the tests of our own client."""

from collections.abc import Mapping
from typing import Any

from coolid.aws.dynamodb_client.http_transport import HttpTransport, Timeouts

PATIENT = Timeouts(connect_seconds=30, response_seconds=30, max_pause_seconds=0)
"""Nothing fails for want of time."""
HASTY = Timeouts(connect_seconds=0.2, response_seconds=0.2, max_pause_seconds=0)
"""For those who are in vain waited for."""

QUESTION: Mapping[str, Any] = {"TableName": "t", "Key": {"name": {"S": "mp"}}}
MOST_SECRET = "the-secret-of-secrets"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": MOST_SECRET}


def environment(port: int, *, host: str = "127.0.0.1", secure: bool = False) -> dict[str, str]:
    """What leads to a server here."""
    url = f"http{'s' if secure else ''}://{host}:{port}"
    return {**CREDENTIALS, "AWS_DEFAULT_REGION": "eu-west-1", "AWS_ENDPOINT_URL": url}


def asker(port: int, patience: Timeouts = PATIENT) -> HttpTransport:
    """A client of a server here."""
    return HttpTransport.read(environment(port), patience)

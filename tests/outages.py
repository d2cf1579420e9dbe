"""Outages: the store goes out of reach of whatever this process runs, and comes back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from botocore.exceptions import EndpointConnectionError

UNREACHABLE = EndpointConnectionError(endpoint_url="https://dynamodb.example")


@contextmanager
def outage() -> Iterator[None]:
    """While this lasts nobody answers: not boto3, nor our own client, whose connections break and are not renewed."""
    with ExitStack() as ends:
        ends.enter_context(patch("botocore.client.BaseClient._make_api_call", side_effect=UNREACHABLE))
        ends.enter_context(patch("coolid.local.sockets.EmbeddedLine.send", side_effect=BrokenPipeError))
        ends.enter_context(patch("coolid.aws.asking.dialling.Dialler.dial", side_effect=ConnectionRefusedError))
        ends.enter_context(patch("coolid.aws.asking.own.sleep"))  # its pauses are not what is tested
        yield

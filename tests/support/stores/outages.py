"""Outages of the stores in this process: nothing answers, or the responses of some of DynamoDB's writes are lost."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from botocore.exceptions import ConnectionClosedError, EndpointConnectionError
from moto.core.models import botocore_stubber

from coolid.errors import StoreUnavailable
from coolid.sqlite.database import Database
from tests.support.stores.in_process_stream import InProcessStream

UNREACHABLE = EndpointConnectionError(endpoint_url="https://dynamodb.example")


@contextmanager
def outage() -> Iterator[None]:
    """Let all requests to databases and to DynamoDB fail while the block runs; connections break."""
    with ExitStack() as ends:
        ends.enter_context(patch("botocore.client.BaseClient._make_api_call", side_effect=UNREACHABLE))
        for method in ("read", "write"):
            ends.enter_context(patch.object(Database, method, side_effect=StoreUnavailable("the disk failed")))
        ends.enter_context(patch.object(InProcessStream, "send", side_effect=BrokenPipeError))
        ends.enter_context(
            patch("coolid.aws.dynamodb_client.connector.Connector.open", side_effect=ConnectionRefusedError)
        )
        ends.enter_context(patch("coolid.aws.dynamodb_client.http_transport.sleep"))  # its pauses are not tested
        yield


@contextmanager
def lost_answers(operation: str, times: int = 1, then: Callable[[], object] = lambda: None) -> Iterator[list[str]]:
    """Lose the responses to the next `times` requests of a DynamoDB operation, which the embedded backend performs.

    `then` is called after each loss, before boto3 repeats the request, which it does without a pause. The list contains
    the operations whose responses were lost so far.
    """
    process = botocore_stubber.process_request
    lost: list[str] = []

    def lose(request: Any) -> Any:
        answer = process(request)
        target = request.headers.get("X-Amz-Target", b"")
        name = (target.decode() if isinstance(target, bytes) else target).rpartition(".")[2]
        if name == operation and len(lost) < times:
            lost.append(name)
            then()
            raise ConnectionClosedError(endpoint_url=request.url)
        return answer

    with ExitStack() as ends:
        ends.enter_context(patch.object(botocore_stubber, "process_request", lose))
        ends.enter_context(patch("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None)))
        yield lost

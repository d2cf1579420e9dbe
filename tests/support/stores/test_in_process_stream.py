"""Our own client reaches the embedded backend without a network, and no other client does."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest

from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.dynamodb_client.connector import Connector
from coolid.aws.dynamodb_client.endpoints import Endpoint
from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.aws.dynamodb_client.transport import InvalidRequest
from coolid.errors import StoreUnavailable
from coolid.local.table_setup import put_items
from tests.support.servers.scripted_server import answer, holding, repeat, scripted_server
from tests.support.stores import in_process_stream, moto_store


@pytest.fixture(scope="module")
def table(moto_tables: dict[str, str]) -> str:
    """Return a table with a thousand rows."""
    name = moto_tables["ClientTable"]
    put_items(name, [{"id": {"S": f"c{number}"}, "note": {"S": "é" * number}} for number in range(1000)])
    return name


def question(table: str, number: int) -> dict[str, Any]:
    return {"TableName": table, "Key": {"id": {"S": f"c{number}"}}, "ReturnConsumedCapacity": "TOTAL"}


@pytest.mark.parametrize(
    ("operation", "requested"),
    [
        ("GetItem", lambda table: question(table, 999)),
        ("GetItem", lambda table: question(table, 1000)),
        (
            "BatchGetItem",
            lambda table: {"RequestItems": {table: {"Keys": [{"id": {"S": f"c{n}"}} for n in range(100)]}}},
        ),
        (
            "Query",
            lambda table: {
                "TableName": table,
                "KeyConditionExpression": "id = :id",
                "ExpressionAttributeValues": {":id": {"S": "c7"}},
            },
        ),
    ],
)
def test_it_answers_our_own_client_as_it_answers_boto3(table: str, operation: str, requested: Any) -> None:
    ours = dict(HttpTransport.read(os.environ).call(operation, requested(table)))
    theirs = dict(BotoTransport(boto3.client("dynamodb")).call(operation, requested(table)))
    assert ours == theirs


def test_what_it_refuses_boto3_it_refuses_our_own_client(table: str) -> None:
    with pytest.raises(StoreUnavailable, match="ResourceNotFoundException"):
        HttpTransport.read(os.environ).call("GetItem", question("no-such-table", 1))
    with pytest.raises(InvalidRequest):
        HttpTransport.read(os.environ).call("GetItem", {"TableName": table, "Key": {"another": {"S": "x"}}})


def test_many_threads_at_once_get_each_their_own_responses(table: str) -> None:
    asker = HttpTransport.read(os.environ)
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda number: asker.call("GetItem", question(table, number)), range(1000)))
    assert [returned["Item"]["id"]["S"] for returned in answers] == [f"c{number}" for number in range(1000)]


def test_an_endpoint_that_the_environment_names_goes_before_it(table: str) -> None:
    found = holding({"id": {"S": "from elsewhere"}})
    with scripted_server(repeat(answer(found))) as port:
        there = HttpTransport.read(os.environ | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"})
        assert there.call("GetItem", question(table, 1)) == found


def test_what_is_not_embedded_is_not_there() -> None:
    line = in_process_stream.InProcessStream(Endpoint("unheard-of.amazonaws.com", 443, secure=True), lambda _: None)
    with pytest.raises(ConnectionRefusedError):
        line.send(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")


def test_when_the_backend_ends_everything_is_as_it_was() -> None:
    before = Connector.open
    with moto_store.running():
        assert Connector.open is not before
        with moto_store.running():
            assert Connector.open is not before
    assert Connector.open is before

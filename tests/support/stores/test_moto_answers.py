"""Directly serialised responses of the embedded backend equal moto's own."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from moto.core import responses
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.utils import method_names_from_class
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoResult

from tests.support.effort import examples
from tests.support.fixtures.system import new_tables
from tests.support.stores import moto_answers
from tests.support.stores.moto_store import REGION

TABLE = "answers"
KEY = {"id": {"S": "a"}, "no": {"N": "1"}}


@pytest.fixture(scope="module")
def client(moto_tables: dict[str, str]) -> Iterator[Any]:
    client: Any = boto3.client("dynamodb")
    client.create_table(
        TableName=TABLE,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "no", "KeyType": "RANGE"}],
        AttributeDefinitions=[
            {"AttributeName": "id", "AttributeType": "S"},
            {"AttributeName": "no", "AttributeType": "N"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    yield client
    client.delete_table(TableName=TABLE)


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Compare both serialisations, and return the compared operations."""
    written = DynamoResult.execute_result
    assert written is not moto_answers.MOTO_EXECUTE_RESULT
    found: list[str] = []

    def write_both(result: Any, context: Any) -> Any:
        ours, theirs = written(result, context), moto_answers.MOTO_EXECUTE_RESULT(result, context)
        assert (*ours[:2], json.loads(ours[2])) == (*theirs[:2], json.loads(theirs[2]))
        found.append(context.operation_model.name)
        return ours

    monkeypatch.setattr(DynamoResult, "execute_result", write_both)
    return found


numbers = st.integers(-(2**60), 2**60).map(str)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.builds(dict, S=st.text(max_size=5)),
        st.builds(dict, N=numbers),
        st.builds(dict, B=st.binary(max_size=5)),
        st.builds(dict, BOOL=st.booleans()),
        st.just({"NULL": True}),
        st.builds(dict, SS=st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=3, unique=True)),
        st.builds(dict, NS=st.lists(numbers, min_size=1, max_size=3, unique=True)),
    ),
    lambda inner: st.one_of(
        st.builds(dict, L=st.lists(inner, max_size=3)),
        st.builds(dict, M=st.dictionaries(st.text("abSN", min_size=1, max_size=2), inner, max_size=3)),
    ),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["body", "S", "Item", "Items", "x-y"]), values, max_size=3))
@examples(10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_item_is_equal_in_every_operation(client: Any, compared: list[str], members: dict[str, Any]) -> None:
    compared.clear()
    item = KEY | members
    for capacity in ("NONE", "TOTAL", "INDEXES"):
        table = {"TableName": TABLE, "ReturnConsumedCapacity": capacity}
        client.delete_item(Key=KEY, ReturnValues="ALL_OLD", **table)
        assert "Item" not in client.get_item(Key=KEY, **table)
        client.put_item(Item=item, ReturnValues="ALL_OLD", **table)
        client.put_item(Item=item, ReturnValues="ALL_OLD", **table)
        assert client.get_item(Key=KEY, **table)["Item"] == item
        client.put_item(Item=KEY | {"no": {"N": "2"}}, **table)
        for more in ({}, {"Limit": 1}, {"Select": "COUNT"}):
            client.scan(**table, **more)
            client.query(
                KeyConditionExpression="id = :id", ExpressionAttributeValues={":id": KEY["id"]}, **table, **more
            )
    client.batch_get_item(RequestItems={TABLE: {"Keys": [KEY, KEY | {"no": {"N": "3"}}]}})
    for wanted in ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"):
        client.update_item(
            TableName=TABLE,
            Key=KEY,
            UpdateExpression="SET told = :told",
            ExpressionAttributeValues={":told": {"S": wanted}},
            ReturnValues=wanted,
        )
    assert set(compared) == {
        "BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"
    }  # fmt: skip


def test_other_operations_are_motos(client: Any, compared: list[str]) -> None:
    assert client.describe_table(TableName=TABLE)["Table"]["CreationDateTime"].year > 2000
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as refused:
        client.put_item(
            TableName=TABLE,
            Item=KEY,
            ConditionExpression="attribute_exists(nothing)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert refused.value.response["Error"]["Message"] == "The conditional request failed"
    assert compared == ["DescribeTable"]


def test_a_tables_items_are_in_motos_own_order(client: Any, moto_tables: dict[str, str]) -> None:
    tables = new_tables()
    for name in ("b", "a", "á", "B"):
        client.put_item(TableName=tables["ClientTable"], Item={"id": {"S": name}})
        for number in ("10", "9", "-1", "2.50", "1e2"):
            client.put_item(TableName=tables["LuiTable"], Item={"pid": {"S": name}, "version": {"N": number}})
    for logical, rows in (("ClientTable", 4), ("LuiTable", 20)):
        table = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables[tables[logical]]
        found = table.all_items()
        assert len(found) == rows
        assert [id(item) for item in found] == [id(item) for item in moto_answers.MOTO_ALL_ITEMS(table)]


def test_it_may_be_nested_and_ends(moto_tables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with moto_answers.direct_answers():
        assert DynamoResult.execute_result is not moto_answers.MOTO_EXECUTE_RESULT
        assert Table.all_items is not moto_answers.MOTO_ALL_ITEMS
    monkeypatch.setattr(responses, "method_names_from_class", method_names_from_class)
    monkeypatch.setattr(Table, "all_items", moto_answers.MOTO_ALL_ITEMS)
    monkeypatch.delattr(DynamoResult, "execute_result")
    with moto_answers.direct_answers(), moto_answers.direct_answers():
        assert DynamoResult.execute_result is not moto_answers.MOTO_EXECUTE_RESULT
        assert responses.method_names_from_class is not method_names_from_class
        assert Table.all_items is not moto_answers.MOTO_ALL_ITEMS
    assert DynamoResult.execute_result is moto_answers.MOTO_EXECUTE_RESULT
    assert responses.method_names_from_class is method_names_from_class
    assert Table.all_items is moto_answers.MOTO_ALL_ITEMS

"""Cheap transactions of the embedded backend do what moto's own do, and what DynamoDB's do: all or nothing."""

import copy
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.models.table import Table

from tests.support.effort import examples
from tests.support.stores import moto_transactions
from tests.support.stores.moto_store import REGION

NAMES = ("transactions-plain", "transactions-ranged")
KEYS = {
    NAMES[0]: [{"AttributeName": "id", "KeyType": "HASH"}],
    NAMES[1]: [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "no", "KeyType": "RANGE"}],
}
TYPES = {"id": "S", "no": "N"}


@pytest.fixture(scope="module")
def client(moto_tables: dict[str, str]) -> Iterator[Any]:
    client: Any = boto3.client("dynamodb")
    for name, keys in KEYS.items():
        client.create_table(
            TableName=name,
            KeySchema=keys,
            AttributeDefinitions=[
                {"AttributeName": key["AttributeName"], "AttributeType": TYPES[key["AttributeName"]]} for key in keys
            ],
            BillingMode="PAY_PER_REQUEST",
        )
    yield client
    for name in KEYS:
        client.delete_table(TableName=name)


def key_of(name: str, which: str) -> dict[str, Any]:
    return {"id": {"S": which}} | ({"no": {"N": "1"}} if name == NAMES[1] else {})


def part(kind: str, name: str, which: str, condition: str | None) -> dict[str, Any]:
    """A part of a transaction."""
    key = key_of(name, which)
    operation: dict[str, Any] = {"TableName": name}
    if kind == "Put":
        operation["Item"] = key | {"body": {"S": "put"}}
    else:
        operation["Key"] = key
    if kind == "Update":
        operation |= {
            "UpdateExpression": "SET body = :body ADD tags :tags",
            "ExpressionAttributeValues": {":body": {"S": "updated"}, ":tags": {"SS": ["a", which]}},
        }
    if condition or kind == "ConditionCheck":
        operation["ConditionExpression"] = condition or "attribute_exists(id)"
        operation["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return {kind: operation}


parts = st.builds(
    part,
    st.sampled_from(["Put", "Update", "Delete", "ConditionCheck"]),
    st.sampled_from(NAMES),
    st.sampled_from("abc"),
    st.sampled_from([None, "attribute_exists(id)", "attribute_not_exists(id)"]),
)


def contents() -> dict[str, Any]:
    """All rows of the tables."""
    tables = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables
    return {name: [row.to_json()["Attributes"] for row in tables[name].all_items()] for name in NAMES}


def outcome(client: Any, transaction: list[dict[str, Any]]) -> Any:
    try:
        client.transact_write_items(TransactItems=transaction)
    except ClientError as error:
        return error.response["Error"]["Code"], error.response.get("CancellationReasons")
    return None


@given(st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from("abc"))), st.lists(parts, min_size=1, max_size=5))
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_they_end_as_motos_own_do(
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
    present: set[tuple[str, str]],
    transaction: list[dict[str, Any]],
) -> None:
    backend = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION]
    for name in NAMES:
        backend.tables[name].items.clear()
    for name, which in present:
        client.put_item(TableName=name, Item=key_of(name, which) | {"tags": {"SS": ["x"]}})
    before = {name: copy.deepcopy(backend.tables[name]) for name in NAMES}
    begun = contents()
    ended = outcome(client, transaction), contents()
    if ended[0] is not None:
        assert ended[1] == begun
    backend.tables.update(before)
    with monkeypatch.context() as unpatched:
        unpatched.setattr(DynamoDBBackend, "transact_write_items", moto_transactions.MOTO_TRANSACT_WRITE_ITEMS)
        assert (outcome(client, transaction), contents()) == ended


def test_they_may_be_nested(client: Any) -> None:
    with moto_transactions.row_transactions(), moto_transactions.row_transactions():
        assert outcome(client, [part("Put", NAMES[0], "nested", None)]) is None
    assert outcome(client, [part("Put", NAMES[0], "after", None)]) is None
    assert DynamoDBBackend.transact_write_items is not moto_transactions.MOTO_TRANSACT_WRITE_ITEMS


def test_no_table_is_copied(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "__reduce_ex__", lambda *_: pytest.fail("a table was copied"))
    assert outcome(client, [part("Put", NAMES[1], "not copied", None)]) is None


def test_what_a_condition_says_is_not_confused_with_another(client: Any) -> None:
    for condition, expected in (("attribute_not_exists(id)", None), ("attribute_not_exists(id)", "refused")):
        ended = outcome(client, [part("Put", NAMES[0], "conditions", condition)])
        assert (ended is None) == (expected is None)
    names = {"#a": "id"}
    put = part("Put", NAMES[0], "named", "attribute_exists(#a)")
    put["Put"]["ExpressionAttributeNames"] = names
    assert outcome(client, [put])[0] == "TransactionCanceledException"
    put["Put"]["ExpressionAttributeNames"] = {"#a": "nothing"}
    put["Put"]["ConditionExpression"] = "attribute_not_exists(#a)"
    assert outcome(client, [put]) is None


@pytest.mark.parametrize(
    "transaction",
    [
        [part("Put", "no-such-table", "a", None)],
        [{"Put": {"TableName": NAMES[1], "Item": {"id": {"S": "a"}}}}],
        [part("Put", NAMES[0], "twice", None), part("Delete", NAMES[0], "twice", None)],
        [part("Put", NAMES[0], str(number), None) for number in range(101)],
    ],
    ids=["no table", "no key", "twice", "too many"],
)
def test_what_is_malformed_is_refused_and_changes_nothing(client: Any, transaction: list[dict[str, Any]]) -> None:
    before = contents()
    assert outcome(client, transaction) is not None
    assert contents() == before

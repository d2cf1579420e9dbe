"""The index by time of change in tables with rows of a release that did not write its attribute."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import boto3
import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.aws.dynamodb.changes import DynamoChanges
from coolid.aws.dynamodb.client import DynamoClient
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.settings import PULSE_TABLE, Settings
from coolid.identifiers.schemes import lui
from coolid.store.bulk import RecordRow, WriteGroup
from coolid.store.rows import CURRENT, pid_of, record_body
from coolid.store.store import Store
from coolid.wiring.boto_clients import WRITES, dynamodb
from tests.support.builders.samples import LATER, MOMENT, record
from tests.support.fixtures.system import environment_for, new_tables, store_over

OWNER = "r4k2-9m3x-62"
KEYS = [lui.encode(number) for number in range(90)]


@pytest.fixture
def tables(moto_tables: Mapping[str, str]) -> dict[str, str]:
    return new_tables()


@pytest.fixture
def store(tables: dict[str, str]) -> Store:
    return store_over(tables)


def changes(tables: Mapping[str, str], deployment: int) -> DynamoChanges:
    """The index as a release with this number sees it."""
    settings = Settings.read(environment_for(tables), writes=True, also=[PULSE_TABLE])
    client = dynamodb(WRITES)
    return DynamoChanges(DynamoClient(BotoTransport(client), bind(settings, client)), deployment)


def write_as_before(store: Store, tables: Mapping[str, str], key: str, **members: Any) -> None:
    """Write a record as an earlier release: without the attribute of the index."""
    new = record(key, **members)
    if new.version == 1:
        store.records.create_record(new)
    else:
        store.records.replace_record(new, replace(new, version=new.version - 1))
    client: Any = boto3.client("dynamodb")
    client.update_item(
        TableName=tables["LuiTable"],
        Key={"pid": {"S": pid_of(OWNER, key)}, "version": {"N": str(CURRENT)}},
        UpdateExpression="REMOVE changed",
    )


def keys_since(index: DynamoChanges, second: int) -> list[str]:
    """The keys that were changed since this second, by pages."""
    found, after = [], None
    while True:
        page, after = index.list_changed(OWNER, MOMENT + timedelta(seconds=second), None, 7, after)
        found += [each.key for each in page]
        if after is None:
            return found


def test_rows_of_an_earlier_release_are_listed_before_and_after_their_addition(
    store: Store, tables: dict[str, str]
) -> None:
    for number, key in enumerate(KEYS):
        write_as_before(store, tables, key, updated=MOMENT + timedelta(seconds=number))
    index = changes(tables, 5)
    assert keys_since(index, 80) == KEYS[80:]
    examined = [index.complete(OWNER, 40) for _ in range(5)]
    assert examined == [0, 40, 40, 40, 0]
    assert keys_since(index, 80) == KEYS[80:]
    assert keys_since(changes(tables, 6), 80) == KEYS[80:]
    assert changes(tables, 6).complete(OWNER, 1_000) == 0


def test_changes_of_a_rolled_back_release_are_listed_after_the_next_deployment(
    store: Store, tables: dict[str, str]
) -> None:
    for key in KEYS[:3]:
        store.records.create_record(record(key, updated=MOMENT))
    for _ in range(2):
        changes(tables, 5).complete(OWNER, 1_000)
    write_as_before(store, tables, KEYS[1], version=2, updated=LATER)  # by deployment 6, which stores no number
    write_as_before(store, tables, KEYS[4], updated=LATER)
    index = changes(tables, 7)
    assert keys_since(index, 1) == [KEYS[1], KEYS[4]]
    assert [index.complete(OWNER, 1_000) for _ in range(3)] == [0, 40, 0]
    assert keys_since(index, 1) == [KEYS[1], KEYS[4]]


def test_a_list_that_began_with_the_index_goes_on_without_it(store: Store, tables: dict[str, str]) -> None:
    for key in KEYS[:10]:
        store.records.create_record(record(key, updated=MOMENT))
    for _ in range(2):
        changes(tables, 5).complete(OWNER, 1_000)
    first, after = changes(tables, 5).list_changed(OWNER, MOMENT, None, 4, None)
    write_as_before(store, tables, KEYS[8], version=2, updated=LATER)
    found = {each.key for each in first}
    while after is not None:
        page, after = changes(tables, 7).list_changed(OWNER, MOMENT, None, 4, after)
        found |= {each.key for each in page}
    assert found == set(KEYS[:10])


def test_a_table_without_the_index_lists_all_records(store: Store, tables: dict[str, str]) -> None:
    client: Any = boto3.client("dynamodb")
    client.update_table(
        TableName=tables["LuiTable"], GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByChange"}}]
    )
    store.records.create_record(record(KEYS[0], updated=LATER))
    index = changes(tables, 5)
    assert [index.complete(OWNER, 1_000) for _ in range(3)] == [0, 0, 0]
    assert keys_since(index, 1) == [KEYS[0]]


def test_rows_of_a_restore_have_the_attribute(store: Store, tables: dict[str, str]) -> None:
    new = record(KEYS[0], updated=LATER)
    client: Any = boto3.client("dynamodb")
    row = RecordRow(OWNER, new.key, 1, new.status, record_body(new))
    DynamoBulkWriter(client, tables["LuiTable"]).put([WriteGroup(row)])
    index = changes(tables, 5)
    for _ in range(2):
        index.complete(OWNER, 1_000)
    assert keys_since(index, 1) == [new.key]
    (item,) = client.scan(TableName=tables["LuiTable"], IndexName="ByChange")["Items"]
    assert item["changed"]["S"] == f"2026-01-02T03:04:05Z {new.key}"

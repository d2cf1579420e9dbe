"""Rows that several regions write contain all additions once the replicas agree."""

import json
from typing import Any

import boto3
import orjson
import pytest

from coolid.errors import QuotaExceeded
from coolid.local.table_setup import put_items
from coolid.model.clients import Client, Quota
from coolid.records.quotas import Quotas
from coolid.store.rows import KEYS
from coolid.store.store import Store
from tests.support.builders.samples import MOMENT
from tests.support.fixtures.ports import FixedClock, KeySigner
from tests.support.fixtures.system import new_tables, store_over
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.moto_store import MotoStore

TABLE_KEYS = {"LuiTable": ("pid", "version")}


class Replica:
    """Tables of one region."""

    def __init__(self) -> None:
        self.names = new_tables()
        self.store: Store = store_over(self.names)

    def rows(self, table: str) -> dict[str, dict[str, Any]]:
        """The rows of a table by their keys."""
        keys = TABLE_KEYS[table]
        items = MotoStore().items(self.names[table])
        return {json.dumps([item[key] for key in keys]): item for item in items}


def agree(earlier: Replica, later: Replica, table: str) -> None:
    """Of two writes to one row the later stays."""
    rows = list({**earlier.rows(table), **later.rows(table)}.values())
    for replica in (earlier, later):
        put_items(replica.names[table], rows)


@pytest.fixture
def replicas(moto_tables: dict[str, str]) -> tuple[Replica, Replica]:
    return Replica(), Replica()


def test_keys_that_two_regions_publish_at_once_are_all_stored(
    replicas: tuple[Replica, Replica],
) -> None:
    keys = [KeySigner().public_key() for _ in range(4)]
    replicas[0].store.public_keys.add_public_key(keys[0])
    agree(*replicas, "LuiTable")
    for replica, key in zip([*replicas, replicas[0]], keys[1:], strict=True):
        replica.store.public_keys.add_public_key(key)
    agree(*replicas, "LuiTable")
    for replica in replicas:
        assert {key["kid"] for key in replica.store.public_keys.public_keys()} == {key["kid"] for key in keys}


def test_a_key_that_two_regions_publish_is_one(replicas: tuple[Replica, Replica]) -> None:
    key = KeySigner().public_key()
    for replica in replicas:
        replica.store.public_keys.add_public_key(key)
    agree(*replicas, "LuiTable")
    assert [list(replica.store.public_keys.public_keys()) for replica in replicas] == [[key], [key]]


def test_keys_that_were_published_as_one_list_are_still_known(replicas: tuple[Replica, Replica]) -> None:
    """As all were once; exports and snapshots of then can be read."""
    store, names = replicas[0].store, replicas[0].names
    older, newer = ([KeySigner().public_key() for _ in range(2)] for _ in range(2))
    row = {"pid": {"S": KEYS}, "version": {"N": "0"}, "status": {"S": "keys"}, "revision": {"N": "2"}}
    put_items(names["LuiTable"], [row | {"body": {"S": json.dumps(older)}}])
    for key in (*newer, older[1]):
        store.public_keys.add_public_key(key)
    assert [key["kid"] for key in store.public_keys.public_keys()] == [key["kid"] for key in (*older, *newer)]


def test_a_key_is_published_as_one_row(replicas: tuple[Replica, Replica]) -> None:
    keys = [KeySigner().public_key() for _ in range(3)]
    for key in (*keys, keys[0]):
        replicas[0].store.public_keys.add_public_key(key)
    rows = replicas[0].rows("LuiTable").values()
    assert sorted(row["body"]["S"] for row in rows) == sorted(orjson.dumps(key).decode() for key in keys)


def test_the_rows_of_keys_are_no_records(replicas: tuple[Replica, Replica]) -> None:
    store, names = replicas[0].store, replicas[0].names
    store.public_keys.add_public_key(KeySigner().public_key())
    client: Any = boto3.client("dynamodb")
    assert client.scan(TableName=names["LuiTable"], IndexName="ByRepository")["Items"] == []


def test_regions_do_not_undo_each_others_count_of_a_quota() -> None:
    """Each counts for itself: a row of its own."""
    store, clock = MemoryStore(), FixedClock()
    client = Client("epyx6gxg", "0" * 64, (), MOMENT, quota=Quota(minute=2, day=3))
    regions = [Quotas(store, clock, region) for region in ("eu-west-1", "us-east-1", "")]
    for quotas in regions:
        for _ in range(2):
            quotas.spend(client)
        with pytest.raises(QuotaExceeded):
            quotas.spend(client)
    assert len(store.usages) == 3

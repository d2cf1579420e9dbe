"""One fixture, `store`: an empty store of each kind that implements the ports of `coolid.store`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.sqlite.database import Database
from coolid.sqlite.store import sqlite_store
from coolid.store.store import Store
from tests.contract.stores import STORES
from tests.support.fixtures.system import Dynamo, empty, new_tables, store_over
from tests.support.stores.memory_store import MemoryStore, whole
from tests.support.stores.record_index import CurrentSearch


@pytest.fixture(scope="session")
def dynamo_by_http_transport(moto_tables: dict[str, str]) -> Dynamo:
    """The store over DynamoDB that reads with `HttpTransport`, and its tables."""
    tables = new_tables()
    return store_over(tables, HttpTransport.read(os.environ)), tables


@pytest.fixture
def indexed_dynamo(dynamo: Dynamo) -> Dynamo:
    """The store over DynamoDB, which searches by an index that contains every change."""
    found, tables = dynamo
    empty(tables)
    return replace(found, record_search=CurrentSearch(tables)), tables


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    if request.param == "memory":
        yield whole(MemoryStore())
        return
    if request.param == "sqlite":
        with Database.open(tmp_path / "coolid.db", is_durable=False) as database:
            yield sqlite_store(database)
        return
    dynamo: Dynamo = request.getfixturevalue(request.param)
    found, tables = dynamo
    empty(tables)
    yield found

"""One fixture, `store`: an empty store of each kind that implements the ports of `coolid.store`."""

import os

import pytest

from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.store.store import Store
from tests.support.fixtures.system import Dynamo, empty, new_tables, store_over
from tests.support.stores.memory_store import MemoryStore, whole


@pytest.fixture(scope="session")
def dynamo_by_http_transport(embedded_tables: dict[str, str]) -> Dynamo:
    """The store over DynamoDB that reads with `HttpTransport`, and its tables."""
    tables = new_tables()
    return store_over(tables, HttpTransport.read(os.environ)), tables


@pytest.fixture(params=["memory", "dynamo", "dynamo_by_http_transport"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store."""
    if request.param == "memory":
        return whole(MemoryStore())
    dynamo: Dynamo = request.getfixturevalue(request.param)
    found, tables = dynamo
    empty(tables)
    return found

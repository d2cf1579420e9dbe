"""A store of each kind, empty, for the duties that all of them have."""

import os

import pytest

from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.store.store import Store
from tests.support.fixtures.system import empty, new_tables, store_over
from tests.support.stores.memory_store import MemoryStore, whole

Dynamo = tuple[Store, dict[str, str]]


@pytest.fixture(scope="session")
def dynamo(embedded_tables: dict[str, str]) -> Dynamo:
    """The store over DynamoDB, which remembers nothing itself, and its tables."""
    tables = new_tables()
    return store_over(tables), tables


@pytest.fixture(scope="session")
def dynamo_by_our_own_client(embedded_tables: dict[str, str]) -> Dynamo:
    """The same, but that our own client asks."""
    tables = new_tables()
    return store_over(tables, HttpTransport.read(os.environ)), tables


@pytest.fixture(params=["memory", "dynamodb", "dynamodb by our own client"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store."""
    if request.param == "memory":
        return whole(MemoryStore())
    name = "dynamo" if request.param == "dynamodb" else "dynamo_by_our_own_client"
    dynamo: Dynamo = request.getfixturevalue(name)
    over, tables = dynamo
    empty(tables)
    return over

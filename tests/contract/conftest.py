"""A store of each kind, empty, for the duties that all of them have."""

import pytest

from coolid.domain.stores import Store
from tests.fakes import MemoryStore
from tests.systems import empty, new_tables, store_over

Dynamo = tuple[Store, dict[str, str]]


@pytest.fixture(scope="session")
def dynamo(embedded_tables: dict[str, str]) -> Dynamo:
    """The store over DynamoDB, which remembers nothing itself, and its tables."""
    tables = new_tables()
    return store_over(tables), tables


@pytest.fixture(params=["memory", "dynamodb"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store."""
    if request.param == "memory":
        return MemoryStore()
    dynamo: Dynamo = request.getfixturevalue("dynamo")
    over, tables = dynamo
    empty(tables)
    return over

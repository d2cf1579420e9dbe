"""The redirects function: changes that the store cannot take now stay in their queue."""

from logging import getLogger

import pytest

from coolid.aws.edge_redirects.update_function import UpdateFunction
from coolid.aws.edge_redirects.update_queue import UpdateMessage
from coolid.edge.store_writer import StoreWriter
from coolid.edge.synchroniser import LEASE_SECONDS, Synchroniser
from tests.support.builders.samples import BASE_URL, provider_prefix
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.key_value_store import FakeKeyValueStore, MemoryLedgerFile
from tests.support.stores.memory_store import MemoryStore


def ignore(name: str, value: int = 1, **dimensions: str) -> None:
    """Count nothing."""


@pytest.mark.parametrize(("seconds", "retried"), [(0, []), (LEASE_SECONDS, [{"itemIdentifier": "a"}])])
def test_changes_of_a_store_that_is_off_are_retried(seconds: int, retried: list[dict[str, str]]) -> None:
    clock, rows = FixedClock(), MemoryStore()
    writer = StoreWriter(FakeKeyValueStore(), MemoryLedgerFile(), "a-store", BASE_URL, clock)
    function = UpdateFunction(Synchroniser(writer, rows, BASE_URL), clock, getLogger(), ignore)
    function.sweep(lambda: 100.0)
    clock.pause(seconds * 1000)
    rows.put_prefix(provider_prefix("go", "https://a.example/{$id}"), None)
    body = UpdateMessage(names=("go",), since=0).text()
    record = {"eventSource": "aws:sqs", "messageId": "a", "body": body}
    assert function({"Records": [record]}, lambda: 100.0) == {"batchItemFailures": retried}

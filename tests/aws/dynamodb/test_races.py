"""DynamoDB: concurrent writes and truncated responses do not undo operations of several calls."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from coolid.aws.dynamodb.counters import DynamoCounters
from coolid.aws.dynamodb.prefixes import DynamoPrefixes
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.errors import StoreUnavailable
from coolid.model.prefixes import Namespace, ProviderPrefix, Synonym
from coolid.model.records import Record
from coolid.store.rows import record_body
from tests.support.builders.samples import provider_prefix, record
from tests.support.fixtures.system import Dynamo, empty

OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"


def test_a_synonym_that_is_given_back_before_it_was_dropped_stays(
    dynamo: Dynamo, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, tables = dynamo
    empty(tables)
    store.prefixes.put_prefix(provider_prefix("go", synonyms=("gobp", "gomf")), None)
    drop = DynamoPrefixes._drop_synonym

    def drop_late(here: DynamoPrefixes, synonym: str, prefix: Namespace | ProviderPrefix) -> None:
        monkeypatch.setattr(DynamoPrefixes, "_drop_synonym", drop)
        without = here.prefixes(["go"], consistent=True)["go"]
        here.put_prefix(provider_prefix("go", synonyms=("gobp",), revision=3), without)
        drop(here, synonym, prefix)

    monkeypatch.setattr(DynamoPrefixes, "_drop_synonym", drop_late)
    first = store.prefixes.prefixes(["go"], consistent=True)["go"]
    store.prefixes.put_prefix(provider_prefix("go", revision=2), first)
    rows = store.prefixes.prefixes(["go", "gobp"], consistent=True)
    assert isinstance(rows["go"], ProviderPrefix)
    assert rows["go"].synonyms == ("gobp",)
    assert isinstance(rows["gobp"], Synonym)


def test_half_a_response_to_a_reservation_is_a_store_that_cannot_be_reached(
    dynamo: Dynamo, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = dynamo
    assert isinstance(store.counters, DynamoCounters)
    monkeypatch.setattr(store.counters._model, "update", Mock(side_effect=KeyError("Attributes")))
    with pytest.raises(StoreUnavailable):
        store.counters.reserve("a-counter", 1, 1)


@pytest.mark.parametrize("count", [3, 8])
def test_a_change_that_is_written_while_the_newest_are_read_leaves_no_gap(count: int) -> None:
    """As DynamoDB may do it: the Query has passed the place of the version that it moves aside."""
    versions = [record(KEY, version=number) for number in range(1, count + 3)]

    def row(number: int, version: Record) -> dict[str, Any]:
        pid = f"{OWNER}/{KEY}"
        return {"pid": {"S": pid}, "version": {"N": str(number)}, "body": {"S": record_body(version)}}

    rows = {each.version: row(each.version, each) for each in versions[: count - 1]}
    changes = iter(versions[count:])

    def ask(operation: str, requested: Mapping[str, Any]) -> dict[str, Any]:
        present = [rows[number] for number in sorted(rows, reverse=True)]
        if change := next(changes, None):
            rows[change.version - 1] = row(change.version - 1, versions[change.version - 2])
            rows[0] = row(0, change)
        if operation == "GetItem":
            return {"Item": rows[0]}
        return {"Items": [*(each for each in present if each is not rows.get(0)), rows[0]][: requested["Limit"]]}

    asker: Any = SimpleNamespace(call=ask)
    returned = [each.version for each in DynamoReader(asker, "prefixes", "luis").history(OWNER, KEY, 5)]
    assert returned[0] > count
    assert returned == list(range(returned[0], max(0, returned[0] - 5), -1))[: len(returned)]
    assert len(returned) >= min(3, count)

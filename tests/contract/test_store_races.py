"""Over DynamoDB: what takes several calls is not undone by what others write between them, nor by half an answer."""

from unittest.mock import Mock

import pytest

from coolid.aws.dynamodb.counters import DynamoCounters
from coolid.aws.dynamodb.prefixes import DynamoPrefixes
from coolid.errors import StoreUnavailable
from coolid.model.prefixes import Namespace, ProviderPrefix, Synonym
from coolid.store.store import Store
from tests.support.builders.samples import provider_prefix
from tests.support.fixtures.system import empty

Dynamo = tuple[Store, dict[str, str]]


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


def test_half_an_answer_to_a_reservation_is_a_store_that_cannot_be_reached(
    dynamo: Dynamo, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = dynamo
    assert isinstance(store.counters, DynamoCounters)
    monkeypatch.setattr(store.counters._model, "update", Mock(side_effect=KeyError("Attributes")))
    with pytest.raises(StoreUnavailable):
        store.counters.reserve("a-counter", 1, 1)

"""The contract of `ConditionStore`."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.model.conditions import DEGRADED, DOWN, MAX_BYTES, STATES, UP, Condition, Health
from coolid.model.prefixes import Provider, ProviderPrefix, Stem, Synonym
from coolid.model.records import Location
from coolid.store.rows import health_body, health_of, record_body
from coolid.store.store import Store
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import MOMENT, moments, namespace, provider_prefix, record, repository, text
from tests.support.effort import examples

OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"
URL = "https://a.example/"
OLS = Condition(DOWN, MOMENT, "it answered 500", good=MOMENT - timedelta(days=1), moved="https://b.example/é")
HEALTH = {"p0": OLS, "p1": Condition(UP, MOMENT)}
healths = st.dictionaries(
    text, st.builds(Condition, st.sampled_from(STATES), moments, text, st.none() | moments, st.none() | text)
)


def registered(store: Store, *urls: str, **members: Any) -> ProviderPrefix:
    """A provider prefix that the store has."""
    store.prefixes.put_prefix(provider_prefix("go", *urls, **members), None)
    return present(store)


def present(store: Store, name: str = "go") -> ProviderPrefix:
    found = store.prefixes.prefixes([name], consistent=True)[name]
    assert isinstance(found, ProviderPrefix)
    return found


def health_beside(store: Store) -> Health:
    found = store.records.record(OWNER, KEY, consistent=True)
    assert found is not None
    assert store.records.records(OWNER, [KEY])[KEY].health == found.health
    return found.health


class TestBesidePrefixes:
    def test_conditions_are_read_with_it_wherever_it_is_read(self, store: Store) -> None:
        prefix = registered(store, "https://a.example/{$id}", "https://b.example/{$id}")
        assert prefix.health == {}
        assert store.conditions.set_prefix_condition("go", 1, HEALTH) is True
        assert present(store).health == HEALTH
        (listed,), _ = store.prefixes.list_prefixes(10, None)
        assert isinstance(listed, ProviderPrefix)
        assert listed.health == HEALTH
        assert store.conditions.set_prefix_condition("go", 1, {}) is True
        assert present(store) == prefix

    def test_another_revision_gets_no_condition_and_no_row_is_created(self, store: Store) -> None:
        assert store.conditions.set_prefix_condition("go", 1, HEALTH) is False
        assert store.prefixes.prefixes(["go"]) == {}
        prefix = registered(store, URL)
        store.prefixes.put_prefix(replace(prefix, title="Genes", revision=2), prefix)
        assert store.conditions.set_prefix_condition("go", 1, HEALTH) is False
        assert present(store).health == {}

    def test_other_rows_get_no_condition(self, store: Store) -> None:
        registered(store, URL, synonyms=("gene:ontology",))
        store.repositories.create_repository(repository(OWNER))
        store.prefixes.put_prefix(namespace("mp"), None)
        for name in ("mp", "gene", "gene:ontology", "/repositories/r4k2-9m3x-62"):
            assert store.conditions.set_prefix_condition(name, 1, HEALTH) is False
        found = store.prefixes.prefixes(["mp", "gene", "gene:ontology"])
        assert found["mp"] == namespace("mp")
        assert isinstance(found["gene"], Stem)
        assert isinstance(found["gene:ontology"], Synonym)

    def test_they_stay_with_other_changes_and_are_removed_with_the_providers(self, store: Store) -> None:
        first = registered(store, "https://a.example/{$id}")
        store.conditions.set_prefix_condition("go", 1, HEALTH)
        second = replace(first, title="Genes", revision=2)
        store.prefixes.put_prefix(second, first)
        assert present(store).health == HEALTH
        for providers in ((Provider("p0", "https://b.example/{$id}"),), ()):
            before = present(store)
            store.conditions.set_prefix_condition("go", before.revision, HEALTH)
            store.prefixes.put_prefix(replace(before, providers=providers, revision=before.revision + 1), before)
            assert present(store).health == {}

    def test_a_longer_name_disturbs_nothing(self, store: Store) -> None:
        registered(store, URL)
        store.conditions.set_prefix_condition("go", 1, HEALTH)
        store.prefixes.put_prefix(provider_prefix("go:x", URL), None)
        assert present(store).health == HEALTH
        assert present(store).longer == {"go:x"}


class TestBesideRecords:
    def test_conditions_are_read_with_it_wherever_it_is_read(self, store: Store) -> None:
        store.records.create_record(record(KEY))
        assert health_beside(store) == {}
        assert store.conditions.set_record_condition(OWNER, KEY, 1, {URL: OLS}) is True
        assert health_beside(store) == {URL: OLS}
        (listed,), _ = store.records.list_records(OWNER, 10, None)
        assert listed.health == {URL: OLS}
        assert store.conditions.set_record_condition(OWNER, KEY, 1, {}) is True
        assert health_beside(store) == {}

    def test_another_version_gets_no_condition_and_no_row_is_created(self, store: Store) -> None:
        assert store.conditions.set_record_condition(OWNER, KEY, 1, HEALTH) is False
        assert store.records.record(OWNER, KEY) is None
        first = record(KEY)
        store.records.create_record(first)
        store.records.replace_record(replace(first, version=2), first)
        assert store.conditions.set_record_condition(OWNER, KEY, 1, HEALTH) is False
        assert health_beside(store) == {}

    def test_beside_the_largest_of_records_there_is_room_for_the_worst(self, store: Store) -> None:
        uris = [f"https://sick.example/{at}?{'x' * 1_900}" for at in range(100)]
        first = record(KEY, records=tuple(map(Location, uris)))
        large = replace(first, metadata={"notes": "x" * (379_900 - len(record_body(first)))})
        store.records.create_record(large)
        failing, dead = Condition(DEGRADED, MOMENT, "it answered 500"), Condition(DOWN, MOMENT, "it answered 404")
        health = dict.fromkeys(uris, failing) | {uris[-1]: dead}
        assert store.conditions.set_record_condition(OWNER, KEY, 1, health) is True
        beside = health_beside(store)
        assert beside[uris[-1]] == dead
        assert len(beside) == MAX_BYTES // 2_000 - 1
        assert store.conditions.set_record_condition(OWNER, KEY, 1, beside) is True
        assert health_beside(store) == beside

    def test_neither_a_new_version_nor_the_one_that_it_replaces_has_any(self, store: Store) -> None:
        store.records.create_record(record(KEY))
        store.conditions.set_record_condition(OWNER, KEY, 1, {URL: OLS})
        first = store.records.record(OWNER, KEY, consistent=True)
        assert first is not None
        store.records.replace_record(replace(first, version=2, metadata={"what": "x"}), first)
        assert health_beside(store) == {}
        archived = store.records.superseded(OWNER, KEY, 1)
        assert archived is not None
        assert archived.health == {}
        assert [each.version for each in stored_versions(store.records, OWNER, KEY)] == [2, 1]

    def test_it_is_the_same_record_with_them_and_without(self, store: Store) -> None:
        first = record(KEY)
        store.records.create_record(first)
        store.conditions.set_record_condition(OWNER, KEY, 1, {URL: OLS})
        found = store.records.record(OWNER, KEY, consistent=True)
        assert found == first
        assert found.to_document() == first.to_document()


@examples(40)
@given(healths)
def test_conditions_come_back_from_their_text(health: Mapping[str, Condition]) -> None:
    assert health_of(health_body(health)) == health


@pytest.mark.parametrize("state", STATES)
def test_what_is_not_known_of_a_condition_takes_no_room(state: str) -> None:
    assert (
        health_body({"x": Condition(state, MOMENT)}) == f'{{"x":{{"state":"{state}","since":"2025-07-10T14:22:30Z"}}}}'
    )

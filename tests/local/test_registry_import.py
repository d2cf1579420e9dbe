"""The import of a registry into a store that has prefixes already."""

import pytest
from msgspec.structs import replace

from coolid.local.bioregistry_data.registry_import import CHANGED, NEW, SKIPPED, UNCHANGED, import_registry
from coolid.model.prefixes import ProviderPrefix, Synonym
from tests.support.builders.samples import namespace, provider_prefix
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

SOURCE = "Bioregistry 0.15.6 (CC0 1.0)"
URL = "https://go.example/{$id}"


def prefix(name: str = "go.ref", *synonyms: str, source: str | None = SOURCE, url: str = URL) -> ProviderPrefix:
    return provider_prefix(name, url, synonyms=synonyms, source=source)


def imported(store: MemoryStore, *prefixes: ProviderPrefix) -> dict[str, str]:
    return dict(import_registry(prefixes, store, FixedClock()))


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def test_a_new_prefix_is_registered_with_its_synonyms_and_the_second_import_changes_nothing(store: MemoryStore) -> None:
    entry = replace(prefix("go.ref", "goref", "p1"), mapped={"p1": ("wikidata.property",)})
    assert imported(store, entry) == {"go.ref": NEW}
    assert isinstance(store.rows["goref"], Synonym)
    assert imported(store, entry) == {"go.ref": UNCHANGED}


def test_a_prefix_of_an_earlier_release_of_the_registry_is_replaced(store: MemoryStore) -> None:
    imported(store, prefix(source="Bioregistry 0.13.0 (CC0 1.0)", url="https://old.example/{$id}"))
    assert imported(store, prefix("go.ref", "goref")) == {"go.ref": CHANGED}
    row = store.rows["go.ref"]
    assert isinstance(row, ProviderPrefix)
    assert (row.providers[0].url, row.synonyms, row.source, row.revision) == (URL, ("goref",), SOURCE, 2)


def test_prefixes_that_an_operator_registered_or_changed_stay(store: MemoryStore) -> None:
    imported(store, prefix("own", source=None), prefix("other", source="Elsewhere 1"))
    store.rows["goref"] = namespace("goref")
    before = dict(store.rows)
    outcomes = imported(store, prefix("own"), prefix("other"), prefix("goref"))
    assert outcomes == dict.fromkeys(("own", "other", "goref"), SKIPPED)
    assert store.rows == before


def test_a_name_that_is_taken_is_left_out_of_the_synonyms(store: MemoryStore) -> None:
    store.rows["goref"] = namespace("goref")
    entry = replace(prefix("go.ref", "goref", "go_ref"), mapped={"goref": ("miriam",)})
    assert imported(store, entry) == {"go.ref": NEW}
    row = store.rows["go.ref"]
    assert isinstance(row, ProviderPrefix)
    assert (row.synonyms, row.mapped) == (("go_ref",), {})

"""Rows: a stored value is read back unchanged."""

from itertools import pairwise
from typing import Any

import orjson
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.aws.dynamodb.table_reader import plain
from coolid.identifiers.rules.uuid import UuidRules
from coolid.model.prefixes import Namespace, ProviderPrefix, Stem, Synonym, ancestors
from coolid.model.records import Location, Record, format_time, parse_time
from coolid.model.repositories import Repository
from coolid.store.memory_size import size_in_memory
from coolid.store.rows import (
    prefix_body,
    prefix_kind,
    prefix_of,
    record_body,
    record_of,
    registry_rows,
    repository_body,
    repository_of,
    side_attributes,
    side_attributes_of,
    side_members,
    steps_to,
    stored_record,
)
from tests.support.builders.samples import (
    locations,
    moments,
    names,
    namespaces,
    provider_prefix,
    provider_prefixes,
    records,
    repositories,
    repository,
)
from tests.support.builders.samples import record as sample
from tests.support.stores.memory_store import MemoryStore


def row_of(prefix: Namespace | ProviderPrefix) -> dict[str, Any]:
    row = {"name": prefix.name, "kind": prefix_kind(prefix), "revision": prefix.revision, "body": prefix_body(prefix)}
    row |= side_attributes(prefix)
    return row | ({"longer": prefix.longer} if prefix.longer else {})


@given(records)
def test_a_record_comes_back_from_its_row(record: Record) -> None:
    assert record_of(record_body(record)) == record


@given(records, st.none() | st.just("client"))
def test_our_own_rows_are_read_as_any_are(record: Record, author: str | None) -> None:
    body = record_body(record)
    fast, slow = stored_record(body, author), record_of(body, author)
    assert (fast, fast.author) == (slow, author)
    assert record_body(fast) == body  # numbers as they were written, too


HEAVY = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=3), inner, max_size=20),
    max_leaves=60,
)


@given(records, st.dictionaries(st.text(max_size=3), HEAVY, max_size=50))
def test_what_we_read_is_never_heavier_than_it_says(record: Record, metadata: dict[str, Any]) -> None:
    for heavy in (record, replace(record, metadata=metadata)):
        read = stored_record(record_body(heavy), "an author of whom there is a name", None, "0" * 32)
        orjson.dumps(read.to_document())  # whoever sends a text gives it its UTF-8
        assert size_in_memory(read) <= read.weight


@given(st.integers(1, 400), st.sampled_from([{}, [], "", "é", 1 << 40, {"": 1}, [1.5], None]))
def test_no_number_of_things_makes_a_record_heavier_than_it_says(number: int, thing: Any) -> None:
    for metadata in ({"": [thing] * number}, {str(each): thing for each in range(number)}):
        read = stored_record(record_body(sample(metadata=metadata)))
        assert size_in_memory(read) <= read.weight


@given(records)
def test_a_record_comes_back_from_its_document(record: Record) -> None:
    assert Record.from_document(record.to_document()) == record


@given(locations)
def test_a_location_comes_back_from_its_document_where_only_the_end_of_a_period_may_be_open(location: Location) -> None:
    document = location.to_document()
    assert Location.from_document(document) == location
    assert {member for member, value in document.items() if value is None} < {"validFrom", "validUntil"}
    assert ("validFrom" in document) is ("validUntil" in document)


@given(moments)
def test_a_moment_comes_back_from_its_text(moment: Any) -> None:
    assert parse_time(format_time(moment)) == moment
    assert format_time(moment).endswith("Z")


@given(repositories)
def test_a_repository_comes_back_from_its_row(repository: Repository) -> None:
    assert repository_of(repository_body(repository), repository.canonical, side_attributes(repository)) == repository


@given(repositories)
def test_what_is_apart_goes_into_a_document_and_comes_back_as_the_same_attributes(repository: Repository) -> None:
    document = orjson.loads(orjson.dumps(side_members(repository)))
    assert side_attributes_of(document) == side_attributes(repository)


def test_the_previous_release_ignores_landing() -> None:
    owner = repository(landing="page")
    assert "landing" not in repository_body(owner)
    assert side_attributes(owner) == {"terms": '{"landing":"page"}'}
    assert side_attributes(repository(landing="target")) == {}


def test_the_previous_release_reads_other_rules_that_accept_the_same_uuids() -> None:
    owner = repository(rules=UuidRules(version=4, accepts=(7,)))
    beside = side_attributes(owner)
    assert beside == {"terms": '{"rules":{"scheme":"uuid","rules":{"version":4,"accepts":[7]}}}'}
    assert repository_of(repository_body(owner), None, beside) == owner
    read_before = repository_of(repository_body(owner), None, {"terms": "{}"}).rules
    for key in ("017f22e279b07cc398c4dc0c0c07398f", "919108f752d143209bacf847db4148a8"):
        assert read_before.validate(key.upper()) == read_before.display(key) == key


@given(repositories)
def test_the_previous_release_can_read_a_repositorys_text(repository: Repository) -> None:
    """It knows these members and refuses others."""
    members = "id title created updated rules scheme ttl redirect domains passthrough target choices canonical revision"
    assert orjson.loads(repository_body(repository)).keys() == set(members.split())


@given(provider_prefixes)
def test_the_previous_release_can_read_a_prefixs_text(prefix: ProviderPrefix) -> None:
    members = "title description homepage pattern example strict encoding providers synonyms redundant ttl source"
    assert orjson.loads(prefix_body(prefix)).keys() == {*members.split(), "created", "updated"}


def test_what_a_release_after_this_one_says_of_a_repository_is_passed_over() -> None:
    plain = repository()
    body = repository_body(plain)
    later = {"terms": '{"archive":"https://a.example/","unheard":1}', "unheard": "{}"}
    assert repository_of(body, None, later) == replace(plain, archive="https://a.example/")


@given(namespaces)
def test_a_namespace_comes_back_from_its_row(namespace: Namespace) -> None:
    assert prefix_of(row_of(namespace)) == namespace


@given(provider_prefixes)
def test_a_provider_prefix_comes_back_from_its_row(prefix: ProviderPrefix) -> None:
    assert prefix_of(row_of(prefix)) == prefix


@given(names, st.frozensets(names, max_size=3), st.none() | names)
def test_a_stem_and_a_synonym_come_back_from_their_rows(name: str, longer: frozenset[str], target: str | None) -> None:
    row: dict[str, Any] = {"name": name} | ({"longer": longer} if longer else {})
    if target is None:
        assert prefix_of(row) == Stem(name=name, longer=longer)
    else:
        assert prefix_of(row | {"kind": "synonym", "target": target}) == Synonym(
            name=name, longer=longer, target=target
        )


def test_a_row_of_another_kind_is_no_prefix() -> None:
    assert prefix_of({"name": "/repositories/x", "kind": "repository", "body": "{}"}) is None


@given(st.text() | st.integers(-(10**30), 10**30) | st.sets(st.text(min_size=1), min_size=1))
def test_values_are_read_as_boto3_reads_them(value: Any) -> None:
    stored = TypeSerializer().serialize(value)
    read = plain(stored)
    assert (set(read) if isinstance(value, set) else read) == value == TypeDeserializer().deserialize(stored)


@given(names)
def test_the_steps_to_a_name_lead_from_its_shortest_ancestor_to_itself(name: str) -> None:
    steps = steps_to(name)
    assert len(steps) == len(ancestors(name))
    assert [shorter for shorter, _ in steps] == list(ancestors(name))
    assert [longer for _, longer in steps][-1:] == ([name] if steps else [])
    assert all(longer == next_shorter for (_, longer), (next_shorter, _) in pairwise(steps))


@given(st.lists(names, unique=True, max_size=8), st.lists(names, unique=True, max_size=4))
def test_filling_an_empty_table_with_rows_is_the_same_as_registering_one_by_one(
    registered: list[str], synonyms: list[str]
) -> None:
    free = [synonym for synonym in synonyms if synonym not in registered]
    prefixes = [provider_prefix(name, "https://x.example/{$id}") for name in registered]
    if prefixes:
        prefixes[0] = replace(prefixes[0], synonyms=tuple(free))
    store = MemoryStore()
    for prefix in prefixes:
        store.put_prefix(prefix, None)
    filled = {row["name"]: prefix_of(row) for row in registry_rows(prefixes)}
    assert filled == store.rows

"""Differences between versions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace

from coolid.model.differences import ALTERNATES, LOCATIONS, METADATA, Difference, differences, in_order
from coolid.model.records import Location, Record
from tests.support.builders.samples import json_values, locations, record, records_with

FEW = st.sampled_from(["a", "b", "c"])

SIMILAR = records_with(
    records=st.lists(st.builds(Location, uri=FEW, status=FEW, size=st.none() | st.integers(0, 3)), max_size=4).map(
        tuple
    )
    | st.lists(locations, max_size=2).map(tuple),
    metadata=st.dictionaries(FEW, st.sampled_from([1, True, None, 0, False, [1], [True]]) | json_values, max_size=3),
    alternates=st.lists(st.fixed_dictionaries({"scheme": FEW, "identifier": FEW}), max_size=4).map(tuple),
    ttl=st.none() | st.integers(0, 2),
)
MEMBERS = ("status", "withdrawn", "ttl", METADATA, LOCATIONS, ALTERNATES)


def said(of: Record) -> dict[str, Any]:
    document = of.to_document()
    return {member: document[member] for member in MEMBERS if member in document}


def written(document: Any) -> bytes:
    return json.encode(document, order="deterministic")


def applied(older: Record, changes: Sequence[Difference]) -> dict[str, Any]:
    """What `older` says after these changes."""
    document = said(older)
    named: dict[str, Callable[[Mapping[str, str]], str]] = {
        LOCATIONS: lambda each: each["uri"],
        ALTERNATES: lambda each: each["scheme"],
    }
    for member in ("status", "withdrawn", "ttl"):
        for each in changes:
            if each.member == member:
                document.pop(member, None)
                document |= zip((member,), each.now, strict=False)
    for each in changes:
        if each.member == METADATA:
            assert each.name is not None
            document[METADATA].pop(each.name, None)
            document[METADATA] |= zip((each.name,), each.now, strict=False)
    for member, name_of in named.items():
        there: dict[str, list[Any]] = {}
        for each in document[member]:
            there.setdefault(name_of(each), []).append(each)
        there |= {each.name: [*each.now] for each in changes if each.member == member and each.name is not None}
        order = in_order(map(name_of, document[member]), there)
        order = next((each.now for each in changes if each.member == member and each.is_order), order)
        left = {name: iter(values) for name, values in there.items()}
        document[member] = [next(left[name]) for name in order]
    return document


@given(SIMILAR, SIMILAR)
def test_the_differences_applied_to_the_older_give_what_the_newer_says(older: Record, newer: Record) -> None:
    assert written(applied(older, differences(older, newer))) == written(said(newer))


@given(SIMILAR, SIMILAR)
def test_there_are_none_exactly_if_both_say_the_same(older: Record, newer: Record) -> None:
    assert (differences(older, newer) == ()) == (written(said(older)) == written(said(newer)))
    assert differences(older, replace(older, version=older.version + 1, proof=None, previous=None)) == ()


def test_to_json_true_is_not_one() -> None:
    (only,) = differences(record(metadata={"what": 1}), record(metadata={"what": True}))
    assert only == Difference(METADATA, "what", (1,), (True,))


def test_a_location_is_known_by_its_uri_and_its_place_is_a_difference_of_its_own() -> None:
    one, other, new = Location("https://a.example/"), Location("https://b.example/"), Location("https://c.example/")
    (moved,) = differences(record(records=(one, other)), record(records=(other, one)))
    assert (moved.is_order, moved.was, moved.now) == (True, (one.uri, other.uri), (other.uri, one.uri))
    removed, added = differences(record(records=(one, other)), record(records=(other, new)))
    assert (removed.name, removed.now, added.name, added.was) == (one.uri, (), new.uri, ())

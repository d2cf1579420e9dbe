"""Handle values: a record becomes values and back, whatever clients write and whoever changes it in between."""

import json
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.handle.handle_search import matches
from coolid.http.dialects.handle.record_mapping import (
    MEMBER,
    HandleValue,
    handle_values,
    is_foreign,
    record_parts,
    value_to_store,
    visible_values,
)
from coolid.http.dialects.handle.value_parser import MAX_INDEX, read_value, read_values
from coolid.http.dialects.handle.values import Value, is_type, location_attributes, locations_xml, url_value
from coolid.model.records import INACTIVE, Location
from tests.support.builders.samples import LATER, MOMENT, json_values, locations, record, repository, text, uris

NOW = MOMENT

indexes = st.integers(1, MAX_INDEX)
references = st.fixed_dictionaries({"handle": text, "index": st.integers(0, MAX_INDEX)})
permissions = st.text("01", min_size=1, max_size=12)
data = st.one_of(
    st.fixed_dictionaries({"format": st.just("string"), "value": text}),
    st.fixed_dictionaries({"format": st.just("hex"), "value": st.binary(max_size=9).map(bytes.hex)}),
    st.fixed_dictionaries({"format": st.just("base64"), "value": st.sampled_from(["", "AAEC", "/+8="])}),
    st.fixed_dictionaries(
        {
            "format": st.just("admin"),
            "value": st.builds(lambda one, returned: {**one, "permissions": returned}, references, permissions),
        }
    ),
    st.fixed_dictionaries({"format": st.just("vlist"), "value": st.lists(references, max_size=3)}),
    st.fixed_dictionaries({"format": st.just("site"), "value": st.dictionaries(text, json_values, max_size=3)}),
)
more: dict[str, Any] = {
    "ttl": st.none() | st.integers(0, MAX_INDEX) | st.just("2030-01-01T00:00:00Z"),
    "permissions": st.sampled_from([None, "1110", "1111", "*"]),
    "references": st.none() | st.lists(references, min_size=1, max_size=2),
}
others = st.builds(
    Value, index=indexes, type=st.sampled_from(["EMAIL", "HS_ADMIN", "10320/loc", "a.b"]), data=data, **more
)
urls = st.builds(
    Value,
    index=indexes,
    type=st.sampled_from(["URL", "url"]),
    data=uris.map(lambda uri: {"format": "string", "value": uri}),
    **more,
)
values = st.lists(others | urls, max_size=6, unique_by=lambda value: value.index)
metadata = st.dictionaries(text.filter(lambda name: name != MEMBER), json_values, max_size=3)


class TestValues:
    @given(value=others | urls)
    def test_a_value_is_read_as_it_is_written(self, value: Value) -> None:
        assert read_value(value.document(), "") == value

    @given(values=values)
    def test_so_are_all_of_them_in_an_array_and_in_an_object(self, values: list[Value]) -> None:
        sent = [value.document() for value in values]
        assert read_values(sent) == read_values({"values": sent, "more": 1}) == tuple(values)

    @pytest.mark.parametrize(
        ("sent", "text"), [("a", "a"), (7, "7"), (True, "true"), (1.5, "1.5"), ({"format": "STRING", "value": 7}, "7")]
    )
    def test_a_text_may_be_written_in_short_form(self, sent: Any, text: str) -> None:
        assert read_value({"index": "3", "type": "X", "data": sent}, "").text == text

    @pytest.mark.parametrize(
        ("members", "pointer"),
        [
            *(({"index": index}, "/7/index") for index in (0, -1, 2**31, 1.0, True, "x", "²", None)),
            *(
                ({"type": kind}, "/7/type")
                for kind in ("", 7, None, "a\nb", "x" * 501, "HS_SECKEY", "hs_seckey.a", " HS_SECKEY ")
            ),
            *(({"ttl": ttl}, "/7/ttl") for ttl in (-1, True, 1.5, "tomorrow", "2030-99-99T00:00:00Z")),
            *(({"permissions": returned}, "/7/permissions") for returned in ("1100", "0001", "11", 1110, "")),
            *(({"references": returned}, "/7/references") for returned in (7, "", 0)),
            ({"references": {}}, "/7/references"),
            ({"ttl": []}, "/7/ttl"),
            *(
                ({"data": returned}, "/7/data")
                for returned in (None, [1], {"format": 1, "value": ""}, {"format": "hex"})
            ),
            ({"data": {"format": "xml", "value": ""}}, "/7/data/format"),
            ({"data": {"format": "string", "value": []}}, "/7/data/value"),
            ({"data": {"format": "hex", "value": "0"}}, "/7/data/value"),
            ({"data": {"format": "hex", "value": ["00"]}}, "/7/data/value"),
            ({"data": {"format": "base64", "value": "é"}}, "/7/data/value"),
            ({"data": {"format": "base64", "value": 7}}, "/7/data/value"),
            ({"data": {"format": "admin", "value": "x"}}, "/7/data/value"),
            ({"data": {"format": "admin", "value": {"handle": "x", "permissions": "2"}}}, "/7/data/value/permissions"),
            ({"data": {"format": "vlist", "value": [{"handle": 7}]}}, "/7/data/value/0"),
            ({"data": {"format": "site", "value": []}}, "/7/data/value"),
            ({"data": {"format": "key", "value": {"kty": "RSA", "n": "x", "d": "x"}}}, "/7/data/value"),
        ],
    )
    def test_errors_of_values_are_reported_with_their_positions(self, members: dict[str, Any], pointer: str) -> None:
        with pytest.raises(InvalidInput) as error:
            read_value({"index": 1, "type": "X", "data": "x"} | members, "/7")
        assert error.value.violations[0].pointer == pointer

    @pytest.mark.parametrize("document", [None, 7, "x", {}, {"values": 7}, {"index": 1}, [7], [{}] * 501])
    def test_what_is_no_set_of_values_is_refused(self, document: Any) -> None:
        with pytest.raises(InvalidInput):
            read_values(document)

    @given(value=json_values | st.dictionaries(st.sampled_from(["index", "type", "data", "ttl"]), json_values))
    def test_nothing_that_is_sent_is_more_than_refused(self, value: Any) -> None:
        for document in (value, [value], {"values": value}, {"values": [value]}):
            try:
                read_values(document)
            except InvalidInput:
                continue


class TestMapping:
    @given(values=values, metadata=metadata)
    def test_what_is_put_comes_back(self, values: list[Value], metadata: dict[str, Any]) -> None:
        held = tuple(value_to_store(value) for value in values)
        places, stored = record_parts(held, metadata)
        assert [each.value for each in handle_values(places, stored)] == values
        assert {name: value for name, value in stored.items() if name != MEMBER} == metadata

    @given(places=st.lists(locations, max_size=4).map(tuple), values=values, metadata=metadata)
    def test_what_is_held_is_written_as_it_was(
        self, places: tuple[Location, ...], values: list[Value], metadata: dict[str, Any]
    ) -> None:
        """Whatever others did to the locations since the values were put."""
        _, stored = record_parts(tuple(value_to_store(value) for value in values), metadata)
        held = handle_values(places, stored)
        assert [each.location for each in held if each.location] == list(places)
        assert len({each.value.index for each in held}) == len(held)
        again, as_kept = record_parts(held, stored)
        assert again == places
        assert handle_values(again, as_kept) == held

    @given(places=st.lists(locations, max_size=4).map(tuple), metadata=metadata, values=values)
    def test_foreign_metadata_stays_and_written_values_are_recognised(
        self, places: tuple[Location, ...], metadata: dict[str, Any], values: list[Value]
    ) -> None:
        for held in (handle_values(places, metadata), tuple(value_to_store(value) for value in values)):
            _, stored = record_parts(held, metadata)
            assert {name: value for name, value in stored.items() if name != MEMBER} == metadata
            assert not is_foreign(stored)
            assert not is_foreign(json.loads(json.dumps(stored)))

    @given(
        before=st.lists(uris, min_size=1, max_size=5),
        after=st.lists(uris | st.none(), max_size=5),
        order=st.randoms(use_true_random=False),
    )
    def test_an_index_never_comes_to_mean_another_url(
        self, before: list[str], after: list[str | None], order: Random
    ) -> None:
        """Whichever locations others take away, add, and however they order them."""
        held = tuple(value_to_store(url_value(index, uri)) for index, uri in enumerate(before, 5))
        _, stored = record_parts(held, {})
        meant = {each.value.index: each.value.text for each in held}
        others = [uri or before[0] for uri in after] + before[1:]
        order.shuffle(others)
        there = {each.value.index: each.value.text for each in handle_values([*map(Location, others)], stored)}
        assert len(there) == len(others)
        assert all(there[index] == meant[index] for index in there.keys() & meant.keys())
        assert {*there.values()} == {*others}

    def test_values_written_before_indexes_were_bound_are_readable(self) -> None:
        stored = {MEMBER: {"values": [{"index": 7, "type": "URL", "ttl": 60}]}}
        (held,) = handle_values((Location("https://a.example/"),), stored)
        assert held.value == url_value(1, "https://a.example/")
        assert not is_foreign(stored)

    @pytest.mark.parametrize(
        "returned",
        [
            None,
            "mine",
            7,
            [],
            {},
            {"values": None},
            {"values": "ab"},
            {"values": [1]},
            {"values": [], "more": 1},
            {"values": [{"index": 1, "type": "EMAIL", "data": {"format": "string", "value": "x"}, "more": 1}]},
            {"values": [{"index": 1, "type": "URL", "data": {"format": "string", "value": "https://a.example/"}}]},
            {"values": [{"index": 1, "type": "A", "data": {"format": "string", "value": "x"}}] * 2},
        ],
    )
    def test_foreign_content_is_recognised(self, returned: Any) -> None:
        assert is_foreign({MEMBER: returned})
        assert not is_foreign({"what": returned})

    def test_all_that_is_stored_is_read_however_many_there_are(self) -> None:
        held = tuple(HandleValue(Value(index, "X", {"format": "string", "value": ""})) for index in range(1, 1200))
        place = Location("https://a.example/")
        _, stored = record_parts(held, {})
        assert handle_values((place,), stored) == (*held, HandleValue(url_value(1200, place.uri), place))
        assert len(visible_values(record(records=(place,), metadata=stored), repository(), "10.5072", NOW)) == 1201

    @given(junk=json_values)
    def test_foreign_content_is_ignored(self, junk: Any) -> None:
        place = Location("https://a.example/")
        for returned in (junk, {"values": junk}, {"values": [junk]}):
            held = handle_values((place,), {MEMBER: returned})
            assert HandleValue(held[-1].value, place) in held
            assert handle_values(*record_parts(held, {})) == held

    def test_properties_of_a_location_stay_if_they_may_still_be_true(self) -> None:
        known = Location(
            "https://a.example/",
            "active",
            "text/html",
            "de",
            0.5,
            None,
            "2030-01-01T00:00:00Z",
            "2",
            {"algorithm": "sha-256", "value": "x"},
            7,
            "2020-01-01T00:00:00Z",
        )
        same, other = url_value(1, known.uri), url_value(1, "https://b.example/")
        assert value_to_store(same, known, NOW).location == known
        moved = replace(known, uri="https://b.example/", checksum=None, size=None, last_modified=None)
        assert value_to_store(other, known, NOW).location == moved
        past = replace(known, status=INACTIVE, valid_until="2020-01-01T00:00:00Z")
        assert value_to_store(same, past, NOW).location == replace(known, valid_until=None)
        assert value_to_store(other).location == Location("https://b.example/")

    def test_everybody_sees_what_is_good_now(self) -> None:
        places = (
            Location("https://a.example/", valid_until="2025-12-31T00:00:00Z"),
            Location("https://b.example/", status=INACTIVE),
            Location("https://c.example/", valid_from="2025-12-31T00:00:00Z"),
            Location("https://d.example/"),
        )
        whole = record(records=places)
        for now, seen in ((MOMENT, [1, 4, 100, 1000]), (LATER, [3, 4, 100, 1000])):
            assert sorted(each.value.index for each in visible_values(whole, repository(), "10.5072", now)) == seen

    def test_a_repositorys_default_target_is_a_value_too(self) -> None:
        owner = repository(target="https://a.example/{$id}")
        (url, admin) = visible_values(record(records=()), owner, "10.5072", NOW)
        assert (url.value.text, admin.value.data["value"]["handle"]) == (
            "https://a.example/tw0t-ywdj-94",
            "0.NA/10.5072",
        )


class TestMultiple:
    @given(places=st.lists(st.tuples(indexes, locations), min_size=1, max_size=4))
    def test_xml_says_what_the_locations_are(self, places: list[tuple[int, Location]]) -> None:
        root = ET.fromstring(locations_xml(places))  # noqa: S314 - our own text
        assert root.tag == "locations"
        for element, (index, location) in zip(root, places, strict=True):
            assert element.attrib == {"href": location.uri, **location_attributes(index, location)}


class TestMatching:
    @pytest.mark.parametrize(
        ("written", "wanted", "is_it"),
        [
            ("URL", "url", True),
            ("URL.x", "URL", False),
            ("URL.x", "URL.", True),
            ("URL", "", False),
            ("URLx", "URL.", False),
        ],
    )
    def test_types_have_subtypes(self, written: str, wanted: str, is_it: bool) -> None:
        assert is_type(written, wanted) is is_it

    @given(text=st.text("aB*.\\"), pattern=st.text("ab*.\\"))
    def test_a_pattern_is_stars_and_letters_and_nothing_else(self, text: str, pattern: str) -> None:
        def slow(text: str, pattern: str) -> bool:
            if not pattern:
                return not text
            if pattern[0] == "*":
                return slow(text, pattern[1:]) or (text != "" and slow(text[1:], pattern))
            return text[:1] == pattern[0] and slow(text[1:], pattern[1:])

        assert matches(text[:12], pattern[:8]) == slow(text[:12].lower(), pattern[:8])

    def test_a_pattern_of_many_stars_takes_no_time(self) -> None:
        assert not matches("a" * 100_000, "*a" * 1_000 + "*b")

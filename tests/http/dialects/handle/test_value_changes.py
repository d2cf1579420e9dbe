"""Written and removed values: changes of visible values do not affect hidden ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.handle.record_mapping import (
    HandleValue,
    default_values,
    handle_values,
    record_parts,
    value_to_store,
)
from coolid.http.dialects.handle.value_changes import merge_values, remove_values, replace_values, without_defaults
from coolid.http.dialects.handle.value_parser import MAX_VALUES
from coolid.http.dialects.handle.values import LOCATIONS, Value, admin_value, string_data, url_value
from coolid.model.records import INACTIVE, Location
from tests.support.builders.samples import MOMENT as NOW

PREFIX = "10.5072"
PAST, FUTURE = "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
places = st.builds(
    Location,
    uri=st.sampled_from([f"https://{letter}.example/" for letter in "abcd"]),
    status=st.sampled_from(["active", "inactive"]),
    language=st.sampled_from([None, "de", "en"]),
    valid_from=st.sampled_from([None, PAST, FUTURE]),
    valid_until=st.sampled_from([None, PAST, FUTURE]),
)
urls = st.builds(url_value, st.integers(1, 6), st.sampled_from([f"https://{letter}.example/" for letter in "abxy"]))
others = st.builds(lambda index, text: Value(index, "EMAIL", string_data(text)), st.integers(1, 6), st.text(max_size=3))
put = st.lists(urls | others, max_size=5, unique_by=lambda value: value.index)


def said(held: tuple[HandleValue, ...]) -> dict[int, Value]:
    """What can be seen, by index."""
    return {each.value.index: each.value for each in held if not each.is_hidden(NOW)}


def hidden(held: tuple[HandleValue, ...]) -> list[Location]:
    return [each.location for each in held if each.location is not None and each.is_hidden(NOW)]


class TestChanges:
    @given(there=st.lists(places, max_size=5), first=put, second=put)
    def test_what_is_put_is_seen_and_what_cannot_be_seen_stays(
        self, there: list[Location], first: list[Value], second: list[Value]
    ) -> None:
        present = handle_values(there, {})
        for values in (first, second):
            for change in (replace_values, merge_values):
                held = change(values, present, NOW)
                stored = {} if change is replace_values else said(present)
                assert said(held) == stored | {value.index: value for value in values}
                named = {value.text for value in values if value.is_url}
                assert [each for each in hidden(held) if each.uri not in named] == [
                    each for each in hidden(present) if each.uri not in named
                ]
                assert len({each.value.index for each in held}) == len(held)
            present = handle_values(*record_parts(held, {}))
            assert present == held

    @given(there=st.lists(places, max_size=5), indexes=st.sets(st.integers(1, 6)))
    def test_what_is_taken_away_is_among_what_is_seen(self, there: list[Location], indexes: set[int]) -> None:
        present = handle_values(there, {})
        left = remove_values(indexes, present, NOW)
        assert said(left) == {index: value for index, value in said(present).items() if index not in indexes}
        assert hidden(left) == hidden(present)

    @given(there=st.lists(places, max_size=5), values=put)
    def test_what_is_read_and_put_again_changes_nothing(self, there: list[Location], values: list[Value]) -> None:
        present = replace_values(values, handle_values(there, {}), NOW)
        seen = [each for each in present if not each.is_hidden(NOW)]
        values_read = [each.value for each in (*seen, *default_values(present, PREFIX, NOW))]
        again = sorted(values_read, key=lambda value: value.index)
        for change in (replace_values, merge_values):
            held = change(again, present, NOW)
            held = without_defaults(held, {value.index for value in again}, present, PREFIX, NOW)
            assert record_parts(held, {})[0] == record_parts(present, {})[0]
            assert said(held) == said(present)

    def test_urls_with_new_indexes_are_in_the_order_of_these_and_present_ones_keep_their_places(self) -> None:
        reversed_values = [url_value(index, f"https://{index}.example/") for index in (9, 5, 1)]
        present = replace_values(reversed_values, (), NOW)
        assert [each.value.index for each in present] == [1, 5, 9]
        changed = handle_values([each.location for each in reversed(present) if each.location], {})
        assert [each.value.text for each in changed] == [
            "https://9.example/",
            "https://5.example/",
            "https://1.example/",
        ]
        more = replace_values([*(each.value for each in changed), *reversed_values[:1]], changed, NOW)
        assert [each.value.index for each in more] == [1, 2, 3, 9]

    def test_a_url_changed_by_its_index_keeps_its_properties(self) -> None:
        one = Location("https://a.example/", "active", "text/html", "en", 0.5, None, FUTURE)
        present = handle_values((one, Location("https://b.example/", language="de")), {})
        (moved, same) = merge_values([url_value(1, "https://x.example/")], present, NOW)
        assert (moved.location, same) == (replace(one, uri="https://x.example/"), present[1])
        exchanged = merge_values([url_value(1, "https://b.example/"), url_value(2, "https://a.example/")], present, NOW)
        assert [each.location and each.location.language for each in exchanged] == ["de", "en"]
        (new, *_) = replace_values([url_value(1, "https://x.example/")], present, NOW)
        assert new.location == Location("https://x.example/")

    def test_a_url_that_is_put_wakes_its_location(self) -> None:
        asleep = Location("https://a.example/", INACTIVE, language="en", valid_until=PAST)
        awake = Location("https://a.example/", language="en")
        present = handle_values((asleep, Location("https://b.example/")), {})
        for change in (replace_values, merge_values):
            held = change([url_value(1, asleep.uri)], present, NOW)
            assert held[0].location == awake
            assert hidden(held) == []

    @pytest.mark.parametrize("change", [replace_values, merge_values])
    def test_a_hidden_twin_is_woken_only_where_nothing_seen_has_the_url(self, change: type) -> None:
        asleep = Location("https://a.example/", INACTIVE, language="en")
        seen = Location("https://a.example/", language="de")
        present = handle_values((asleep, seen), {})
        one, two = url_value(1, seen.uri), url_value(2, seen.uri)
        held = change([one] if change is replace_values else [one, Value(2, "X", string_data(""))], present, NOW)
        assert said(held)[1] == one
        assert [each.location for each in held if each.value == one] == [seen]
        assert hidden(held) == [asleep]
        both = change([one, two], present, NOW)
        assert {each.value.index: each.location for each in both} == {1: replace(asleep, status="active"), 2: seen}

    def test_a_url_that_stands_elsewhere_and_is_not_spoken_of_lends_nothing(self) -> None:
        one, other = Location("https://a.example/", language="en"), Location("https://b.example/", language="de")
        present = handle_values((one, other), {})
        held = merge_values([url_value(1, other.uri)], present, NOW)
        assert held == (HandleValue(url_value(1, other.uri), replace(one, uri=other.uri)), present[1])
        asleep = value_to_store(url_value(4, other.uri), replace(other, language="fr"))
        asleep = HandleValue(asleep.value, replace(asleep.location or other, status=INACTIVE))
        assert merge_values([url_value(1, other.uri)], (*present, asleep), NOW) == (*held, asleep)
        added = merge_values([url_value(3, other.uri)], present, NOW)
        assert added == (*present, HandleValue(url_value(3, other.uri), Location(other.uri)))

    def test_more_values_than_may_be_that_others_made_can_be_changed_and_taken_away(self) -> None:
        values = [Value(index, "X", string_data("")) for index in range(1, MAX_VALUES + 1)]
        present = (
            *map(HandleValue, values),
            *(value_to_store(url_value(index, "https://a.example/")) for index in (501, 502, 503)),
        )
        for value in (
            url_value(502, "https://b.example/"),
            Value(502, "X", string_data("")),
            url_value(1, "https://b.example/"),
        ):
            held = merge_values([value], present, NOW)
            assert said(held) == said(present) | {value.index: value}
        with pytest.raises(InvalidInput, match=f"504 values, more than {MAX_VALUES}"):
            merge_values([Value(504, "X", string_data(""))], present, NOW)
        assert len(remove_values({502}, present, NOW)) == MAX_VALUES + 2

    @pytest.mark.parametrize("change", [replace_values, merge_values])
    def test_there_are_never_more_values_than_may_be(self, change: type) -> None:
        values = [Value(index, "X", string_data("")) for index in range(1, MAX_VALUES + 1)]
        assert len(change(values, (), NOW)) == MAX_VALUES
        with pytest.raises(InvalidInput, match=f"501 values, more than {MAX_VALUES}"):
            change(values, handle_values((Location("https://a.example/", INACTIVE),), {}), NOW)


class TestMadeUp:
    def test_values_equal_to_generated_defaults_are_not_stored(self) -> None:
        present = handle_values((Location("https://a.example/"), Location("https://b.example/")), {})
        choice, admin = default_values(present, PREFIX, NOW)
        indexes = {choice.value.index, admin.value.index}
        assert without_defaults((*present, choice, admin), indexes, present, PREFIX, NOW) == present
        moved = merge_values([url_value(1, "https://x.example/")], present, NOW)
        assert without_defaults((*moved, choice), indexes, present, PREFIX, NOW) == moved

    def test_what_is_put_otherwise_is(self) -> None:
        present = handle_values((Location("https://a.example/"), Location("https://b.example/")), {})
        for value in (
            admin_value(101, PREFIX),
            admin_value(100, "10.5073"),
            replace(admin_value(100, PREFIX), ttl=7),
            Value(1000, LOCATIONS, string_data("<locations/>")),
        ):
            held = (*present, HandleValue(value))
            assert without_defaults(held, {value.index}, present, PREFIX, NOW) == held
        two = (*present, HandleValue(admin_value(100, PREFIX)), HandleValue(admin_value(101, PREFIX)))
        assert without_defaults(two, {100, 101}, present, PREFIX, NOW) == two

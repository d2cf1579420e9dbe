"""The contract of `RecordSearch`: current records by their terms, in the order of change."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.identifiers.schemes import lui
from coolid.model.conditions import Condition
from coolid.model.records import RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.store.record_search import Order, RecordQuery
from coolid.store.search_terms import query_terms
from coolid.store.store import Store
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import LATER, MOMENT, record

OWNER, OTHER = "r4k2-9m3x-62", "zzzz-zzzz-90"
KEYS = [lui.encode(number * 7_919 % 1_000) for number in range(12)]
SECOND = timedelta(seconds=1)

pytestmark = pytest.mark.parametrize("store", ["memory", "sqlite", "indexed_dynamo"], indirect=True)


def pages(store: Store, query: RecordQuery, limit: int = 100) -> Iterator[Sequence[Record]]:
    after = None
    while True:
        page, after = store.record_search.search(query, limit, after)
        assert len(page) <= limit
        assert after is None or (0 < len(after.encode()) <= 900 and "\n" not in after)
        yield page
        if after is None:
            return


def found(store: Store, q: str = "", *, limit: int = 100, owners: tuple[str, ...] = (OWNER,), **more: Any) -> list[str]:
    """The keys of all that match, page by page."""
    members = {name: more.pop(name) for name in ("updated_after", "order") if name in more}
    query = RecordQuery(owners, query_terms(q, **more), **members)
    return [each.key for page in pages(store, query, limit) for each in page]


def titled(key: str, title: str, seconds: int = 0, owner: str = OWNER, **members: Any) -> Record:
    return record(key, owner, metadata={"what": title}, updated=MOMENT + seconds * SECOND, **members)


def fill(store: Store) -> None:
    """Six records of each of two repositories, two of each second."""
    for at, key in enumerate(KEYS):
        title = "green tea" if at % 2 else "green coffee"
        store.records.create_record(titled(key, title, at // 2, OTHER if at % 3 == 2 else OWNER))


class TestMatches:
    def test_a_record_is_found_by_all_of_its_words_in_any_script(self, store: Store) -> None:
        titles = ["The Straße of Łódź", "東京のお茶", "Co-operation", "x" * 300, "\U0001f600 \U00020000\U00020001"]
        for key, title in zip(KEYS, titles, strict=False):
            store.records.create_record(titled(key, title))
        for key, title in zip(KEYS, titles, strict=False):
            assert found(store, title) == [key]
        assert found(store, "strasse lodz") == [KEYS[0]]
        assert found(store, "strasse お茶") == []
        assert found(store, KEYS[3].upper()) == [KEYS[3]]
        assert found(store, "nothing") == []

    def test_status_host_and_health_narrow_a_search(self, store: Store) -> None:
        reserved = titled(KEYS[0], "tea", status=RESERVED)
        places = (Location("https://www.example.net:8080/"), Location("http://[2001:db8::1]/"))
        elsewhere = titled(KEYS[1], "tea", 1, records=places)
        for each in (reserved, elsewhere):
            store.records.create_record(each)
        assert found(store, "tea", status="reserved") == [KEYS[0]]
        for host in ("example.net", "www.example.net", "[2001:db8::1]"):
            assert found(store, target_host=host) == [KEYS[1]]
        assert store.conditions.set_record_condition(
            OWNER, KEYS[1], 1, {places[0].uri: Condition("down", MOMENT, "it answered 500")}
        )
        assert found(store, health="down") == [KEYS[1]]
        assert found(store, health="unchecked") == [KEYS[0]]
        assert found(store, "tea", health="down", status="reserved") == []

    @pytest.mark.parametrize("text", ['"', "tea OR coffee", "te*", "a:b", "-", "(", "NEAR", "\x00", "'; --", "^tea"])
    def test_no_text_is_an_expression(self, store: Store, text: str) -> None:
        store.records.create_record(titled(KEYS[0], "green tea"))
        terms = (text, f"host:{text}")
        assert store.record_search.search(RecordQuery((OWNER,), terms), 10, None) == ([], None)

    def test_only_the_current_version_is_found(self, store: Store) -> None:
        first = titled(KEYS[0], "green tea")
        store.records.create_record(first)
        assert found(store, "tea") == [KEYS[0]]
        withdrawn = Withdrawal(LATER, "lost")
        second = replace(
            first, version=2, updated=LATER, status=WITHDRAWN, metadata={"what": "coffee"}, withdrawn=withdrawn
        )
        store.records.replace_record(second, first)
        assert (found(store, "tea"), found(store, "coffee", status="withdrawn")) == ([], [KEYS[0]])
        ((listed,),) = pages(store, RecordQuery((OWNER,)))
        assert (listed, listed.health) == (second, {})


class TestRepositories:
    def test_only_records_of_these_repositories_are_found(self, store: Store) -> None:
        fill(store)
        for owners in ((OWNER,), (OTHER,)):
            expected = {key for at, key in enumerate(KEYS) if (at % 3 == 2) == (owners == (OTHER,))}
            assert {*found(store, owners=owners)} == {*found(store, "green", owners=owners)} == expected
        assert {*found(store, owners=(OWNER, OTHER))} == {*KEYS}
        assert found(store, owners=("none-none-00",)) == []


@pytest.mark.parametrize("order", ["-updated", "updated"])
class TestOrder:
    @pytest.mark.parametrize("limit", [1, 5, 12, 100])
    @pytest.mark.parametrize("q", ["", "green", "tea"])
    def test_all_matches_are_found_once_in_the_order_of_change(
        self, store: Store, order: Order, limit: int, q: str
    ) -> None:
        fill(store)
        expected = [at for at in range(len(KEYS)) if q != "tea" or at % 2]
        keys = found(store, q, limit=limit, owners=(OWNER, OTHER), order=order)
        assert sorted(keys) == sorted(KEYS[at] for at in expected)
        seconds = [KEYS.index(key) // 2 for key in keys]
        assert seconds == sorted(seconds, reverse=order == "-updated")

    def test_a_change_moves_a_record(self, store: Store, order: Order) -> None:
        fill(store)
        first, *_ = stored_versions(store.records, OWNER, KEYS[0])
        store.records.replace_record(replace(first, version=2, updated=LATER), first)
        assert found(store, order=order)[0 if order == "-updated" else -1] == KEYS[0]

    def test_a_period_begins_with_its_second(self, store: Store, order: Order) -> None:
        fill(store)
        for since, least in ((MOMENT, 0), (MOMENT + SECOND, 2), (MOMENT + SECOND / 2, 2), (LATER, 12)):
            keys = found(store, "green", owners=(OWNER, OTHER), order=order, updated_after=since, limit=3)
            assert sorted(keys) == sorted(KEYS[least:])

    @pytest.mark.parametrize("after", ["0", "9" * 30, "x", "é", "2025-07-10T14:22:30Z x5", " "])
    def test_a_list_can_continue_after_any_text(self, store: Store, order: Order, after: str) -> None:
        fill(store)
        page, _ = store.record_search.search(RecordQuery((OWNER,), (), None, order), 10, after)
        assert {each.key for each in page} <= {*KEYS}

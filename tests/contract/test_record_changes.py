"""The contract of `ChangeIndex`: the records of a repository by time of change."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from coolid.identifiers.schemes import lui
from coolid.model.records import RESERVED, WITHDRAWN, Record, Withdrawal, format_time
from coolid.store.store import Store
from tests.support.builders.samples import LATER, MOMENT, record
from tests.support.stores.change_index import complete_index

OWNER = "r4k2-9m3x-62"
OTHER = "zzzz-zzzz-90"
KEYS = sorted(lui.encode(number * 7_919 % 1_000) for number in range(30))
SECOND = timedelta(seconds=1)


def listed(
    store: Store, since: datetime | None = None, until: datetime | None = None, *, limit: int = 100
) -> list[Record]:
    """All records of the period, page by page."""
    return [each for page in pages(store, since, until, limit) for each in page]


def pages(store: Store, since: datetime | None, until: datetime | None, limit: int) -> Iterator[list[Record]]:
    after = None
    while True:
        page, after = store.changes.list_changed(OWNER, since, until, limit, after)
        assert len(page) <= limit
        yield list(page)
        if after is None:
            return


def fill(store: Store) -> list[Record]:
    """Records of which three are of each second, the last key first."""
    records = [record(key, updated=MOMENT + at // 3 * SECOND) for at, key in enumerate(reversed(KEYS))]
    for each in records:
        store.records.create_record(each)
    store.records.create_record(record(KEYS[0], OTHER))
    return sorted(records, key=lambda each: (each.updated, each.key))


@pytest.mark.parametrize("is_complete", [True, False])
class TestPeriods:
    def test_all_of_a_period_are_listed_once(self, store: Store, is_complete: bool) -> None:
        records = fill(store)
        if is_complete:
            complete_index(store, OWNER)
        for limit in (1, 4, 29, 30, 100):
            assert {each.key: each for each in listed(store, limit=limit)} == {each.key: each for each in records}
            assert len(listed(store, limit=limit)) == len(records)
        since, until = MOMENT + 2 * SECOND, MOMENT + 4 * SECOND
        for period in ((since, until), (since, None), (None, until), (since, since), (until, since)):
            expected = [
                each.key for each in records
                if (period[0] or MOMENT) <= each.updated <= (period[1] or LATER)
            ]  # fmt: skip
            assert sorted(each.key for each in listed(store, *period, limit=4)) == sorted(expected)

    def test_fractions_of_a_second_have_no_effect(self, store: Store, is_complete: bool) -> None:
        store.records.create_record(record(KEYS[0], updated=MOMENT))
        if is_complete:
            complete_index(store, OWNER)
        for since in (None, MOMENT):
            assert len(listed(store, since, MOMENT + SECOND / 2)) == 1

    def test_a_record_that_changes_between_two_pages_is_listed_again(self, store: Store, is_complete: bool) -> None:
        records = fill(store)
        if is_complete:
            complete_index(store, OWNER)
        changed = {records[0].key, records[-1].key}
        seen: list[Record] = []
        for number, page in enumerate(pages(store, MOMENT, None, 10)):
            seen += page
            if number == 0:
                for each in (records[0], records[-1]):
                    gone = replace(each, version=2, updated=LATER, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "x"))
                    store.records.replace_record(gone, each)
        assert {each.key for each in seen} == set(KEYS)
        if is_complete:
            assert {each.key for each in seen if each.status == WITHDRAWN} == changed


class TestOrder:
    def test_they_are_listed_by_time_then_by_key(self, store: Store) -> None:
        records = fill(store)
        complete_index(store, OWNER)
        assert listed(store, limit=7) == records
        assert listed(store, MOMENT + 3 * SECOND, limit=7) == records[9:]

    def test_they_are_the_current_versions_of_any_status(self, store: Store) -> None:
        reserved, changed = record(KEYS[0], status=RESERVED), record(KEYS[1])
        for each in (reserved, changed):
            store.records.create_record(each)
        later = replace(changed, version=2, updated=LATER)
        store.records.replace_record(later, changed)
        complete_index(store, OWNER)
        assert listed(store) == [reserved, later]
        assert listed(store, until=LATER - SECOND) == [reserved]
        assert listed(store, LATER) == [later]

    @pytest.mark.parametrize("after", ["zzzz", "9999-01-01T00:00:00Z x", ":", "é\x00", "2999"])
    def test_a_list_can_continue_after_any_text(self, store: Store, after: str) -> None:
        fill(store)
        complete_index(store, OWNER)
        assert list(store.changes.list_changed(OWNER, None, None, 10, after)) == [[], None]

    def test_no_row_gives_an_empty_result(self, store: Store) -> None:
        complete_index(store, OWNER)
        assert listed(store) == []


@pytest.mark.parametrize("is_complete", [True, False])
def test_the_times_of_all_changes_are_listed_once(store: Store, is_complete: bool) -> None:
    records = fill(store)
    if is_complete:
        complete_index(store, OWNER)
    for limit in (1, 7, 30, 100):
        times: list[str] = []
        after = None
        while True:
            page, after = store.changes.change_times(OWNER, limit, after)
            assert len(page) <= limit
            times += page
            if after is None:
                break
        assert sorted(times) == [format_time(each.updated) for each in records]

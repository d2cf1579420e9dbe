"""The contract of `ChangeIndex.list_versions`: all versions of a repository's records, the newest first."""

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from coolid.identifiers.schemes import lui
from coolid.model.records import Record
from coolid.store.change_positions import version_position
from coolid.store.store import Store
from tests.support.builders.samples import LATER, MOMENT, record
from tests.support.stores.change_index import complete_index

OWNER = "r4k2-9m3x-62"
OTHER = "zzzz-zzzz-90"
KEYS = sorted(lui.encode(number * 7_919 % 1_000) for number in range(9))
SECOND = timedelta(seconds=1)


def fill(store: Store) -> list[Record]:
    """Records with one to three versions, several of one second; all versions, the newest first."""
    versions = []
    for at, key in enumerate(KEYS):
        current = record(key, updated=MOMENT + at // 3 * SECOND, author="epyx6gxg")
        store.records.create_record(current)
        versions.append(current)
        for number in range(at % 3):
            later = replace(current, version=number + 2, updated=current.updated + number * 2 * SECOND, author=None)
            store.records.replace_record(later, current)
            versions.append(current := later)
    store.records.create_record(record(KEYS[0], OTHER))
    complete_index(store, OWNER, OTHER)
    return sorted(versions, key=version_position, reverse=True)


def listed(
    store: Store, since: datetime | None = None, until: datetime | None = None, *, limit: int = 100
) -> list[tuple[str, int]]:
    found: list[Record] = []
    before = None
    while True:
        page, before = store.changes.list_versions(OWNER, since, until, limit, before)
        assert len(page) <= limit
        found += page
        if before is None:
            return names(found)


def names(versions: list[Record]) -> list[tuple[str, int]]:
    return [(each.key, each.version) for each in versions]


def test_all_versions_are_listed_once_the_newest_first(store: Store) -> None:
    versions = fill(store)
    for limit in (1, 2, 7, len(versions), 100):
        assert listed(store, limit=limit) == names(versions)


def test_only_those_of_the_period_are_listed(store: Store) -> None:
    versions = fill(store)
    since, until = MOMENT + SECOND, MOMENT + 3 * SECOND
    for period in ((since, until), (since, None), (None, until), (since, since), (until, since), (LATER, None)):
        expected = [
            each for each in versions
            if (period[0] or MOMENT) <= each.updated <= (period[1] or LATER)
        ]  # fmt: skip
        assert listed(store, *period, limit=3) == names(expected)


def test_versions_are_whole_with_their_authors(store: Store) -> None:
    versions = fill(store)
    page, _ = store.changes.list_versions(OWNER, None, None, 100, None)
    assert list(page) == versions
    assert [each.author for each in page] == [each.author for each in versions]


def test_many_versions_of_one_second_are_listed_over_pages(store: Store) -> None:
    current = record(KEYS[0])
    store.records.create_record(current)
    for number in range(2, 8):
        later = replace(current, version=number)
        store.records.replace_record(later, current)
        current = later
    complete_index(store, OWNER)
    for limit in (1, 2, 3, 6, 7):
        assert listed(store, limit=limit) == [(KEYS[0], number) for number in range(7, 0, -1)]


def test_superseded_versions_are_in_no_list_of_records(store: Store) -> None:
    fill(store)
    keys = [each.key for each in store.records.list_records(OWNER, 100, None)[0]]
    assert keys == KEYS
    changed, _ = store.changes.list_changed(OWNER, None, None, 100, None)
    assert sorted(each.key for each in changed) == KEYS


@pytest.mark.parametrize("before", ["", "9999-01-01T00:00:00Z x\t0000000001", ":", "é", "2999", "2999 x\tx"])
def test_a_list_can_continue_before_any_text(store: Store, before: str) -> None:
    versions = fill(store)
    page, _ = store.changes.list_versions(OWNER, None, None, 100, before)
    assert names(list(page)) == names([each for each in versions if version_position(each) < before])

"""The contract of `RecordStore`: lists and histories."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.identifiers.schemes import lui
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Withdrawal
from coolid.store.store import Store
from coolid.store.versions import RecordVersions
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import LATER, MOMENT, record
from tests.support.stores.memory_store import MemoryStore

OWNER = "r4k2-9m3x-62"
OTHER = "zzzz-zzzz-90"
KEYS = [lui.encode(number * 7_919 % 1_000) for number in range(90)]


def pages(ask: Any, *arguments: Any, limit: int) -> Iterator[list[Any]]:
    """The pages of a list, each going on where the one before said."""
    after = None
    while True:
        page, after = ask(*arguments, limit, after)
        yield list(page)
        if after is None:
            return


class TestLists:
    def test_all_of_a_repository_are_listed_once_in_the_order_of_their_keys(self, store: Store) -> None:
        for at, key in enumerate(KEYS):
            store.records.create_record(record(key, metadata={"n": at}))
        store.records.create_record(record(KEYS[0], OTHER))
        for limit in (7, 45, 89, 90, 91, 1_000):
            found = list(pages(store.records.list_records, OWNER, limit=limit))
            assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
            assert [lui.validate(each.id) for page in found for each in page] == sorted(KEYS)
        assert all(each == store.records.record(OWNER, lui.validate(each.id)) for each in found[0])

    def test_they_are_the_current_versions_of_any_status(self, store: Store) -> None:
        reserved, changed, gone = (record(key) for key in KEYS[:3])
        tombstone = replace(gone, version=2, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "why"))
        store.records.create_record(replace(reserved, status=RESERVED))
        store.records.create_record(changed)
        store.records.replace_record(replace(changed, version=2), changed)
        store.records.create_record(gone)
        store.records.replace_record(tombstone, gone)
        listed, after = store.records.list_records(OWNER, 10, None)
        assert after is None
        assert {each.id: (each.version, each.status) for each in listed} == {
            reserved.id: (1, RESERVED), changed.id: (2, "active"), gone.id: (2, WITHDRAWN),
        }  # fmt: skip

    def test_a_list_can_continue_after_any_text(self, store: Store) -> None:
        keys = sorted(KEYS[:20])
        for key in keys:
            store.records.create_record(record(key))
        for after, expected in [
            (keys[4], keys[5:]), (keys[4] + "x", keys[5:]), ("zzzz", []), ("!", keys), ("é\x00", []), (keys[-1], []),
        ]:  # fmt: skip
            listed, last = store.records.list_records(OWNER, 100, after)
            assert [lui.validate(each.id) for each in listed] == expected
            assert last is None

    def test_no_row_gives_an_empty_result(self, store: Store) -> None:
        assert store.records.list_records(OWNER, 10, None) == ([], None)
        store.public_keys.add_public_key({"kid": "a"})
        assert (
            store.records.list_records("", 10, None) == ([], None) if isinstance(store.records, MemoryStore) else True
        )

    def test_large_ones_are_listed_too(self, store: Store) -> None:
        for key in KEYS[:50]:
            store.records.create_record(record(key, metadata={"what": "x" * 370_000}))
        assert [len(page) for page in pages(store.records.list_records, OWNER, limit=48)] == [48, 2]


class TestHistory:
    def test_all_versions_are_returned_newest_first_with_their_authors(self, store: Store) -> None:
        key = KEYS[0]
        versions = [
            record(key, version=number, metadata={"n": number}, author=f"author{number}") for number in range(1, 13)
        ]
        store.records.create_record(versions[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, before)
        returned = stored_versions(store.records, OWNER, key)
        assert list(returned) == versions[::-1]
        assert [each.author for each in returned] == [f"author{number}" for number in range(12, 0, -1)]
        for each in (store.records.record(OWNER, key), store.records.superseded(OWNER, key, 3)):
            assert each is not None
            assert each.author == f"author{each.version}"

    def test_nobody_need_be_named(self, store: Store) -> None:
        store.records.create_record(record(KEYS[0]))
        assert [each.author for each in stored_versions(store.records, OWNER, KEYS[0])] == [None]

    def test_no_row_gives_an_empty_result_without_other_histories(self, store: Store) -> None:
        store.records.create_record(record(KEYS[0]))
        store.records.create_record(record(KEYS[0], OTHER))
        assert stored_versions(store.records, OWNER, KEYS[1]) == []
        assert [each.repository for each in stored_versions(store.records, OTHER, KEYS[0])] == [OTHER]

    def test_a_history_longer_than_one_response_of_the_store_is_complete(self, store: Store) -> None:
        versions = [record(KEYS[0], version=number, metadata={"what": "x" * 300_000}) for number in range(1, 9)]
        store.records.create_record(versions[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, before)
        assert [each.version for each in stored_versions(store.records, OWNER, KEYS[0])] == list(range(8, 0, -1))

    @pytest.mark.parametrize("count", [1, 2, 5, 6, 12])
    def test_the_newest_are_as_many_as_are_requested(self, store: Store, count: int) -> None:
        versions = [record(KEYS[0], version=number, metadata={"n": number}) for number in range(1, count + 1)]
        store.records.create_record(versions[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, before)
        for newest in (1, 2, 4, 5, 6, 100):
            assert list(store.records.history(OWNER, KEYS[0], newest)) == versions[::-1][:newest]
        assert store.records.history(OWNER, KEYS[1], 5) == []

    def test_a_version_of_a_moment_is_found_by_a_search(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("coolid.store.versions._WINDOW", 1)
        numbers = {1: RESERVED, 3: RESERVED} | dict.fromkeys((4, 5, 7, 8, 12, 13), ACTIVE)
        versions = [
            record(KEYS[0], version=number, status=status, updated=MOMENT + timedelta(hours=number // 2))
            for number, status in numbers.items()
        ]
        store.records.create_record(versions[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, before)
        for hours in range(8):
            found = []
            for short in (0, 100):
                monkeypatch.setattr("coolid.store.versions.SHORT_HISTORY", short)
                read = RecordVersions(versions[-1], store.records)
                found.append((read.at(MOMENT + timedelta(hours=hours)), read.first(), read.lowest()))
            assert found[0] == found[1]
            assert found[0][1:] == (versions[2], versions[0])

    def test_superseded_versions_are_read_by_their_numbers_in_both_directions(self, store: Store) -> None:
        versions = [record(KEYS[0], version=number, metadata={"n": number}) for number in (1, 2, 3, 6, 7, 8)]
        store.records.create_record(versions[0], None)
        for before, after in pairwise(versions):
            store.records.replace_record(replace(after, author="pkrv6td2"), before)
        stored = [versions[0], *(replace(each, author="pkrv6td2") for each in versions[1:-1])]
        for first, last, limit in (
            (1, 9, 9),
            (-3, 9, 9),
            (0, 8, 2),
            (2, 6, 3),
            (4, 5, 1),
            (4, 7, 1),
            (8, 9, 1),
            (5, 3, 1),
        ):
            expected = [each for each in stored if first <= each.version <= last]
            read = partial(store.records.superseded_between, OWNER, KEYS[0], first, last, limit)
            assert list(read()) == expected[:limit]
            assert list(read(descending=True)) == expected[::-1][:limit]
        assert list(store.records.superseded_between(OWNER, KEYS[1], 1, 9, 9)) == []
        assert list(store.records.superseded_between(OTHER, KEYS[0], 1, 9, 9)) == []

    def test_of_the_newest_there_are_fewer_where_they_are_large_but_none_is_left_out_between(
        self, store: Store
    ) -> None:
        versions = [record(KEYS[0], version=number, metadata={"what": "x" * 300_000}) for number in range(1, 9)]
        store.records.create_record(versions[0])
        for before, after in pairwise(versions):
            store.records.replace_record(after, before)
        returned = store.records.history(OWNER, KEYS[0], 8)
        assert list(returned) == versions[: -len(returned) - 1 : -1]
        assert len(returned) == 8 if isinstance(store.records, MemoryStore) else 2 <= len(returned) <= 5
        for descending in (False, True):
            part = store.records.superseded_between(OWNER, KEYS[0], 2, 7, 6, descending=descending)
            assert list(part) == (versions[6:0:-1] if descending else versions[1:7])[: len(part)]
            assert len(part) == 6 if isinstance(store.records, MemoryStore) else 1 <= len(part) <= 4

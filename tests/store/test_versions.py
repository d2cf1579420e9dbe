"""Versions in time: for every moment the newest that is not later, and the first before all."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Record
from coolid.store import versions as module
from coolid.store.versions import DatedVersion, RecordVersions, current_position, is_whole, public_versions
from tests.support.builders.histories import histories, put_history
from tests.support.builders.samples import MOMENT, moments, record
from tests.support.stores.memory_store import MemoryStore

OFFSETS = st.lists(st.integers(0, 10**8), min_size=1, max_size=12)


def history(offsets: list[int]) -> list[Record]:
    """Versions of these ages in seconds behind a moment, the newest first."""
    dates = [MOMENT + timedelta(seconds=each) for each in offsets]
    return [record(version=at + 1, updated=date) for at, date in enumerate(dates)][::-1]


@given(OFFSETS, moments)
def test_for_every_moment_it_is_the_newest_that_is_not_later(offsets: list[int], moment: datetime) -> None:
    versions = public_versions(history(sorted(offsets)))
    chosen = versions[current_position(versions, moment)]
    earlier = [each for each in versions if each.updated <= moment]
    if earlier:
        assert chosen.updated == max(each.updated for each in earlier)
        assert chosen.version == max(each.version for each in earlier)
    else:
        assert chosen == versions[0]


@given(OFFSETS)
def test_each_version_is_current_when_it_is_written_unless_another_is_in_the_same_second(offsets: list[int]) -> None:
    versions = public_versions(history(sorted(set(offsets))))
    assert [current_position(versions, each.updated) for each in versions] == list(range(len(versions)))


@given(OFFSETS, moments, moments)
def test_a_later_moment_never_has_an_earlier_version_whatever_the_clocks_said(
    offsets: list[int], one: datetime, other: datetime
) -> None:
    versions = public_versions(history(offsets))
    assert current_position(versions, min(one, other)) <= current_position(versions, max(one, other))


@given(st.lists(st.sampled_from([ACTIVE, RESERVED, WITHDRAWN]), max_size=8))
def test_all_but_reserved_versions_are_public_the_first_first(statuses: list[str]) -> None:
    returned = [record(version=at + 1, status=status) for at, status in enumerate(statuses)]
    expected = [at + 1 for at, status in enumerate(statuses) if status != RESERVED]
    assert [each.version for each in public_versions(returned[::-1])] == expected


def test_a_history_is_whole_if_it_goes_back_to_the_first_version_or_to_what_was_reserved() -> None:
    versions = history([0, 1, 2, 3])
    assert is_whole(versions)
    assert not is_whole(versions[:3])
    assert not is_whole(versions[:1])
    assert is_whole([*versions[:2], replace(versions[2], status=RESERVED)])


@pytest.fixture(scope="module", params=["searched", "read at once"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """The way that short histories are read: as long ones, or at once."""
    with pytest.MonkeyPatch.context() as patching:
        if request.param == "searched":
            patching.setattr(module, "SHORT_HISTORY", 0)
            patching.setattr(module, "_WINDOW", 2)
        yield request.param


def stored(versions: list[Record]) -> RecordVersions:
    store = MemoryStore()
    put_history(store, versions)
    return RecordVersions(versions[-1], store)


def plain(versions: list[Record], moment: datetime) -> DatedVersion:
    """The result over the whole history."""
    public = public_versions(versions)
    at = current_position(public, moment)
    previous = public[at - 1] if at else None
    return DatedVersion(public[at], public[0], previous, public[at + 1] if at + 1 < len(public) else None, public[-1])


SECONDS = st.integers(-5, 400)


class TestRecordVersions:
    @given(histories(), SECONDS)
    def test_a_search_finds_what_the_whole_history_has(self, way: str, versions: list[Record], seconds: int) -> None:
        moment = MOMENT + timedelta(seconds=seconds)
        assert stored(versions).at(moment) == plain(versions, moment)
        assert stored(versions).lowest() == versions[0]
        assert stored(versions).first() == public_versions(versions)[0]

    @given(histories(is_ordered=False), SECONDS)
    def test_after_times_that_decrease_it_still_was_current_then(
        self, way: str, versions: list[Record], seconds: int
    ) -> None:
        moment = MOMENT + timedelta(seconds=seconds)
        found = stored(versions).at(moment)
        assert found.version.updated <= moment or found.previous is None
        assert found.following is None or found.following.updated > moment or found.previous is None

    @given(histories(), st.integers(0, 130), st.integers(0, 130), st.integers(1, 9))
    def test_a_range_has_its_versions_in_order(
        self, way: str, versions: list[Record], first: int, last: int, count: int
    ) -> None:
        expected = [each for each in versions if first <= each.version <= last]
        read = stored(versions)
        assert [*read.between(first, last, count)] == expected
        assert [*stored(versions).newest_first(last, count)] == [each for each in versions if each.version <= last][
            ::-1
        ]
        assert read.first_between(max(1, first), last) == next(iter(expected), None)
        assert read.last_between(max(1, first), last) == next(iter(expected[::-1]), None)

    @given(histories(), st.integers(1, 130))
    def test_the_boundary_is_between_what_is_before_and_what_is_after(
        self, way: str, versions: list[Record], number: int
    ) -> None:
        before = [each for each in versions if each.version < number]
        after = versions[len(before) :]
        expected = (before[-1] if before else None, after[0] if after else None)
        assert stored(versions).boundary(lambda each: each.version >= number) == expected


@pytest.mark.parametrize("count", [1, 10, 100, 101, 1_000, 10_000])
def test_the_reads_of_a_search_are_bounded_by_the_logarithm(count: int) -> None:
    store, rows = MemoryStore(), 0
    put_history(store, [record(version=at, updated=MOMENT + timedelta(hours=at)) for at in range(1, count + 1)])
    read_range: Callable[..., Sequence[Record]] = store.superseded_between

    def counted(*arguments: Any, **options: bool) -> Sequence[Record]:
        nonlocal rows
        found = read_range(*arguments, **options)
        rows += len(found)
        return found

    store.superseded_between = counted  # type: ignore[method-assign, assignment]
    for hours in (-1, 1, count // 3 + 0.5, count // 2, count - 1, count + 1):
        store.calls.clear()
        rows = 0
        found = RecordVersions(next(iter(store.records_by_key.values())), store).at(MOMENT + timedelta(hours=hours))
        assert found.version.version == max(1, min(count, int(hours)))
        assert store.calls.total() <= log2(count) + 7
        assert rows + store.calls["superseded"] <= 100

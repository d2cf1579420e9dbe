"""Versions in time: for every moment the newest that is not later, and the first before all."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Record
from coolid.store.versions import current_position, is_whole, public_versions
from tests.support.builders.samples import MOMENT, moments, record

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

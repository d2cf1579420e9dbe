"""Validity of locations: each is valid within its period only, and the next change is known before it comes."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.model.locations import (
    invalidity_reasons,
    last_validity_change,
    locations_of,
    next_validity_change,
    part_at,
    valid_locations,
)
from coolid.model.records import ACTIVE, INACTIVE, Location
from tests.support.builders.samples import MOMENT, record, repository

SECOND = timedelta(seconds=1)
HERE, THERE = "https://a.example/", "https://b.example/"

seconds = st.integers(-10, 10)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def written(moment: datetime, zone: timezone = UTC) -> str:
    """As RFC 3339 has it."""
    return moment.astimezone(zone).isoformat()


ends = st.none() | st.builds(lambda second, zone: written(MOMENT + second * SECOND, zone), seconds, offsets)
locations = st.builds(
    Location,
    st.sampled_from([HERE, THERE]),
    st.sampled_from([ACTIVE, ACTIVE, INACTIVE]),
    valid_from=ends,
    valid_until=ends,
)
lists = st.lists(locations, max_size=4)
moments = st.builds(lambda second: MOMENT + second * SECOND, st.integers(-12, 12))


class TestPeriods:
    def test_one_is_good_from_its_first_moment_until_just_before_its_last(self) -> None:
        place = Location(HERE, valid_from=written(MOMENT), valid_until=written(MOMENT + 2 * SECOND))
        good = [step for step in range(-1, 4) if valid_locations([place], MOMENT + step * SECOND)]
        assert good == [0, 1]

    @pytest.mark.parametrize("period", [(MOMENT, MOMENT), (MOMENT + SECOND, MOMENT)])
    def test_an_empty_period_is_never(self, period: tuple[datetime, datetime]) -> None:
        begins, until = map(written, period)
        place = Location(HERE, valid_from=begins, valid_until=until)
        assert not any(valid_locations([place], MOMENT + step * SECOND) for step in range(-2, 4))

    @pytest.mark.parametrize(
        "text",
        [
            "2025-07-10T14:22:30Z",
            "2025-07-10T14:22:30+00:00",
            "2025-07-10T14:22:30-00:00",
            "2025-07-10T16:22:30+02:00",
            "2025-07-10T09:52:30-04:30",
            "2025-07-11T04:22:30.000+14:00",
        ],
    )
    def test_moments_in_every_zone_are_the_same_moment(self, text: str) -> None:
        begins, until = Location(HERE, valid_from=text), Location(THERE, valid_until=text)
        assert valid_locations([begins, until], MOMENT - SECOND) == (until,)
        assert valid_locations([begins, until], MOMENT) == (begins,)

    @given(lists, moments)
    def test_each_is_either_good_or_has_a_reason_and_keeps_its_place(
        self, places: list[Location], now: datetime
    ) -> None:
        good = valid_locations(places, now)
        assert list(good) == [place for place in places if place in good]
        assert len(invalidity_reasons(places, now)) == len(places) - len(good)

    def test_a_reason_names_the_place_and_what_is_in_its_way(self) -> None:
        later, before = written(MOMENT + SECOND), written(MOMENT)
        places = [
            Location(HERE, INACTIVE),
            Location(HERE, valid_from=later),
            Location(HERE, valid_until=before),
            Location(HERE, INACTIVE, valid_from=later),
            Location(THERE),
        ]
        assert invalidity_reasons(places, MOMENT) == (
            f"{HERE} is inactive",
            f"{HERE} is valid from {later}",
            f"{HERE} was valid until {before}",
            f"{HERE} is inactive",
        )


class TestTurns:
    @given(lists, moments)
    def test_nothing_changes_before_the_next_turn(self, places: list[Location], now: datetime) -> None:
        turning = next_validity_change(places, now)
        assert turning is None or turning > now
        moment = now
        while moment < MOMENT + 12 * SECOND and (turning is None or moment < turning):
            assert valid_locations(places, moment) == valid_locations(places, now)
            moment += SECOND

    @given(lists, moments)
    def test_nothing_has_changed_since_the_last_turn(self, places: list[Location], now: datetime) -> None:
        turned = last_validity_change(places, now)
        assert turned is None or turned <= now
        moment = now
        while moment >= MOMENT - 12 * SECOND and (turned is None or moment >= turned):
            assert valid_locations(places, moment) == valid_locations(places, now)
            moment -= SECOND

    def test_inactive_ones_and_open_ends_have_no_turn(self) -> None:
        places = [Location(HERE), Location(HERE, INACTIVE, valid_from=written(MOMENT), valid_until=written(MOMENT))]
        for now in (MOMENT - SECOND, MOMENT, MOMENT + SECOND):
            assert (next_validity_change(places, now), last_validity_change(places, now)) == (None, None)


class TestDefaultTargets:
    def test_a_record_that_names_no_location_is_at_its_repositorys_default_target(self) -> None:
        owner = repository(target="https://a.example/items/{$id}?v={$id}")
        assert locations_of(record(records=()), owner) == (
            Location("https://a.example/items/tw0t-ywdj-94?v=tw0t-ywdj-94"),
        )

    @pytest.mark.parametrize("place", [Location(HERE), Location(HERE, INACTIVE)])
    def test_a_record_that_names_one_is_in_no_other_place_good_or_not(self, place: Location) -> None:
        owner = repository(target="https://a.example/{$id}")
        assert locations_of(record(records=(place,)), owner) == (place,)

    def test_without_either_it_is_nowhere(self) -> None:
        assert locations_of(record(records=()), repository()) == ()


def test_a_part_is_chosen_as_the_whole_is_but_is_not_described_as_the_whole() -> None:
    """Beyond the German edition is more of the German edition, but nobody knows of which type."""
    whole = Location(
        HERE,
        INACTIVE,
        media_type="application/pdf",
        language="de",
        quality=0.5,
        valid_from="2025-01-01T00:00:00Z",
        valid_until="2026-01-01T00:00:00Z",
        version="3",
        checksum={"algorithm": "sha256", "value": "00"},
        size=5,
        last_modified="2025-01-01T00:00:00Z",
    )
    assert part_at(whole, THERE) == Location(
        THERE,
        INACTIVE,
        language="de",
        quality=0.5,
        valid_from="2025-01-01T00:00:00Z",
        valid_until="2026-01-01T00:00:00Z",
        version="3",
    )

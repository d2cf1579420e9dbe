"""A circuit breaker neither opens nor closes for a single result, whatever the results and the clock."""

import random
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace

from coolid.health.circuit_breaker import (
    FALL_PERIOD,
    MAX_SUCCESSES_UNTIL_UP,
    SUCCESSES_UNTIL_UP,
    next_state,
    successes_required,
)
from coolid.model.check_state import (
    BAD,
    BUSY,
    GOOD,
    MAX_PAUSE_SECONDS,
    CheckResult,
    CheckState,
    record_key,
    target_name,
)
from coolid.model.conditions import DEGRADED, DOWN, STATES, UP
from tests.support.builders.samples import MOMENT, text
from tests.support.effort import examples

URL = "https://a.example/x"
few = examples(25)
FIVE = timedelta(minutes=5)
SIGHTS = {
    "g": CheckResult(GOOD, status=200),
    "b": CheckResult(BAD, "it answered 500", 500),
    "y": CheckResult(BUSY, status=429, pause=60),
}
LOOKS = st.text("gby", max_size=120)
GAPS = st.sampled_from([timedelta(seconds=1), FIVE, timedelta(hours=7), timedelta(days=2)])


def seen(looks: Iterable[str], step: timedelta = FIVE, first: CheckState | None = None) -> list[CheckState]:
    """The pulses after each look, one every `step`; the looks by their letters."""
    pulses, pulse = [], first
    moment = MOMENT if first is None else first.checked + step
    for look in looks:
        pulse = next_state(pulse, SIGHTS[look], moment, URL)
        pulses.append(pulse)
        moment += step
    return pulses


def states(looks: Iterable[str], step: timedelta = FIVE) -> list[str]:
    return [pulse.state for pulse in seen(looks, step)]


def changes(states: Sequence[str]) -> int:
    """How often requests change between it and another that is up: whether it is up decides."""
    return sum((one == UP) is not (other == UP) for one, other in pairwise([UP, *states]))


class TestFalling:
    def test_the_first_failure_degrades_and_the_third_in_a_row_is_the_end(self) -> None:
        assert states("gbbbb") == [UP, DEGRADED, DEGRADED, DOWN, DOWN]

    def test_failures_that_are_not_in_a_row_never_make_it_down(self) -> None:
        assert DOWN not in states("bbg" * 50)

    def test_start_reason_and_last_good_result_are_stored(self) -> None:
        *_, last_good, _, _, down = seen("gggbbb")
        condition = down.condition()
        assert (condition.state, condition.reason, condition.since) == (DOWN, "it answered 500", down.checked)
        assert condition.good == last_good.checked

    def test_nothing_is_known_of_another_address(self) -> None:
        (*_, down) = seen("bbb")
        moved = next_state(down, SIGHTS["g"], MOMENT + timedelta(hours=1), URL + "?y")
        assert (moved.state, moved.falls, moved.url) == (UP, (), URL + "?y")


class TestRecovering:
    def test_it_takes_three_good_looks_in_a_row(self) -> None:
        assert states("bbbggg")[2:] == [DOWN, DEGRADED, DEGRADED, UP]

    def test_a_host_that_fails_while_it_comes_back_has_fallen_again(self) -> None:
        assert states("bbbggb" + "g" * 6)[-7:] == [DEGRADED] * 6 + [UP]

    @few
    @given(LOOKS, st.lists(GAPS, min_size=120, max_size=120))
    def test_it_is_never_up_after_a_failure_without_the_looks_that_are_demanded(
        self, looks: str, gaps: list[timedelta]
    ) -> None:
        pulse, moment, run = None, MOMENT, 0
        for look, gap in zip(looks, gaps, strict=False):
            before, pulse = pulse, next_state(pulse, SIGHTS[look], moment, URL)
            run = {"g": run + 1, "b": 0, "y": run}[look]
            if before is not None and before.state != UP and pulse.state == UP:
                falls = [fall for fall in before.falls if abs(moment - fall) < FALL_PERIOD]
                assert look == "g"
                assert run >= successes_required(falls) >= SUCCESSES_UNTIL_UP
            moment += gap

    def test_every_further_fall_within_a_day_demands_twice_as_many(self) -> None:
        looks = "".join("b" + "g" * successes_required([MOMENT] * fall) for fall in range(1, 6))
        assert states(looks)[-1] == UP
        for fall in range(1, 6):
            begun = looks[: sum(1 + successes_required([MOMENT] * each) for each in range(1, fall + 1))]
            assert states(begun)[-1] == UP
            assert states(begun)[-2] == DEGRADED

    @pytest.mark.parametrize("failures", [3, 30, 3_000])
    def test_after_an_outage_however_long_it_returns_exactly_once(self, failures: int) -> None:
        returned = states("g" * 10 + "b" * failures + "g" * 100)
        assert changes(returned) == 2
        assert returned[10 + failures : 10 + failures + SUCCESSES_UNTIL_UP - 1] == [DEGRADED] * (SUCCESSES_UNTIL_UP - 1)
        assert set(returned[10 + failures + SUCCESSES_UNTIL_UP - 1 :]) == {UP}

    def test_of_one_that_is_up_nothing_bad_is_said(self) -> None:
        condition = seen("bbbggg")[-1].condition()
        assert (condition.state, condition.reason, condition.good) == (UP, "", None)


class TestFlapping:
    @pytest.mark.parametrize("looks", ["gb" * 500, "bg" * 500, "ggb" * 300, "gbb" * 300])
    def test_a_host_that_answers_now_and_then_changes_the_choice_once_and_stays_away(self, looks: str) -> None:
        returned = states(looks)
        assert changes(returned) == 1
        assert UP not in returned[returned.index(DEGRADED) :]

    @pytest.mark.parametrize("looks", ["gb" * 200, "bg" * 200])
    def test_nothing_about_it_has_to_be_written_at_every_look(self, looks: str) -> None:
        conditions = [pulse.condition() for pulse in seen(looks)]
        assert sum(one != other for one, other in pairwise(conditions)) <= 1

    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("health", [0.3, 0.6, 0.9, 0.97])
    def test_within_a_day_the_choice_changes_ever_more_rarely(self, seed: int, health: float) -> None:
        rng = random.Random(seed)
        looks = ["g" if rng.random() < health else "b" for _ in range(288)]  # a day, one every five minutes
        assert changes(states(looks)) <= most_changes(288)

    @few
    @given(LOOKS)
    def test_the_number_of_changes_is_bounded_whatever_is_seen(self, looks: str) -> None:
        assert changes(states(looks, timedelta(seconds=1))) <= most_changes(len(looks))

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("failing", [0.2, 0.35, 0.5])
    def test_one_that_fails_ever_and_again_is_not_taken_back_day_by_day(self, failing: float, seed: int) -> None:
        """Three weeks: that falls are forgotten after a day must not let it up again each day."""
        rng = random.Random(seed)
        looks = ["b" if rng.random() < failing else "g" for _ in range(2_000)]
        assert changes(states(looks, timedelta(minutes=15))) <= 9

    @pytest.mark.parametrize("well", range(1, 10))
    def test_nor_is_one_that_fails_by_the_clock(self, well: int) -> None:
        assert changes(states(("g" * well + "b") * 200, timedelta(minutes=15))) <= 7

    @few
    @given(LOOKS, st.lists(GAPS, min_size=120, max_size=120))
    def test_so_it_is_over_many_days(self, looks: str, gaps: list[timedelta]) -> None:
        pulse, moment, returned = None, MOMENT, []
        for look, gap in zip(looks, gaps, strict=False):
            pulse = next_state(pulse, SIGHTS[look], moment, URL)
            returned.append(pulse.state)
            moment += gap
        assert changes(returned) <= 2 * (1 + len(looks) // (SUCCESSES_UNTIL_UP + 1))

    def test_what_it_costs_to_hold_is_bounded(self) -> None:
        assert all(len(pulse.falls) <= 4 for pulse in seen("bggg" * 300, timedelta(minutes=30)))


class TestBusy:
    @few
    @given(LOOKS, st.integers(0, 120))
    def test_it_changes_only_the_times_of_the_check(self, looks: str, place: int) -> None:
        pulse = seen(looks)[-1] if looks else None
        moment = MOMENT + timedelta(days=1)
        busy = next_state(pulse, SIGHTS["y"], moment, URL)
        if pulse is None:
            assert busy.state == UP
            return
        assert busy == replace(pulse, checked=moment, until=moment + timedelta(seconds=60), status=429)
        assert busy.condition() == pulse.condition()

    @few
    @given(LOOKS)
    def test_those_between_others_might_as_well_not_have_been(self, looks: str) -> None:
        without = [pulse.state for pulse in seen(looks.replace("y", ""), timedelta(0))]
        among = [pulse.state for pulse, look in zip(seen(looks, timedelta(0)), looks, strict=True) if look != "y"]
        assert among == without

    @few
    @given(st.none() | st.integers(-(10**20), 10**20))
    def test_nobody_makes_us_stay_away_for_longer_than_a_day(self, pause: int | None) -> None:
        until = next_state(None, CheckResult(BUSY, pause=pause), MOMENT, URL).until
        assert until is None or MOMENT < until <= MOMENT + timedelta(seconds=MAX_PAUSE_SECONDS)
        assert (until is None) is (pause is None or pause <= 0)


class TestClocks:
    @few
    @given(LOOKS, st.lists(st.integers(-(10**6), 10**6), min_size=120, max_size=120))
    def test_whatever_they_say_the_rules_hold(self, looks: str, jumps: list[int]) -> None:
        pulse, moment, run = None, MOMENT, 0
        for look, jump in zip(looks, jumps, strict=False):
            before, pulse = pulse, next_state(pulse, SIGHTS[look], moment, URL)
            run = {"g": run + 1, "b": 0, "y": run}[look]
            if before is not None and before.state != UP and pulse.state == UP:
                assert run >= SUCCESSES_UNTIL_UP
            if run >= MAX_SUCCESSES_UNTIL_UP:
                assert pulse.state == UP
            moment += timedelta(seconds=jump)

    def test_falls_that_a_clock_put_years_ahead_are_purged_when_it_is_right_again(self) -> None:
        ahead = MOMENT + timedelta(days=3_650)
        pulse: CheckState | None = None
        for look in "bgggbggggggb":
            pulse = next_state(pulse, SIGHTS[look], ahead, URL)
        assert pulse is not None
        assert len(pulse.falls) == 3
        back = list(seen("ggg", first=replace(pulse, checked=MOMENT)))
        assert [each.state for each in back] == [DEGRADED, DEGRADED, UP]

    def test_one_at_the_edge_of_time_does_no_harm(self) -> None:
        for edge in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC) - timedelta(days=2)):
            pulse = next_state(seen("bb")[-1], SIGHTS["y"], edge, URL)
            assert next_state(pulse, SIGHTS["b"], edge, URL).state == DOWN


class TestKeeping:
    pulses = st.builds(seen, LOOKS.filter(bool)).map(lambda pulses: pulses[-1])

    @few
    @given(pulses)
    def test_what_is_written_is_read_again(self, pulse: CheckState) -> None:
        assert json.decode(json.encode(pulse), type=CheckState) == pulse

    def test_rows_of_the_previous_release_are_readable(self) -> None:
        old = b'{"url":"https://a.example/","state":"down","since":"2026-05-04T12:00:00Z","checked":"2026-05-04T12:00:00Z"}'
        pulse = json.decode(old, type=CheckState)
        assert (pulse.state, pulse.well, pulse.condition().good) == (DOWN, None, None)
        assert next_state(pulse, SIGHTS["g"], MOMENT, pulse.url).state == DEGRADED

    @few
    @given(LOOKS)
    def test_conditions_are_those_that_there_are(self, looks: str) -> None:
        for pulse in seen(looks):
            condition = pulse.condition()
            assert condition.state in STATES
            assert (condition.state == UP) is not pulse.is_ailing()

    @few
    @given(text.filter(bool), text, text)
    def test_names_of_targets_contain_their_records_and_are_distinct(self, key: str, uri: str, other: str) -> None:
        assert record_key(target_name(key, uri)) == key
        assert (target_name(key, uri) == target_name(key, other)) is (uri == other)


def most_changes(looks: int) -> int:
    """The most changes of choice that so many looks within a day can bring: a fall, then the good looks demanded."""
    return max(_possible(looks))


def _possible(looks: int) -> Iterator[int]:
    count, falls = 0, 0
    yield 0
    while looks > 0:
        falls, looks, count = falls + 1, looks - 1, count + 1
        yield count
        looks -= successes_required([MOMENT] * falls)
        if looks >= 0:
            count += 1
            yield count

"""The schedule of checks: every address once in its period, none never, and no host too often."""

from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.health.due_tasks import due
from coolid.health.schedule import (
    MAX_PER_HOST,
    MAX_RECURRING,
    TICK_SECONDS,
    CheckSchedule,
    CheckTask,
    RecurringTask,
    host_of,
    period,
    shard_of,
    tasks_of_prefix,
    tasks_of_record,
    turn_of,
)
from coolid.model.check_state import CheckCursor, CheckSubject, prefix_owner, repository_owner, target_name
from coolid.model.conditions import DEGRADED, DOWN, UP, Condition
from coolid.model.prefixes import DATA, Provider
from coolid.model.records import INACTIVE, RESERVED, WITHDRAWN, Location
from tests.support.builders.samples import LATER, MOMENT, provider_prefix, record
from tests.support.effort import examples

PACE = CheckSchedule()
PERIODS = (1, 4, 8, 24)
OLS = Condition(DOWN, MOMENT, "it answered 500")


def errand(number: int, host: str = "a.example") -> CheckTask:
    return CheckTask(CheckSubject("prefix:go", f"p{number}"), f"https://{host}/{number}")


def crowd(*sizes: int, host: str = "a.example") -> list[RecurringTask]:
    """So many errands of one host for each of the periods."""
    numbers = iter(range(sum(sizes)))
    return [
        (errand(next(numbers), host), ticks) for ticks, size in zip(PERIODS, sizes, strict=False) for _ in range(size)
    ]


def rota(standing: list[RecurringTask], ticks: int, most: int = MAX_RECURRING) -> list[list[CheckTask]]:
    return [due(standing, 2_000_000 + tick, most) for tick in range(ticks)]


class TestPeriods:
    @pytest.mark.parametrize(
        ("state", "hours", "ticks"),
        [
            (UP, 9_999, 8), (DEGRADED, 9_999, 1), (DOWN, 0, 1), (DOWN, 0.99, 1), (DOWN, 1, 4), (DOWN, 23, 4),
            (DOWN, 24, 24), (DOWN, 167, 24), (DOWN, 168, 96), (DOWN, 99_999, 96),
        ],
    )  # fmt: skip
    def test_a_new_failure_is_checked_often_and_an_old_one_more_rarely(
        self, state: str, hours: float, ticks: int
    ) -> None:
        assert period(Condition(state, MOMENT), MOMENT + timedelta(hours=hours), PACE) == ticks

    def test_nobody_is_checked_twice_in_a_tick_however_long_it_is(self) -> None:
        for condition in (None, Condition(DEGRADED, MOMENT), OLS):
            assert period(condition, MOMENT, CheckSchedule(seconds=86_400, hours=1)) == 1

    @pytest.mark.parametrize("late", [-TICK_SECONDS // 2, -60, 0, 1, 60, TICK_SECONDS // 2 - 1])
    def test_a_schedule_that_rings_early_or_late_means_the_tick_that_is_nearest(self, late: int) -> None:
        stroke = MOMENT.replace(minute=30, second=0)
        assert PACE.tick_of(stroke + timedelta(seconds=late)) == PACE.tick_of(stroke)
        assert PACE.tick_of(stroke) * TICK_SECONDS == stroke.timestamp()


class TestTurns:
    @examples(20)
    @given(st.lists(st.integers(0, 20), min_size=4, max_size=4))
    def test_everybody_has_one_turn_in_each_period(self, sizes: list[int]) -> None:
        standing = [(errand(number, f"h{number}.example"), ticks) for number, (_, ticks) in enumerate(crowd(*sizes))]
        turns = Counter(each for tick in rota(standing, 24) for each in tick)
        assert turns == {each: 24 // ticks for each, ticks in standing}

    @examples(20)
    @given(st.lists(st.integers(0, 40), min_size=4, max_size=4), st.integers(5, 60))
    def test_no_host_is_checked_too_often_and_no_address_starves(self, sizes: list[int], most: int) -> None:
        standing = crowd(*sizes)
        ticks = rota(standing, 48, most)
        assert max(map(len, ticks)) <= most
        if sum(sizes) < most:  # far from too many: nobody waits at all
            assert {each for tick in ticks for each in tick} == {each for each, _ in standing}

    def test_where_there_are_too_many_of_a_host_all_of_them_wait_alike_and_none_for_ever(self) -> None:
        standing = crowd(300)
        ticks = rota(standing, 24)
        assert all(0 < len(tick) <= MAX_RECURRING for tick in ticks)
        turns = Counter(each for tick in ticks for each in tick)
        assert turns.keys() == {each for each, _ in standing}
        assert max(turns.values()) - min(turns.values()) <= 1

    def test_a_host_of_hundreds_that_fails_is_found_out_to_the_last_of_them(self) -> None:
        """What has failed is asked at each tick, and must not take the turns of what nobody has seen failing yet."""
        all_of_it = [each for each, _ in crowd(260)]
        failed: set[CheckTask] = set()
        for tick in range(2_000_000, 2_000_000 + 16):
            taken = due([(each, 1 if each in failed else 8) for each in all_of_it], tick)
            assert len(taken) <= MAX_RECURRING
            failed |= {*taken}
        assert failed == {*all_of_it}

    def test_other_hosts_do_not_wait_with_them(self) -> None:
        alone = errand(1, "b.example")
        assert all(alone in tick for tick in rota([*crowd(100), (alone, 1)], 5))

    def test_three_thousand_providers_spread_evenly(self) -> None:
        standing = [(errand(number, f"h{number % 900}.example"), 8) for number in range(3_000)]
        sizes = [len(tick) for tick in rota(standing, 8)]
        assert sum(sizes) == 3_000
        assert max(sizes) < 1.2 * 3_000 / 8

    @examples(20)
    @given(st.sampled_from(PERIODS), st.integers(1, 200))
    def test_a_new_address_does_not_move_the_others(self, ticks: int, number: int) -> None:
        few = [(errand(each), ticks) for each in range(10)]
        before, after = rota(few, ticks), rota([*few, (errand(number + 10), ticks)], ticks)
        assert [[each for each in tick if each != errand(number + 10)] for tick in after] == before

    def test_there_is_room_for_each_period_and_for_records(self) -> None:
        assert len(PERIODS) <= MAX_RECURRING < MAX_PER_HOST


class TestShares:
    @given(st.integers(0, 5_000), st.integers(0, 10**7), st.sampled_from([900, 7_200]))
    def test_the_ticks_of_a_day_take_together_what_a_day_is_to_take(
        self, targets: int, tick: int, seconds: int
    ) -> None:
        pace = CheckSchedule(seconds=seconds, targets=targets)
        shares = [pace.share(tick + each, "r4k2") for each in range(86_400 // seconds)]
        assert sum(shares) == targets
        assert max(shares) - min(shares) <= 1

    def test_a_round_is_over_when_it_is_done_and_a_day_has_passed(self) -> None:
        day = timedelta(days=1)
        assert not CheckCursor(MOMENT, "x").is_over(LATER)
        assert not CheckCursor(MOMENT, "x", done=True).is_over(MOMENT + day - timedelta(seconds=1))
        assert CheckCursor(MOMENT, "x", done=True).is_over(MOMENT + day)


class TestErrands:
    def test_a_provider_is_checked_with_the_url_of_its_example(self) -> None:
        prefix = provider_prefix("go", "https://a.example/{$id}?x={$id}", example="A B%41", health={"p0": OLS})
        requested = CheckTask(CheckSubject(prefix_owner("go"), "p0"), "https://a.example/A%20B%41?x=A%20B%41")
        assert tasks_of_prefix(prefix) == {requested: OLS}
        (opaque,) = tasks_of_prefix(replace(prefix, encoding=DATA))
        assert opaque.url == "https://a.example/A%20B%2541?x=A%20B%2541"

    def test_a_provider_goes_by_its_folded_code(self) -> None:
        prefix = provider_prefix("go", example="1", providers=(Provider("OLS", "https://a.example/{$id}"),))
        ((requested, condition),) = tasks_of_prefix(replace(prefix, health={"ols": OLS})).items()
        assert (requested.subject.name, condition) == ("ols", OLS)

    @pytest.mark.parametrize(
        "url", ["ftp://a.example/{$id}", "javascript:{$id}", "{$id}", "https://{$id}", "http:// /{$id}"]
    )
    def test_urls_that_are_no_http_are_not_checked(self, url: str) -> None:
        assert tasks_of_prefix(provider_prefix("go", url, example=" ")) == {}

    @pytest.mark.parametrize("example", [None, ""])
    def test_without_an_example_there_is_nothing_to_check(self, example: str | None) -> None:
        assert tasks_of_prefix(provider_prefix("go", "https://a.example/{$id}", example=example)) == {}

    def test_all_valid_locations_of_a_record_are_checked(self) -> None:
        good = (Location("https://a.example/1"), Location("https://b.example/", valid_from="2025-01-01T00:00:00Z"))
        bad = (
            Location("https://c.example/", INACTIVE),
            Location("https://d.example/", valid_until="2025-01-01T00:00:00Z"),
            Location("https://e.example/", valid_from="2026-01-01T00:00:00Z"),
        )
        many = record("tw0tywdj94", records=(*good, *bad, good[0]))
        owner = repository_owner(many.repository)
        assert tasks_of_record(many, MOMENT) == [
            CheckTask(CheckSubject(owner, target_name("tw0tywdj94", each.uri)), each.uri) for each in good
        ]

    @pytest.mark.parametrize("status", [RESERVED, WITHDRAWN])
    def test_a_location_without_redirects_is_not_checked(self, status: str) -> None:
        assert tasks_of_record(record(status=status), MOMENT) == []

    def test_a_key_that_is_too_long_for_a_check_state_is_skipped(self) -> None:
        assert tasks_of_record(replace(record(), key="é" * 501), MOMENT) == []
        assert tasks_of_record(replace(record(), key="é" * 500), MOMENT)


class TestHosts:
    @pytest.mark.parametrize(
        ("url", "host"),
        [
            ("https://A.example:8443/x", "a.example"),
            ("http://é.example/", "xn--9ca.example"),
            ("http://[::1]/", "[::1]"),
        ],
    )
    def test_it_is_the_host_that_a_browser_would_use(self, url: str, host: str) -> None:
        assert host_of(url) == host

    @given(st.text(min_size=1), st.integers(1, 64))
    def test_all_of_a_host_is_in_one_shard(self, host: str, shards: int) -> None:
        assert 0 <= shard_of(host, shards) < shards
        assert shard_of(host, shards) == shard_of(host, shards)

    def test_shards_are_all_of_about_the_same_size(self) -> None:
        sizes = Counter(shard_of(f"h{number}.example", 32) for number in range(3_200))
        assert len(sizes) == 32
        assert max(sizes.values()) < 200

    @given(st.text(), st.text())
    def test_turns_depend_on_owner_and_name(self, owner: str, name: str) -> None:
        assert turn_of(CheckSubject(owner, name)) == turn_of(CheckSubject(owner, name))

"""Quotas: no window has more mints than the limit, for any functions and times; and no refusal is wrong."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import QuotaExceeded, StoreUnavailable
from coolid.model.clients import Client, Quota
from coolid.model.quota_usage import GROUPS, Usage
from coolid.records.quotas import Quotas
from tests.support.builders.samples import MOMENT
from tests.support.effort import examples
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

DAY = 86_400
MINUTE_MILLISECONDS = 60_000
pauses = st.lists(st.integers(0, 200) | st.integers(0, 70_000) | st.sampled_from([5_000, 60_000]), max_size=60)


def client(quota: Quota | None, name: str = "abcdefgh") -> Client:
    return Client(name, "", ("admin",), MOMENT, quota=quota)


def wait(clock: FixedClock, milliseconds: int) -> None:
    clock.moment += timedelta(milliseconds=milliseconds)


def is_allowed(quotas: Quotas, who: Client) -> bool:
    """Spend one mint; whether there was one."""
    try:
        quotas.spend(who)
    except QuotaExceeded:
        return False
    return True


def most_in_a_window(moments: list[int], milliseconds: int) -> int:
    """The most of these moments that any interval has which is that long: one of them is its last."""
    return max((sum(end - milliseconds < each <= end for each in moments) for end in moments), default=0)


class Late:
    """Passes everything on; what is spent reaches the store behind after others have spent, by `script`.

    Each number of the script stands for a read: so many mints of others come between it and its write.
    """

    def __init__(self, store: MemoryStore, script: list[int], others: Any) -> None:
        self._store = store
        self._script = iter(script)
        self._others = others

    def usage(self, counter_id: str) -> Usage:
        found = self._store.usage(counter_id)
        for _ in range(next(self._script, 0)):
            self._others()
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class TestInEveryWindow:
    @given(st.integers(1, 400), st.lists(st.integers(0, 3_000), max_size=400))
    @examples(50)
    def test_there_are_at_most_as_many_mints_as_the_limit(self, limit: int, pauses: list[int]) -> None:
        clock = FixedClock()
        quotas, now = Quotas(MemoryStore(), clock), 0
        allowed: list[int] = []
        for pause in pauses:
            wait(clock, pause)
            now += pause
            if is_allowed(quotas, client(Quota(minute=limit))):
                allowed.append(now)
        assert most_in_a_window(allowed, MINUTE_MILLISECONDS) <= limit

    def test_a_client_that_keeps_trying_gets_as_many_as_the_limit(self) -> None:
        """A bucket of tokens allows 59 in the first minute here, since it is filled again meanwhile."""
        clock = FixedClock()
        quotas, who, allowed = Quotas(MemoryStore(), clock), client(Quota(minute=30)), []
        for now in [*[0] * 31, *range(0, 120_000, 100)]:
            clock.moment = MOMENT + timedelta(milliseconds=now)
            if is_allowed(quotas, who):
                allowed.append(now)
        assert (sum(now < 60_000 for now in allowed), len(allowed)) == (30, 60)
        assert most_in_a_window(allowed, MINUTE_MILLISECONDS) == 30

    @given(
        st.integers(1, 20),
        st.lists(st.tuples(st.integers(0, 8_000), st.integers(0, 2), st.lists(st.integers(0, 3), max_size=3))),
        st.lists(st.integers(-20_000, 20_000), min_size=3, max_size=3),
    )
    @examples(200)
    def test_late_writes_and_wrong_clocks_do_not_exceed_the_limit(
        self, limit: int, mints: list[tuple[int, int, list[int]]], offsets: list[int]
    ) -> None:
        """By the moments at which the writers, each with a clock of its own, looked at them."""
        store, who = MemoryStore(), client(Quota(minute=limit))
        clocks = [FixedClock(MOMENT + timedelta(milliseconds=offset)) for offset in offsets]
        allowed: list[int] = []

        def mint(writer: int, script: list[int]) -> None:
            clock = clocks[writer]
            late: Any = Late(store, script, lambda: mint((writer + 1) % 3, []))
            moments: list[int] = []
            clock_of: Any = _Noting(clock, moments)
            if is_allowed(Quotas(late, clock_of), who):
                allowed.append(moments[-1])

        for pause, writer, script in mints:
            for clock in clocks:
                wait(clock, pause)
            mint(writer, script)
        assert most_in_a_window(allowed, MINUTE_MILLISECONDS) <= limit

    @given(st.sampled_from([1, 2, 10]), st.sampled_from([1, 2, 3, 100]), pauses)
    @examples(100)
    def test_both_windows_hold_and_a_refusal_by_one_costs_the_other_nothing(
        self, minute: int, day: int, pauses: list[int]
    ) -> None:
        clock, now, allowed = FixedClock(), 0, [-2 * DAY * 1_000]
        quotas, limits = Quotas(MemoryStore(), clock), {"minute": (minute, 60), "day": (day, DAY)}
        for pause in pauses:
            wait(clock, pause)
            now += pause
            full = []
            for name, (limit, seconds) in limits.items():  # the groups count some that have left the window
                length = 1_000 * seconds
                if sum(each > now - length for each in allowed) >= limit:
                    full.append(name)
            try:
                spent = quotas.spend(client(Quota(minute, day)))
            except QuotaExceeded as error:
                limit, seconds = limits[error.window]
                since = now - 1_000 * seconds * (GROUPS + 1) // GROUPS
                assert sum(each > since for each in allowed) >= limit
            else:
                assert (full, [each.window.name for each in spent]) == ([], ["minute", "day"])
                allowed.append(now)


class _Noting:
    """A clock that notes the milliseconds that it shows."""

    def __init__(self, clock: FixedClock, moments: list[int]) -> None:
        self._clock = clock
        self._moments = moments

    def milliseconds(self) -> int:
        self._moments.append(self._clock.milliseconds())
        return self._moments[-1]


class TestFairness:
    @given(st.integers(1, 50), pauses)
    @examples(100)
    def test_after_a_window_without_a_mint_all_are_there_again(self, limit: int, pauses: list[int]) -> None:
        clock = FixedClock()
        quotas, who = Quotas(MemoryStore(), clock), client(Quota(minute=limit))
        for pause in pauses:
            wait(clock, pause)
            is_allowed(quotas, who)
        wait(clock, MINUTE_MILLISECONDS)
        assert [is_allowed(quotas, who) for _ in range(limit + 1)] == [True] * limit + [False]

    @given(st.integers(1, 120), st.integers(0, 3_000))
    @examples(100)
    def test_even_mints_at_eleven_twelfths_of_the_limit_are_never_refused(self, limit: int, more: int) -> None:
        interval = -(-MINUTE_MILLISECONDS * GROUPS // (limit * (GROUPS - 1))) + more
        clock = FixedClock()
        quotas, who = Quotas(MemoryStore(), clock), client(Quota(minute=limit))
        for _ in range(3 * limit):
            assert is_allowed(quotas, who)
            wait(clock, interval)

    @given(st.integers(1, 60), pauses)
    def test_no_mint_is_refused_that_fits_a_window_longer_by_one_group(self, limit: int, pauses: list[int]) -> None:
        clock, now = FixedClock(), 0
        quotas, who, allowed = Quotas(MemoryStore(), clock), client(Quota(minute=limit)), []
        for pause in pauses:
            wait(clock, pause)
            now += pause
            since = now - MINUTE_MILLISECONDS * (GROUPS + 1) // GROUPS
            if is_allowed(quotas, who):
                allowed.append(now)
            else:
                assert sum(each > since for each in allowed) >= limit

    def test_the_row_stays_small_however_many_mint(self) -> None:
        store, clock = MemoryStore(), FixedClock()
        who = client(Quota(minute=1_000_000, day=1_000_000_000))
        for _ in range(200):
            Quotas(store, clock).spend(who, 1_000)
            wait(clock, 997)
        (usage,) = store.usages.values()
        assert max(len(each.closed) for each in usage.windows.values()) <= GROUPS + 1


class TestAllowances:
    @given(st.integers(1, 30), pauses)
    @examples(100)
    def test_as_many_remain_as_are_then_allowed_and_all_at_the_reset(self, limit: int, pauses: list[int]) -> None:
        clock = FixedClock()
        quotas, who = Quotas(MemoryStore(), clock), client(Quota(minute=limit))
        for pause in pauses:
            wait(clock, pause)
            is_allowed(quotas, who)
        wait(clock, MINUTE_MILLISECONDS)
        (allowance,) = quotas.spend(who)
        for remaining in range(allowance.remaining - 1, -1, -1):
            (allowance,) = quotas.spend(who)
            assert allowance.remaining == remaining
        with pytest.raises(QuotaExceeded):
            quotas.spend(who)
        wait(clock, 1_000 * allowance.reset)
        assert quotas.spend(who)[0].remaining == limit - 1

    @given(st.integers(1, 30), pauses)
    @examples(100)
    def test_a_refusal_says_in_which_second_there_is_one_again(self, limit: int, pauses: list[int]) -> None:
        clock = FixedClock()
        store, who = MemoryStore(), client(Quota(minute=limit))
        for pause in pauses:
            wait(clock, pause)
            try:
                Quotas(store, clock).spend(who)
            except QuotaExceeded as error:
                before = clock.moment
                wait(clock, 1_000 * (error.retry_after - 1) - 1)
                if clock.moment > before:
                    assert not is_allowed(Quotas(store, clock), who)
                clock.moment = before + timedelta(seconds=error.retry_after)
                assert is_allowed(Quotas(store, clock), who)
                clock.moment = before + timedelta(seconds=error.retry_after)


class TestWindows:
    def test_without_a_quota_nothing_is_counted(self, store: MemoryStore, clock: FixedClock) -> None:
        for quota in (None, Quota()):
            assert Quotas(store, clock).spend(client(quota)) == ()
        assert store.usages == {}

    def test_a_client_that_waits_as_advised_is_served(self, store: MemoryStore, clock: FixedClock) -> None:
        for quota in (Quota(minute=7), Quota(day=3), Quota(minute=1), Quota(day=1)):
            quotas, who = Quotas(store, clock), client(quota, f"client of {quota}")
            for _ in range(20):
                try:
                    quotas.spend(who)
                except QuotaExceeded as error:
                    wait(clock, error.retry_after * 1000)
                    quotas.spend(who)

    def test_a_client_refused_by_two_windows_is_served_after_both_waits(
        self, store: MemoryStore, clock: FixedClock
    ) -> None:
        quotas, who, refused = Quotas(store, clock), client(Quota(minute=1, day=2)), []
        for _ in range(2):
            quotas.spend(who)
            wait(clock, 1)
            with pytest.raises(QuotaExceeded) as minute:
                quotas.spend(who)
            wait(clock, minute.value.retry_after * 1000)
            refused.append(minute.value.window)
        with pytest.raises(QuotaExceeded) as day:
            quotas.spend(who)
        wait(clock, day.value.retry_after * 1000)
        assert [*refused, day.value.window] == ["minute", "minute", "day"]
        assert [each.remaining for each in quotas.spend(who)] == [0, 1]  # both of the day stood in one group

    def test_the_day_refuses_when_its_mints_are_spent_and_the_minute_keeps_its_own(
        self, store: MemoryStore, clock: FixedClock
    ) -> None:
        quotas, who = Quotas(store, clock), client(Quota(minute=4, day=2))
        for _ in range(2):
            quotas.spend(who)
        for _ in range(50):
            with pytest.raises(QuotaExceeded) as refused:
                quotas.spend(who)
            assert (refused.value.window, refused.value.limit, refused.value.seconds) == ("day", 2, DAY)
        (minute,) = quotas.spend(client(Quota(minute=4)))  # the same client, its day forgotten
        assert minute.remaining == 1

    def test_a_window_that_a_client_gets_later_begins_then(self, store: MemoryStore, clock: FixedClock) -> None:
        quotas = Quotas(store, clock)
        for _ in range(3):
            quotas.spend(client(Quota(minute=4)))
        assert [each.remaining for each in quotas.spend(client(Quota(minute=4, day=2)))] == [0, 1]

    def test_more_at_once_than_the_limit_is_never_allowed(self, store: MemoryStore, clock: FixedClock) -> None:
        for _ in range(2):
            with pytest.raises(QuotaExceeded) as refused:
                Quotas(store, clock).spend(client(Quota(minute=2)), 3)
            assert refused.value.retry_after >= 1
            wait(clock, 60_000)
        assert store.usages == {}

    def test_clients_count_apart(self, store: MemoryStore, clock: FixedClock) -> None:
        quotas = Quotas(store, clock)
        for name in ("aaaaaaaa", "bbbbbbbb"):
            quotas.spend(client(Quota(minute=1), name))
            with pytest.raises(QuotaExceeded):
                quotas.spend(client(Quota(minute=1), name))

    def test_another_process_counts_on(self, store: MemoryStore, clock: FixedClock) -> None:
        who = client(Quota(minute=3))
        assert [Quotas(store, clock).spend(who)[0].remaining for _ in range(3)] == [2, 1, 0]
        with pytest.raises(QuotaExceeded):
            Quotas(store, clock).spend(who)

    @pytest.mark.parametrize("quota", [Quota(minute=10), Quota(day=10), Quota(10, 10), Quota(10, 1_000)])
    def test_of_fifty_at_once_exactly_ten_get_one_of_ten(
        self, store: MemoryStore, clock: FixedClock, quota: Quota
    ) -> None:
        def spend(_: int) -> bool:
            try:
                Quotas(store, clock).spend(client(quota))
            except QuotaExceeded:
                return False
            return True

        with ThreadPoolExecutor(50) as threads:
            assert sum(threads.map(spend, range(50))) == 10


class TestAFailingStore:
    @pytest.mark.parametrize("call", ["usage", "spend"])
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_one_that_fails_allows_nothing_and_no_more_than_the_limit_afterwards(
        self, store: MemoryStore, clock: FixedClock, call: str, when: str
    ) -> None:
        who = client(Quota(minute=3, day=3))
        failing: Any = FailingStore(store, when, call)
        with pytest.raises(StoreUnavailable):
            Quotas(failing, clock).spend(who)
        is_counted = (call, when) == ("spend", "after")
        assert sum(is_allowed(Quotas(store, clock), who) for _ in range(5)) == (2 if is_counted else 3)

    def test_one_that_changes_whenever_it_is_read_is_given_up(self, store: MemoryStore, clock: FixedClock) -> None:
        who = client(Quota(minute=1_000))

        def others() -> None:
            wait(clock, 5_000)  # so that a group begins
            Quotas(store, clock).spend(who)

        late: Any = Late(store, [1] * 100, others)
        with pytest.raises(StoreUnavailable):
            Quotas(late, clock).spend(who)

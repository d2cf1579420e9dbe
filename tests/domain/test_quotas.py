"""Quotas, held against a plain bucket of tokens: never more than was said, never less, whoever counts and when."""

from bisect import bisect_left
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coolid.domain.clients import Client, Quota
from coolid.domain.errors import QuotaExceeded, StoreUnavailable
from coolid.domain.quotas import Quotas
from tests.fakes import FailingStore, FixedClock, MemoryStore
from tests.samples import MOMENT

DAY = 86_400
pauses = st.lists(st.integers(0, 200) | st.integers(0, 70_000), max_size=60)


def client(quota: Quota | None, name: str = "abcdefgh") -> Client:
    return Client(name, "", ("admin",), MOMENT, quota=quota)


def wait(clock: FixedClock, milliseconds: int) -> None:
    clock.moment += timedelta(milliseconds=milliseconds)


class Bucket:
    """`limit` tokens, of which one is put back every `seconds`/`limit`; exact."""

    def __init__(self, limit: int, seconds: int) -> None:
        self.limit = self.tokens = Fraction(limit)
        self.a_millisecond = Fraction(limit, seconds * 1000)

    def wait(self, milliseconds: int) -> None:
        self.tokens = min(self.limit, self.tokens + milliseconds * self.a_millisecond)

    def has_one(self) -> bool:
        return self.tokens >= 1


class TestAgainstTheModel:
    @given(st.sampled_from([1, 2, 3, 5, 10, 60]), pauses)
    @settings(max_examples=200)
    def test_a_mint_is_allowed_exactly_when_there_is_a_token(self, limit: int, pauses: list[int]) -> None:
        clock = FixedClock()
        quotas, bucket = Quotas(MemoryStore(), clock), Bucket(limit, 60)
        for pause in pauses:
            wait(clock, pause)
            bucket.wait(pause)
            try:
                (allowance,) = quotas.spend(client(Quota(minute=limit)))
            except QuotaExceeded as error:
                refusal: QuotaExceeded | None = error
            else:
                refusal = None
            assert (refusal is None) == bucket.has_one()
            if refusal:
                assert 0 < 1 - bucket.tokens <= refusal.retry_after * 1000 * bucket.a_millisecond
            else:
                bucket.tokens -= 1
                assert allowance.remaining == int(bucket.tokens)
                missing = (bucket.limit - bucket.tokens) / bucket.a_millisecond / 1000
                assert missing <= allowance.reset < missing + 1

    @given(st.sampled_from([1, 2, 10]), st.sampled_from([1, 2, 3, 100]), pauses)
    @settings(max_examples=200)
    def test_of_two_windows_both_must_have_one_and_neither_is_charged_for_the_others_refusal(
        self, minute: int, day: int, pauses: list[int]
    ) -> None:
        clock = FixedClock()
        quotas, buckets = Quotas(MemoryStore(), clock), {"minute": Bucket(minute, 60), "day": Bucket(day, DAY)}
        for pause in pauses:
            wait(clock, pause)
            for bucket in buckets.values():
                bucket.wait(pause)
            refusing = [name for name, bucket in buckets.items() if not bucket.has_one()]
            told: list[str] = []
            try:
                spent = quotas.spend(client(Quota(minute, day)))
            except QuotaExceeded as error:
                told = [error.window]
            else:
                assert [each.window.name for each in spent] == ["minute", "day"]
                for bucket in buckets.values():
                    bucket.tokens -= 1
            assert told == refusing[:1]

    @given(st.integers(1, 400), st.lists(st.integers(0, 3_000), max_size=400))
    @settings(max_examples=50)
    def test_in_no_window_are_there_more_than_a_bucketful_and_what_comes_back_in_it(
        self, limit: int, pauses: list[int]
    ) -> None:
        """Whatever the limit: shares that do not come out even are never rounded in the client's favour."""
        clock = FixedClock()
        quotas = Quotas(MemoryStore(), clock)
        allowed, now = [], 0
        for pause in pauses:
            wait(clock, pause)
            now += pause
            try:
                quotas.spend(client(Quota(minute=limit)))
            except QuotaExceeded:
                continue
            allowed.append(now)
        for at, begin in enumerate(allowed):
            for span in (0, 1_000, 60_000):
                seen = bisect_left(allowed, begin + span + 1) - at
                assert seen <= limit + Fraction(limit * span, 60_000)


class TestWindows:
    def test_without_a_quota_nothing_is_counted(self, store: MemoryStore, clock: FixedClock) -> None:
        for quota in (None, Quota()):
            assert Quotas(store, clock).spend(client(quota)) == ()
        assert store.counters == {}

    def test_whoever_comes_back_when_told_is_served(self, store: MemoryStore, clock: FixedClock) -> None:
        for quota in (Quota(minute=7), Quota(day=3), Quota(minute=1), Quota(day=1)):
            quotas, who = Quotas(store, clock), client(quota, f"client of {quota}")
            for _ in range(20):
                try:
                    quotas.spend(who)
                except QuotaExceeded as error:
                    wait(clock, error.retry_after * 1000)
                    quotas.spend(who)

    def test_whoever_is_refused_by_the_day_behind_the_minute_is_served_when_both_have_told(
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
        assert [each.remaining for each in quotas.spend(who)] == [0, 0]

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
    @pytest.mark.parametrize("call", ["reserve_until", "release"])
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_one_that_fails_allows_nothing_and_gives_nothing_back(
        self, store: MemoryStore, clock: FixedClock, call: str, when: str
    ) -> None:
        who = client(Quota(minute=3, day=1))
        if call == "release":
            Quotas(store, clock).spend(who)
        failing: Any = FailingStore(store, when, call)
        with pytest.raises(StoreUnavailable):
            Quotas(failing, clock).spend(who)
        refused = 0
        for _ in range(4):
            try:
                Quotas(store, clock).spend(who)
            except QuotaExceeded:
                refused += 1
        assert refused >= 3

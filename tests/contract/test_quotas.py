"""The contract of `QuotaStore`."""

import pytest

from coolid.errors import QuotaExceeded
from coolid.model.clients import Client, Quota, Window
from coolid.model.quota_usage import Usage
from coolid.records.quotas import Quotas
from coolid.store.store import Store
from tests.contract.concurrency import at_once
from tests.support.builders.samples import MOMENT
from tests.support.fixtures.ports import FixedClock


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """What no other test calls anything."""
    return str(request.node.name)


class TestUsage:
    MINUTE = Window("minute", 10, 60)

    def after(self, before: Usage, count: int = 1, at: int = 1_000) -> Usage:
        return before.after(count, [self.MINUTE, Window("day", 1_000, 86_400)], at)

    def spend(self, store: Store, name: str, before: Usage, ceiling: int = 100, at: int = 1_000) -> int | None:
        return store.quotas.spend(name, before, self.after(before, at=at), ceiling)

    def test_there_is_none_before_anything_is_spent(self, store: Store, name: str) -> None:
        assert store.quotas.usage(name) == Usage()
        store.counters.reserve(f"{name}, a counter of numbers", 5, 1)
        assert store.quotas.usage(name) == Usage()

    def test_what_is_spent_is_read_back_equal(self, store: Store, name: str) -> None:
        usage = Usage()
        for at in (2**41, 2**41 + 5_000, 2**41 + 5_001, 2**41 + 10_000):
            after = self.after(usage, 3, at)
            assert store.quotas.spend(name, usage, after, usage.spent) == after.spent
            usage = store.quotas.usage(name)
            assert usage == after
        assert (usage.spent, usage.revision, len(usage.windows["minute"].closed)) == (12, 3, 2)

    def test_of_two_that_begin_only_the_first_succeeds(self, store: Store, name: str) -> None:
        assert self.spend(store, name, Usage()) == 1
        assert self.spend(store, name, Usage()) is None
        assert store.quotas.usage(name).spent == 1

    def test_nothing_is_spent_above_the_ceiling(self, store: Store, name: str) -> None:
        self.spend(store, name, Usage())
        seen = store.quotas.usage(name)
        assert [self.spend(store, name, seen, ceiling=3) for _ in range(5)] == [2, 3, 4, None, None]
        assert store.quotas.usage(name).spent == 4

    def test_nothing_is_spent_by_a_usage_from_before_a_group_began(self, store: Store, name: str) -> None:
        self.spend(store, name, Usage())
        seen = store.quotas.usage(name)
        assert self.spend(store, name, seen, at=6_000) == 2
        assert self.spend(store, name, seen, at=6_000) is None
        assert self.spend(store, name, store.quotas.usage(name), at=6_000) == 3

    def test_a_mint_whose_clock_is_behind_keeps_the_later_moment(self, store: Store, name: str) -> None:
        self.spend(store, name, Usage(), at=1_000)
        seen = store.quotas.usage(name)
        assert self.spend(store, name, seen, at=1_500) == 2
        assert self.spend(store, name, seen, at=1_200) == 3
        assert (store.quotas.usage(name).spent, store.quotas.usage(name).latest) == (3, 1_500)

    def test_of_many_at_once_as_many_as_fit_are_served(self, store: Store, name: str) -> None:
        self.spend(store, name, Usage())
        seen = store.quotas.usage(name)
        outcomes = at_once([lambda at=at: self.spend(store, name, seen, 10, 1_000 + at) for at in range(40)])
        assert sorted(spent for spent in outcomes if spent is not None) == list(range(2, 12))
        assert (store.quotas.usage(name).spent, store.quotas.usage(name).revision) == (11, 1)

    @pytest.mark.parametrize("quota", [Quota(minute=10), Quota(minute=1_000, day=10)])
    def test_of_forty_mints_at_once_exactly_ten_are_within_a_quota_of_ten(
        self, store: Store, name: str, quota: Quota
    ) -> None:
        client = Client(name, "", (), MOMENT, quota=quota)
        outcomes = at_once([lambda: Quotas(store.quotas, FixedClock()).spend(client)] * 40)
        assert sum(isinstance(outcome, QuotaExceeded) for outcome in outcomes) == 30
        minute, *_ = (
            Quotas(store.quotas, FixedClock()).spend(Client(name, "", (), MOMENT, quota=Quota(minute=1_000)))
            if (quota.minute == 1_000)
            else (None,)
        )
        assert minute is None or minute.remaining == 989

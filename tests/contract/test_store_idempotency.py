"""The duties of a store that keeps receipts, clients and the usage of quotas, held against every implementation."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from zlib import crc32

import pytest
from msgspec.structs import replace

from coolid.errors import IdempotencyRecordTaken, IdentifierTaken, QuotaExceeded
from coolid.identifiers.schemes import lui
from coolid.model.clients import Client, Quota, Window
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.quota_usage import Usage
from coolid.records.idempotency import LIFETIME
from coolid.records.quotas import Quotas
from coolid.store.store import Store
from tests.support.builders.samples import LATER, MOMENT, record
from tests.support.fixtures.ports import FixedClock

OWNER = "r4k2-9m3x-62"


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """What no other test calls anything."""
    return str(request.node.name)


@pytest.fixture
def keys(name: str) -> list[str]:
    """Keys of records that no other test uses."""
    start = crc32(name.encode())
    return [lui.encode(start + at) for at in range(20)]


def receipt(name: str, key: str, **members: Any) -> IdempotencyRecord:
    return replace(IdempotencyRecord(name, "sha-256=:x:", f"{OWNER}/{key}", MOMENT + LIFETIME), **members)


def at_once(deeds: list[Any]) -> list[Any]:
    def outcome(deed: Any) -> Any:
        try:
            return deed()
        except (IdentifierTaken, IdempotencyRecordTaken, QuotaExceeded) as error:
            return type(error)

    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(outcome, deeds))


class TestReceipts:
    def test_one_is_written_with_its_record_and_read_back_equal(self, store: Store, name: str, keys: list[str]) -> None:
        wanted = receipt(f"abcdefgh#3/é {name}", keys[0], digest="sha-256=:é:")
        assert store.records.idempotency_record(wanted.id) is None
        store.records.create_record(record(keys[0]), keys[0], wanted)
        assert store.records.idempotency_record(wanted.id) == wanted
        assert store.records.record(OWNER, keys[0], consistent=True) == record(keys[0])

    def test_while_it_is_good_there_is_no_other_and_no_other_record(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        store.records.create_record(record(keys[0]), keys[0], receipt(name, keys[0]))
        for moment in (MOMENT, MOMENT + LIFETIME - timedelta(seconds=1)):
            with pytest.raises(IdempotencyRecordTaken):
                store.records.create_record(
                    record(keys[1], created=moment), keys[1], receipt(name, keys[1], digest="other")
                )
        assert store.records.idempotency_record(name) == receipt(name, keys[0])
        assert store.records.record(OWNER, keys[1], consistent=True) is None

    def test_when_it_has_expired_another_takes_its_place(self, store: Store, name: str, keys: list[str]) -> None:
        store.records.create_record(record(keys[0]), keys[0], receipt(name, keys[0]))
        again = receipt(name, keys[1], digest="other", expires=MOMENT + 2 * LIFETIME)
        store.records.create_record(record(keys[1], created=MOMENT + LIFETIME), keys[1], again)
        assert store.records.idempotency_record(name) == again
        assert store.records.record(OWNER, keys[1], consistent=True) is not None

    def test_where_the_identifier_is_taken_no_receipt_is_left(self, store: Store, name: str, keys: list[str]) -> None:
        store.records.create_record(record(keys[0]), keys[0])
        with pytest.raises(IdentifierTaken) as raised:
            store.records.create_record(record(keys[0], metadata={"what": "another"}), keys[0], receipt(name, keys[0]))
        assert raised.value.identifier == lui.format(keys[0])
        assert store.records.idempotency_record(name) is None
        assert store.records.record(OWNER, keys[0], consistent=True) == record(keys[0])

    def test_where_both_are_taken_it_is_the_receipt_that_is_told(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        store.records.create_record(record(keys[0]), keys[0], receipt(name, keys[0]))
        with pytest.raises(IdempotencyRecordTaken):
            store.records.create_record(record(keys[0]), keys[0], receipt(name, keys[0]))

    def test_of_many_errands_of_one_name_at_once_one_is_done(self, store: Store, name: str, keys: list[str]) -> None:
        outcomes = at_once([
            lambda key=key: store.records.create_record(record(key), key, receipt(name, key)) for key in keys[:16]
        ])  # fmt: skip
        (winner,) = [at for at, outcome in enumerate(outcomes) if outcome is None]
        assert outcomes.count(IdempotencyRecordTaken) == 15
        assert store.records.idempotency_record(name) == receipt(name, keys[winner])
        written = [key for key in keys if store.records.record(OWNER, key, consistent=True)]
        assert written == [keys[winner]]

    def test_of_many_errands_for_one_identifier_at_once_one_is_done(
        self, store: Store, name: str, keys: list[str]
    ) -> None:
        outcomes = at_once([
            lambda at=at: store.records.create_record(record(keys[0]), keys[0], receipt(f"{name}{at}", keys[0]))
            for at in range(16)
        ])  # fmt: skip
        (winner,) = [at for at, outcome in enumerate(outcomes) if outcome is None]
        assert outcomes.count(IdentifierTaken) == 15
        assert [at for at in range(16) if store.records.idempotency_record(f"{name}{at}")] == [winner]


class TestClients:
    CLIENT = Client("abcdefgh", "00" * 32, ("mint:demo",), MOMENT)

    @pytest.mark.parametrize(
        "members",
        [
            {"quota": Quota(60, 1_000)},
            {"quota": Quota(minute=60)},
            {"quota": Quota(day=100_000_000)},
            {"revoked": LATER},
            {"revoked": LATER, "quota": Quota(1, 1), "note": "é", "scopes": ("admin", "mint:demo")},
        ],
    )
    def test_quota_and_revocation_are_read_back_equal(self, store: Store, members: dict[str, Any]) -> None:
        store.clients.put_client(replace(self.CLIENT, **members))
        assert store.clients.client("abcdefgh") == replace(self.CLIENT, **members)

    def test_what_a_change_takes_away_is_gone(self, store: Store) -> None:
        for members in ({"quota": Quota(1, 2), "note": "x", "revoked": LATER}, {"quota": Quota(day=3)}, {}):
            store.clients.put_client(replace(self.CLIENT, **members))
            assert store.clients.client("abcdefgh") == replace(self.CLIENT, **members)


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
        assert outcomes.count(QuotaExceeded) == 30
        minute, *_ = (
            Quotas(store.quotas, FixedClock()).spend(Client(name, "", (), MOMENT, quota=Quota(minute=1_000)))
            if (quota.minute == 1_000)
            else (None,)
        )
        assert minute is None or minute.remaining == 989

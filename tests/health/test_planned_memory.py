"""The planner with many failing targets: bounded memory, bounded reads, and no turn lost."""

import tracemalloc
from collections import Counter, defaultdict
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.health import ailing_targets
from coolid.health.ailing_targets import AilingTargets
from coolid.health.due_tasks import DueTasks, due
from coolid.health.schedule import CheckTask
from coolid.model.check_state import CheckState, CheckSubject, repository_owner, target_name
from coolid.model.conditions import DOWN
from tests.support.builders.samples import MOMENT, namespace, repository
from tests.support.effort import examples
from tests.support.fixtures.health_checks import CheckFunctionFixture
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

TICK = 2_000_000


def task(number: int, host: str) -> CheckTask:
    return CheckTask(CheckSubject("repository:r", f"{number:08}"), f"https://{host}/{number}")


class TestDueTasks:
    @pytest.mark.parametrize("hosts", [1, 10_000])
    def test_memory_grows_by_a_few_bytes_for_each_failing_target(self, hosts: int) -> None:
        def peak(count: int) -> int:
            found = DueTasks(TICK, total=50)
            tracemalloc.start()
            try:
                for number in range(count):
                    found.add(task(number, f"h{number % hosts}.example"), 1)
                assert 0 < len([*found.tasks()]) <= 50
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

        assert peak(8_000) - peak(1_000) < 7_000 * 60

    def test_if_too_many_are_due_in_all_each_waits_for_its_turn(self) -> None:
        recurring = [(task(number, f"h{number}.example"), 1) for number in range(400)]
        ticks = [due(recurring, TICK + tick, total=50) for tick in range(16)]
        assert max(map(len, ticks)) <= 50
        assert {each for tick in ticks for each in tick} == {each for each, _ in recurring}

    @examples(20)
    @given(st.integers(1, 8), st.lists(st.sampled_from([1, 4, 24]), min_size=1, max_size=30))
    def test_a_turn_between_two_reads_counts_once(self, every: int, periods: list[int]) -> None:
        turns = Counter[CheckTask]()
        for tick in range(0, 96, every):
            found = DueTasks(TICK + tick)
            for number, period in enumerate(periods):
                found.add(task(number, f"h{number}.example"), period, window=every)
            turns.update(found.tasks())
        for number, period in enumerate(periods):
            expected = 96 // every if period <= every else 96 // period
            assert abs(turns[task(number, f"h{number}.example")] - expected) <= 1

    def test_ticks_that_were_not_planned_do_not_exceed_the_limit_of_a_host(self) -> None:
        found = DueTasks(TICK, limit=5)
        for number in range(100):
            found.add(task(number, "a.example"), 96, window=96)
        assert 0 < len([*found.tasks()]) <= 5


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    """30 failing targets of 3 repositories; a tick reads about 8 of them."""
    monkeypatch.setattr(ailing_targets, "PAGE_SIZE", 2)
    monkeypatch.setattr(ailing_targets, "MAX_STATES", 8)
    store = MemoryStore()
    for owner in ("a", "b", "c"):
        store.create_repository(repository(owner))
        store.put_prefix(namespace(f"n{owner}", repository(owner)), None)
        for number in range(10):
            url = f"https://{owner}{number}.example/"
            state = CheckState(url=url, state=DOWN, since=MOMENT, checked=MOMENT)
            store.put_check_state(CheckSubject(repository_owner(owner), target_name(f"{number}", url)), state)
    return store


def read(store: MemoryStore, tick: int, *, late: bool = False) -> list[tuple[CheckSubject, int]]:
    scan = AilingTargets(store, store, tick, lambda: late)
    found = [(subject, window) for subject, _, window in scan.read(["a", "b", "c"])]
    scan.save()
    return found


class TestReading:
    def test_every_tick_of_a_target_is_in_one_of_its_windows(self, store: MemoryStore) -> None:
        reads = defaultdict(list)
        for tick in range(TICK, TICK + 40):
            found = read(store, tick, late=tick % 7 == 0)
            assert len(found) <= 10
            assert read(store, tick, late=tick % 7 == 0) == found
            for subject, window in found:
                reads[subject].append((tick, window))
        assert len(reads) == 30
        for each in reads.values():
            assert all(before + window == tick for (before, _), (tick, window) in pairwise(each))
            assert max(window for _, window in each) <= 8

    def test_a_list_that_fits_into_a_tick_again_is_read_at_once(
        self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for tick in range(TICK, TICK + 5):
            read(store, tick)
        monkeypatch.setattr(ailing_targets, "MAX_STATES", 1_000)
        read(store, TICK + 5)
        assert len(read(store, TICK + 6)) == 30
        assert {window for _, window in read(store, TICK + 7)} == {1}
        before = store.calls["put_ailing_scan"]
        read(store, TICK + 8)
        assert store.calls["put_ailing_scan"] == before

    def test_reading_stops_between_repositories_too(self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ailing_targets, "PAGE_SIZE", 10)
        monkeypatch.setattr(ailing_targets, "MAX_STATES", 1_000)
        reads = defaultdict(list)
        for tick in range(TICK, TICK + 9):
            before = store.calls["ailing"]
            found = read(store, tick, late=True)
            assert store.calls["ailing"] - before == 1
            for subject, window in found:
                reads[subject].append((tick, window))
        assert len(reads) == 30
        for each in reads.values():
            assert all(before + window == tick for (before, _), (tick, window) in pairwise(each))
            assert len(each) == 3
        assert len(read(store, TICK + 9)) == 30

    def test_the_planner_continues_and_checks_all(self, store: MemoryStore) -> None:
        fixture = CheckFunctionFixture(store, clock=FixedClock(datetime(2026, 5, 4, 12, tzinfo=UTC)))
        tick = fixture.planner.schedule.tick_of(fixture.clock.now())
        for _ in range(3 * 96):
            tick += 1
            fixture.planner.plan(tick, until=fixture.hosts.seconds)
        planned = Counter(each.url for message in fixture.queue.visits() for each in message.errands)
        assert len(planned) == 30
        assert max(planned.values()) - min(planned.values()) <= 1

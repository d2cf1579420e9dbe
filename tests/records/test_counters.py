"""Counting: a number is handed out once, never below the floor, never more than a run ahead of the clock."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Lock
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import CounterAhead, StoreUnavailable
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import RUN, PilinRules
from coolid.records.counters import MAX_RANGES, MAX_WAIT_MILLISECONDS, Counters
from tests.support.builders.samples import MOMENT
from tests.support.effort import examples
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

PILIN = PilinRules()
NOID = NoidRules(".sdek")
OWNER = "r4k2-9m3x-62"


class WaitingClock(FixedClock):
    """Records its pauses, each of which puts it forward; safe between threads."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[int] = []
        self._lock = Lock()

    def pause(self, milliseconds: int) -> None:
        with self._lock:
            self.pauses.append(milliseconds)
            super().pause(milliseconds)

    def go_by(self, milliseconds: int) -> None:
        """Time goes by without anybody waiting for it."""
        with self._lock:
            self.moment += timedelta(milliseconds=milliseconds)


class _Unbounded(PilinRules, frozen=True):
    """Pilin's numbers without its patience."""

    def max_lead(self) -> int:
        return 10**12


@pytest.fixture
def waiting() -> WaitingClock:
    return WaitingClock()


def floor(clock: FixedClock) -> int:
    return PILIN.floor(clock.milliseconds())


class TestTheNumbers:
    def test_those_of_one_writer_follow_each_other_from_the_floor(
        self, store: MemoryStore, waiting: WaitingClock
    ) -> None:
        counters = Counters(store, waiting)
        start = floor(waiting)
        assert [counters.take(OWNER, PILIN) for _ in range(PILIN.max_run())] == list(
            range(start, start + PILIN.max_run())
        )
        assert store.calls["reserve"] == (PILIN.max_run() + 1).bit_length()  # each run twice as long as the one before
        assert waiting.pauses == []

    def test_those_of_a_template_begin_at_zero_and_leave_none_out(
        self, store: MemoryStore, waiting: WaitingClock
    ) -> None:
        writers = [Counters(store, waiting) for _ in range(3)]
        assert [writers[at % 3].take(OWNER, NOID) for at in range(30)] == list(range(30))

    def test_repositories_count_apart(self, store: MemoryStore, waiting: WaitingClock) -> None:
        counters = Counters(store, waiting)
        assert [counters.take(owner, NOID) for owner in ("a", "b", "a", "b", "c")] == [0, 0, 1, 1, 0]

    @pytest.mark.parametrize("rules", [NOID, _Unbounded()], ids=["noid", "pilin"])
    def test_none_is_minted_twice_by_many_writers_with_many_threads(self, store: MemoryStore, rules: Any) -> None:
        clock = WaitingClock()
        writers = [Counters(store, clock) for _ in range(8)]
        with ThreadPoolExecutor(16) as threads:
            numbers = list(threads.map(lambda at: writers[at % 8].take(OWNER, rules), range(4_000)))
        assert len(set(numbers)) == 4_000
        assert min(numbers) >= rules.floor(clock.milliseconds())
        if rules is NOID:
            assert sorted(numbers) == list(range(4_000))

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2_500)), max_size=60))
    @examples(100)
    def test_none_is_below_the_floor_none_more_than_a_run_ahead_and_none_repeated(
        self, turns: list[tuple[int, int]]
    ) -> None:
        store, clock = MemoryStore(), WaitingClock()
        writers = [Counters(store, clock) for _ in range(4)]
        seen: set[int] = set()
        for writer, passed in turns:
            before = floor(clock)
            try:
                number = writers[writer].take(OWNER, PILIN)
            except CounterAhead:
                assert len(writers) * RUN > MAX_WAIT_MILLISECONDS  # so many writers may be told to come back
            else:
                assert before <= number <= floor(clock) + RUN
                assert number not in seen
                seen.add(number)
            clock.go_by(passed)

    def test_a_clock_that_goes_back_repeats_nothing(self, store: MemoryStore, waiting: WaitingClock) -> None:
        first, second = Counters(store, waiting), Counters(store, waiting)
        numbers = [first.take(OWNER, PILIN) for _ in range(10)]
        waiting.go_by(-1_000)
        numbers += [writer.take(OWNER, PILIN) for writer in (first, second, first, second)]
        assert len(set(numbers)) == 14
        assert max(numbers) <= floor(waiting) + RUN


class TestBeingAhead:
    def test_a_writer_that_is_faster_than_the_clock_waits_for_it(
        self, store: MemoryStore, waiting: WaitingClock
    ) -> None:
        counters = Counters(store, waiting)
        for _ in range(5 * RUN):
            number = counters.take(OWNER, PILIN)
            assert number <= floor(waiting) + RUN
        assert sum(waiting.pauses) >= 3 * RUN
        assert max(waiting.pauses) <= MAX_WAIT_MILLISECONDS

    def test_a_wait_that_would_be_too_long_raises_its_length(self, store: MemoryStore, waiting: WaitingClock) -> None:
        store.counters[OWNER] = floor(waiting) + RUN + MAX_WAIT_MILLISECONDS + 7
        with pytest.raises(CounterAhead) as raised:
            Counters(store, waiting).take(OWNER, PILIN)
        assert raised.value.milliseconds == MAX_WAIT_MILLISECONDS + 7
        assert waiting.pauses == []

    def test_one_who_can_wait_does(self, store: MemoryStore, waiting: WaitingClock) -> None:
        store.counters[OWNER] = floor(waiting) + RUN + MAX_WAIT_MILLISECONDS
        number = Counters(store, waiting).take(OWNER, PILIN)
        assert number == floor(waiting) + RUN
        assert waiting.pauses == [MAX_WAIT_MILLISECONDS]

    def test_nobody_waits_for_numbers_that_are_no_times(self, store: MemoryStore, waiting: WaitingClock) -> None:
        store.counters[OWNER] = 10**15
        assert Counters(store, waiting).take(OWNER, NOID) == 10**15
        assert waiting.pauses == []

    @pytest.mark.parametrize("writers", [2, 4, 5, 20, 100])
    def test_writers_who_want_one_number_each_at_the_same_moment_are_all_served(
        self, store: MemoryStore, writers: int
    ) -> None:
        """Whatever the number of writers: functions that all woke up for one mint each.

        Each has a clock of its own, for who waits does not make the time of the others go by.
        """
        numbers = [Counters(store, WaitingClock()).take(OWNER, PILIN) for _ in range(writers)]
        assert len(set(numbers)) == writers

    @pytest.mark.parametrize("writers", [2, 4, 10])
    def test_writers_who_want_one_number_a_second_are_all_served_for_half_a_minute(
        self, store: MemoryStore, writers: int
    ) -> None:
        clocks = [WaitingClock() for _ in range(writers)]
        processes = [Counters(store, clock) for clock in clocks]
        numbers = []
        for second in range(30):
            for clock, process in zip(clocks, processes, strict=True):
                clock.moment = max(clock.moment, MOMENT + timedelta(seconds=second))
                numbers.append(process.take(OWNER, PILIN))
        assert len(set(numbers)) == 30 * writers


class TestRestarts:
    @pytest.mark.parametrize("rules", [NOID, PILIN], ids=["noid", "pilin"])
    def test_a_new_process_continues_where_all_others_stopped(
        self, store: MemoryStore, waiting: WaitingClock, rules: Any
    ) -> None:
        numbers = []
        for _ in range(4):
            counters = Counters(store, waiting)
            numbers += [counters.take(OWNER, rules) for _ in range(10)]
            waiting.go_by(500)
        assert len(set(numbers)) == len(numbers)
        assert numbers == sorted(numbers)
        assert rules is PILIN or numbers == list(range(40))

    def test_after_a_pause_numbers_are_those_of_now(self, store: MemoryStore, waiting: WaitingClock) -> None:
        counters = Counters(store, waiting)
        counters.take(OWNER, PILIN)
        waiting.go_by(3_600_000)
        assert counters.take(OWNER, PILIN) == floor(waiting)
        waiting.go_by(300)
        assert counters.take(OWNER, PILIN) == floor(waiting)
        assert store.calls["reserve"] == 3

    def test_cached_runs_are_bounded_and_eviction_repeats_no_number(
        self, store: MemoryStore, waiting: WaitingClock
    ) -> None:
        counters = Counters(store, waiting)
        owners = [f"owner-{at}" for at in range(MAX_RANGES + 10)]
        first = [counters.take(owner, _Unbounded()) for owner in owners]
        assert len(counters._ranges) == MAX_RANGES
        second = [counters.take(owner, _Unbounded()) for owner in owners]
        assert all(one < two for one, two in zip(first, second, strict=True))


class TestAFailingStore:
    @pytest.mark.parametrize("rules", [NOID, PILIN], ids=["noid", "pilin"])
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_one_that_fails_once_costs_numbers_but_repeats_none(
        self, store: MemoryStore, waiting: WaitingClock, when: str, rules: Any
    ) -> None:
        healthy = Counters(store, waiting)
        numbers = [healthy.take(OWNER, rules)]
        failing: Any = FailingStore(store, when, "reserve", times=1)
        counters = Counters(failing, waiting)
        with pytest.raises(StoreUnavailable):
            counters.take(OWNER, rules)
        numbers += [each.take(OWNER, rules) for each in (counters, healthy, counters)]
        assert len(set(numbers)) == 4

    def test_one_that_fails_leaves_the_rest_of_a_run_that_was_reserved(
        self, store: MemoryStore, waiting: WaitingClock
    ) -> None:
        failing: Any = FailingStore(store, "before", "reserve", times=0)
        counters = Counters(failing, waiting)
        first = [counters.take(OWNER, PILIN) for _ in range(4)][-1]  # of runs of 1, 2 and 4
        failing._times = 10**9
        assert counters.take(OWNER, PILIN) == first + 1
        with pytest.raises(StoreUnavailable):
            counters.take("another", PILIN)
        assert counters.take(OWNER, PILIN) == first + 2

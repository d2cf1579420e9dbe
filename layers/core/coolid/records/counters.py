"""Counting: numbers for identifiers that are computed, handed out once each across any number of writers.

A counter row in the store gives out runs of numbers, each by one conditional update; a process hands out the numbers
of its run one by one. Runs begin with one number and double for as long as a process uses them up before their time.
A number is never less than the scheme's floor at that moment (for PILIN the milliseconds of the clock), and a run that
would begin too far ahead of it is waited for.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from msgspec import Struct

from coolid.errors import CounterAhead
from coolid.identifiers.rules.base import SequentialRules
from coolid.ports import Clock
from coolid.store.store import Store

MOST_RUNS: Final = 1000
MOST_WAIT: Final = 2_000
"""Milliseconds that a caller is kept waiting for the clock to catch up."""


class _ReservedRange(Struct, frozen=True):
    """The numbers from `start` up to `stop` are ours; `size` were reserved with them at once."""

    start: int
    stop: int
    size: int


def pass_over(repository_id: str, rules: SequentialRules, store: Store, clock: Clock) -> None:
    """Reserve, for nobody, the numbers that somebody may have taken unheard: the store has lost sight of the last."""
    if leap := rules.leap():
        store.reserve(repository_id, rules.floor(clock.milliseconds()), leap)


class Counters:
    """The runs of one process. Safe between threads."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._runs: OrderedDict[str, _ReservedRange] = OrderedDict()
        self._lock = Lock()

    def take(self, repository_id: str, rules: SequentialRules) -> int:
        """A number that nobody else ever gets for this repository; `CounterAhead`, `StoreUnavailable`."""
        with self._lock:
            floor = rules.floor(self._clock.milliseconds())
            run = self._runs.pop(repository_id, _ReservedRange(0, 0, 1))
            number = max(run.start, floor)
            if number >= run.stop:
                # A run that was used up before its time calls for a longer one; else one number is enough.
                size = min(2 * run.size, rules.run()) if run.stop > floor else 1
                number = self._store.reserve(repository_id, floor, size)
                run = _ReservedRange(number, number + size, size)
            self._runs[repository_id] = _ReservedRange(number + 1, run.stop, run.size)
            while len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)
        self._wait_for(number, rules)
        return number

    def _wait_for(self, number: int, rules: SequentialRules) -> None:
        """Until the number is no more than `ahead` above the floor."""
        most_ahead = rules.ahead()
        if most_ahead is None:
            return
        wait = number - most_ahead - rules.floor(self._clock.milliseconds())
        if wait > MOST_WAIT:
            raise CounterAhead(wait)
        if wait > 0:
            self._clock.pause(wait)

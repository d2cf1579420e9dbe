"""Counters for computed identifiers: each number is handed out once, across any number of writers.

A process reserves a range of numbers by one conditional update of the repository's counter row, and hands them out one
by one. Ranges begin with one number and double while a process uses them up early. A number is never below the scheme's
floor at that time (for PILIN the clock's milliseconds). If it is too far above, the caller waits.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from msgspec import Struct

from coolid.errors import CounterAhead
from coolid.identifiers.rules.base import SequentialRules
from coolid.ports import Clock
from coolid.store.counters import CounterStore

MAX_RANGES: Final = 1000
MAX_WAIT_MILLISECONDS: Final = 2_000
"""The longest wait for the clock to catch up."""


class _ReservedRange(Struct, frozen=True):
    """The unused numbers from `start` up to `stop`, of `size` that were reserved together."""

    start: int
    stop: int
    size: int


def skip_numbers(repository_id: str, rules: SequentialRules, store: CounterStore, clock: Clock) -> None:
    """Skip the numbers that may have been handed out although the store lost the last value."""
    if leap := rules.safety_gap():
        store.reserve(repository_id, rules.floor(clock.milliseconds()), leap)


class Counters:
    """The reserved ranges of one process. Thread-safe."""

    def __init__(self, store: CounterStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._ranges: OrderedDict[str, _ReservedRange] = OrderedDict()
        self._lock = Lock()

    def take(self, repository_id: str, rules: SequentialRules) -> int:
        """Return a number that is unique in the repository. Raises `CounterAhead`, `StoreUnavailable`."""
        with self._lock:
            floor = rules.floor(self._clock.milliseconds())
            reserved = self._ranges.pop(repository_id, _ReservedRange(0, 0, 1))
            number = max(reserved.start, floor)
            if number >= reserved.stop:
                # Double the range only if the last one was used up early.
                size = min(2 * reserved.size, rules.max_run()) if reserved.stop > floor else 1
                number = self._store.reserve(repository_id, floor, size)
                reserved = _ReservedRange(number, number + size, size)
            self._ranges[repository_id] = _ReservedRange(number + 1, reserved.stop, reserved.size)
            while len(self._ranges) > MAX_RANGES:
                self._ranges.popitem(last=False)
        self._wait_for(number, rules)
        return number

    def _wait_for(self, number: int, rules: SequentialRules) -> None:
        """Wait until the number is at most `rules.max_lead()` above the floor."""
        max_ahead = rules.max_lead()
        if max_ahead is None:
            return
        wait = number - max_ahead - rules.floor(self._clock.milliseconds())
        if wait > MAX_WAIT_MILLISECONDS:
            raise CounterAhead(wait)
        if wait > 0:
            self._clock.pause(wait)

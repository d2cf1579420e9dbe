"""Timing: cases take turns, round after round, so that whatever else the machine does falls on all of them alike.

A round gives each case one turn, which is long enough for the clock to tell; the figures are medians over the rounds.
What happens in one process is counted in processor time, which waiting for a socket does not add to.

>>> told = measured([Case("nothing", lambda: None), Case("two", lambda: None, things=2)], rounds=3, seconds=0.0001)
>>> sorted(told), len(told["two"])
(['nothing', 'two'], 3)
"""

import gc
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from time import process_time
from typing import Final

from msgspec import Struct

ROUNDS: Final = 25
SECONDS: Final = 0.02
"""How long a turn of a case lasts."""
MICROSECONDS: Final = 1e6


class Case(Struct, frozen=True):
    """What is timed: a call of `work` does so many `things`, and the figure is for one of them."""

    name: str
    work: Callable[[], object]
    things: int = 1


class Effort(Struct, frozen=True):
    """How much is measured. `share` of the usual: 1 for a whole run, less for a quick one."""

    share: float = 1.0

    def rounds(self, usual: int = ROUNDS) -> int:
        """Rounds, three at the least.

        >>> Effort(0.1).rounds(50), Effort().rounds(50)
        (5, 50)
        """
        return max(3, round(usual * self.share))

    def number(self, usual: int) -> int:
        """Of things that are not timed turn by turn; one at the least."""
        return max(1, round(usual * self.share))


def measured(
    cases: Sequence[Case], rounds: int, *, seconds: float = SECONDS, clock: Callable[[], float] = process_time
) -> Mapping[str, list[float]]:
    """Microseconds for one thing of each case, by name, round by round.

    What was made before is out of the collector's sight meanwhile, as it is in a function that has started.
    """
    calls = {case.name: _calls_in(case, seconds, clock) for case in cases}
    samples: dict[str, list[float]] = {case.name: [] for case in cases}
    gc.collect()
    gc.freeze()
    try:
        for turn in range(rounds):
            first = turn % len(cases)
            for case in (*cases[first:], *cases[:first]):
                number = calls[case.name]
                taken = _timed(case.work, number, clock)
                samples[case.name].append(taken / (number * case.things) * MICROSECONDS)
    finally:
        gc.unfreeze()
    return samples


def _calls_in(case: Case, seconds: float, clock: Callable[[], float]) -> int:
    """How many calls fill a turn; found by doubling, which is the warming up, too."""
    number = 1
    while (taken := _timed(case.work, number, clock)) < seconds / 2:
        number = max(2 * number, round(number * seconds / 2 / taken)) if taken > seconds / 100 else 4 * number
    return max(1, round(number * seconds / taken))


def _timed(work: Callable[[], object], number: int, clock: Callable[[], float]) -> float:
    begun = clock()
    for _ in repeat(None, number):
        work()
    return clock() - begun

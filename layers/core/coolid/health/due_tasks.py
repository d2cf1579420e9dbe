"""The tasks due at a tick, selected from a stream of recurring tasks in bounded memory.

If too many addresses of one host are due at a tick, the periods of all of them are doubled, and doubled again, until
each has exactly one turn in a period. Addresses due at each tick leave two thirds of the limit to the others if these
need it. Otherwise a failing host with hundreds of providers would have only its first ones checked. If too many are
due in all, the periods of all tasks are doubled in the same way.

A task that is due with a doubled period is also due with the period itself. So tasks can be dropped while others are
still added, and no turn is lost. In memory are at most one and a half times `MAX_TASKS` tasks, and 20 bytes for each
other one.

>>> from coolid.model.check_state import CheckSubject
>>> [task.url for task in due([(CheckTask(CheckSubject("prefix:go", "ols"), "https://a.example/go"), 1)], tick=7)]
['https://a.example/go']
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from coolid.health.schedule import MAX_RECURRING, CheckTask, RecurringTask, host_of, number_of, turn_of

MAX_TASKS: Final = 5_000
"""The most recurring tasks of a tick, more than the check function can carry out until the next one."""
EVERY_TICK_DIVISOR: Final = 3
"""The addresses due at each tick get one part in so many of a host's limit if it is exceeded."""

_BUCKETS: Final = 64
_Turns = Mapping[int, Sequence[int]]
"""The turns of a host's tasks by their periods."""


class _Candidate(Struct, frozen=True):
    """A task that is due if its period is not doubled. `window` is the number of ticks of which any may be its turn."""

    task: CheckTask
    host: int
    period: int
    turn: int
    window: int


class _Bucket:
    """The hosts, periods and turns of the tasks of one hash bucket of hosts."""

    def __init__(self) -> None:
        self.hosts, self.periods, self.turns = array("Q"), array("I"), array("Q")

    def crowded(self, limit: int) -> Mapping[int, _Turns]:
        """Return the turns of the hosts with more tasks than the limit."""
        found: dict[int, defaultdict[int, array[int]]] = {
            host: defaultdict(lambda: array("Q")) for host, count in Counter(self.hosts).items() if count > limit
        }
        if found:
            for host, period, turn in zip(self.hosts, self.periods, self.turns, strict=True):
                if host in found:
                    found[host][period].append(turn)
        return found


class DueTasks:
    """Selects the tasks due at `tick`, at most `limit` (at least 5) of a host and `total` in all."""

    def __init__(self, tick: int, limit: int = MAX_RECURRING, total: int = MAX_TASKS) -> None:
        self._tick = tick
        self._limit = limit
        self._total = total
        self._buckets = tuple(_Bucket() for _ in range(_BUCKETS))
        self._factors: dict[int, tuple[int, int]] = {}
        self._common_factor = 1
        self._candidates: list[_Candidate] = []

    def add(self, task: CheckTask, period: int, window: int = 1) -> None:
        """Add a task with a period in ticks. It is due if its turn is among the last `window` ticks."""
        host, turn = number_of(host_of(task.url) or ""), turn_of(task.subject)
        bucket = self._buckets[host % _BUCKETS]
        bucket.hosts.append(host)
        bucket.periods.append(period)
        bucket.turns.append(turn)
        candidate = _Candidate(task, host, period, turn, window)
        if self._is_due(candidate):
            self._candidates.append(candidate)
            if len(self._candidates) > 1.5 * self._total:
                self._drop()

    def tasks(self) -> Iterator[CheckTask]:
        """Yield the due tasks of those added so far."""
        self._drop()
        return (each.task for each in self._candidates)

    def _is_due(self, each: _Candidate) -> bool:
        factor = self._factors.get(each.host, (1, 1))[each.period > 1] * self._common_factor
        return (self._tick - each.turn) % (each.period * factor) < each.window

    def _drop(self) -> None:
        """Drop the candidates that exceed the limits."""
        for bucket in self._buckets:
            for host, turns in bucket.crowded(self._limit).items():
                self._factors[host] = _stretch_factors(turns, self._limit)
        self._keep_due()
        while crowded := [host for host, count in self._due_by_host().items() if count > self._limit]:
            for host in crowded:  # after ticks that were not planned
                frequent, seldom = self._factors.get(host, (1, 1))
                self._factors[host] = 2 * frequent, 2 * seldom
            self._keep_due()
        while len(self._candidates) > self._total:
            self._common_factor *= 2
            self._keep_due()

    def _keep_due(self) -> None:
        self._candidates = [each for each in self._candidates if self._is_due(each)]

    def _due_by_host(self) -> Mapping[int, int]:
        return Counter(each.host for each in self._candidates)


def due(
    recurring: Iterable[RecurringTask], tick: int, limit: int = MAX_RECURRING, total: int = MAX_TASKS
) -> list[CheckTask]:
    """Return the tasks due at a tick, at most `limit` (at least 5) of a host, so that each has one turn in a period."""
    found = DueTasks(tick, limit, total)
    for task, period in recurring:
        found.add(task, period)
    return [*found.tasks()]


def _stretch_factors(turns: _Turns, limit: int) -> tuple[int, int]:
    """Return the period factors for tasks due at each tick and for the others that keep the limit."""
    frequent = {period: each for period, each in turns.items() if period == 1}
    others = {period: each for period, each in turns.items() if period > 1}
    every_tick = sum(map(len, frequent.values()))
    other_factor = _stretch_factor(others, limit - min(every_tick, limit // EVERY_TICK_DIVISOR))
    return _stretch_factor(frequent, limit - _max_due(others, other_factor)), other_factor


def _stretch_factor(turns: _Turns, limit: int) -> int:
    """Return the least power of two that keeps the limit as a factor of all periods."""
    factor = 1
    while _max_due(turns, factor) > limit:
        factor *= 2
    return factor


def _max_due(turns: _Turns, factor: int) -> int:
    """Return an upper bound of the tasks at one tick: the busiest ticks of different periods may coincide."""
    return sum(max(Counter(turn % (period * factor) for turn in each).values()) for period, each in turns.items())

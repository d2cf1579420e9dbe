"""The random order of Perl's Noid, of Nog and of EZID's minters, as a function of the number of a name.

Specification: Noid 0.424, functions `init_counters`, `genid` and `mint`. The names of a template are shared out among
at most 293 counters. For name number `n`, from 0, the minter calls `srand(n)` and takes `int(rand(active))`: the
position of a counter in the list of active ones. The name is that counter's next value. A counter that has reached its
last value leaves the list.

`srand` and `rand` are those of Perl since 5.20, and of drand48: a linear congruential generator of 48 bits. Its first
number after `srand(n)` is, but for 16 constant bits, itself a linear congruence of `n` modulo 2**32. So the value of
a counter at number `n` is the count of earlier numbers whose congruence lies in an interval. That is a difference of
sums `floor((a*i + b) / m)`, computed in logarithmic time. Only the numbers at which a counter becomes exhausted are
searched, when they are needed. The last names of a template exhaust most counters, and are computed one by one.

>>> order = order_of(8410)  # the template .reedk
>>> [order.value(number) for number in range(4)]
[1422, 349, 7657, 6584]
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import Final

from msgspec import Struct

from coolid.identifiers.rules.perl_state import Counter, CounterState, initial_state, parse_state

_MULTIPLIER: Final = 25214903917
_SEED: Final = 0x330E  # the lower 16 bits after srand
_FIRST: Final = _MULTIPLIER * _SEED + 11
_LOW: Final = _FIRST % 2**16  # the constant bits
_A: Final = _MULTIPLIER % 2**32
_B: Final = _FIRST // 2**16 % 2**32
_M: Final = 2**32
_TABLE: Final = 65_536
"""How many of a template's last names are computed one by one."""


class _Phase(Struct, frozen=True):
    """Numbers from `state.drawn` up to `end`, in which no counter leaves the list; or all names that are left.

    With `values`, they are the value of each number.
    """

    state: CounterState
    thresholds: tuple[int, ...]
    end: int
    values: Sequence[int] | None = None


class PerlOrder:
    """The order of the names that follow a state. Thread-safe.

    `stop` is the number behind the last name: that of the state, or lower if its counters have fewer values left.
    """

    def __init__(self, state: CounterState) -> None:
        self.start = state.drawn
        self.stop = min(state.stop, state.drawn + sum(counter.left for counter in state.active))
        self._phases = [_phase(state, self.stop)] if self.start < self.stop else []
        self._lock = Lock()

    def value(self, number: int) -> int:
        """Return the value that Noid converts to a name, modulo the template's capacity, for a number in range."""
        phase = self._phase_of(number)
        if phase.values is not None:
            return phase.values[number - phase.state.drawn]
        position = _position(number, phase.thresholds)
        counter = phase.state.active[position]
        return counter.index * phase.state.per_counter + counter.value + 1 + _hits(phase, position, number)

    def state_at(self, number: int) -> CounterState:
        """Return the state before a number from `start` to `stop`, without exhausted counters."""
        phase = self._phase_of(min(number, self.stop - 1))
        if phase.values is None:
            return _state_at(phase, number)
        active = _simulated(phase.state, number)[1]
        return CounterState(phase.state.per_counter, number, phase.state.stop, tuple(active))

    def _phase_of(self, number: int) -> _Phase:
        """Return the phase of a number. Phases are added up to it."""
        if not self.start <= number < self.stop:
            raise ValueError(f"{number} is not from {self.start} to {self.stop - 1}")
        with self._lock:
            while (last := self._phases[-1]).end <= number:
                at_end = _state_at(last, last.end)
                self._phases.append(_phase(at_end, self.stop))
        at = bisect_right(self._phases, number, key=lambda phase: phase.state.drawn)
        return self._phases[at - 1]


@lru_cache(maxsize=32)
def order_of(total: int) -> PerlOrder:
    """Return the order of a new minter of `total` names."""
    return PerlOrder(initial_state(total))


@lru_cache(maxsize=32)
def order_after(counters: str, drawn: int) -> PerlOrder:
    """Return the order of the names behind the first `drawn` ones, from counters as text."""
    return PerlOrder(parse_state(counters, drawn))


def _phase(state: CounterState, stop: int) -> _Phase:
    """Return the phase that begins with a state."""
    thresholds = _thresholds(len(state.active))
    if stop - state.drawn <= _TABLE:
        return _Phase(state, thresholds, stop, _simulated(state, stop)[0])
    return _Phase(state, thresholds, _next_exhaustion(state, thresholds, stop))


def _simulated(state: CounterState, stop: int) -> tuple[Sequence[int], Iterator[Counter]]:
    """Return the values of the numbers up to `stop`, computed one by one, and the counters that are then active."""
    values = array("Q")
    active = [[each.index, each.value, each.value + each.left, each.top] for each in state.active]
    for number in range(state.drawn, stop):
        position = int(((number * _A + _B) % _M * 2**16 + _LOW) / 2**48 * len(active))
        counter = active[position]
        counter[1] += 1
        values.append(counter[0] * state.per_counter + counter[1])
        if counter[1] == counter[2]:
            del active[position]
    return values, (Counter(index, value, top) for index, value, _, top in active)


def _next_exhaustion(state: CounterState, thresholds: tuple[int, ...], stop: int) -> int:
    """Return the number behind the one that exhausts the first counter, or `stop` if that is earlier."""
    found = stop
    phase = _Phase(state, thresholds, stop)
    for position in sorted(range(len(state.active)), key=lambda each: state.active[each].left):
        left = state.active[position].left
        low = state.drawn + left
        if low >= found or _hits(phase, position, found) < left:
            continue
        while low < found:
            middle = (low + found) // 2
            if _hits(phase, position, middle) >= left:
                found = middle
            else:
                low = middle + 1
    return found


def _state_at(phase: _Phase, number: int) -> CounterState:
    """Return the state before a number of a phase, or behind its end, without exhausted counters."""
    state = phase.state
    below = [_below(threshold, state.drawn, number) for threshold in phase.thresholds]
    moved = (
        (Counter(each.index, each.value + high - low, each.top), each.left - (high - low))
        for each, low, high in zip(state.active, below[:-1], below[1:], strict=True)
    )
    return CounterState(state.per_counter, number, state.stop, tuple(each for each, left in moved if left > 0))


def _hits(phase: _Phase, position: int, number: int) -> int:
    """Return how many numbers, from the beginning of a phase and below `number`, name the counter at a position."""
    low, high = phase.thresholds[position : position + 2]
    return _below(high, phase.state.drawn, number) - _below(low, phase.state.drawn, number)


def _position(number: int, thresholds: tuple[int, ...]) -> int:
    """Return the position in the list of active counters that a number names."""
    return bisect_right(thresholds, (number * _A + _B) % _M) - 1


def _thresholds(active: int) -> tuple[int, ...]:
    """Return the smallest congruence of each position in a list, and 2**32.

    Perl multiplies in double precision, and rounds. A product just below the integer `k` becomes `k` if it is nearer
    to it than to the next lower double, or as near.
    """
    found = [0]
    for position in range(1, active):
        exponent = (position - 1).bit_length() - 1  # of the doubles below the position
        rounded = 2 ** (exponent - 5) if exponent >= 5 else 0  # half their distance, times 2**48
        smallest = -(-(position * 2**48 - rounded) // active)
        found.append(max(0, -(-(smallest - _LOW) // 2**16)))
    return (*found, _M)


def _below(threshold: int, start: int, stop: int) -> int:
    """Return how many numbers from `start` up to `stop` have a congruence below the threshold (0 to 2**32)."""
    count, offset = stop - start, _A * start + _B
    if threshold in (0, _M):
        return count if threshold else 0
    return _floor_sum(count, _M, _A, offset) - _floor_sum(count, _M, _A, offset - threshold)


def _floor_sum(count: int, m: int, a: int, b: int) -> int:
    """Return the sum of `(a*i + b) // m` for 0 <= i < count.

    The area below a line, counted by swapping its axes as in Euclid's algorithm.

    >>> _floor_sum(10, 7, 5, -3) == sum((5 * i - 3) // 7 for i in range(10))
    True
    """
    total = 0
    while count > 0:
        quotient, a = divmod(a, m)
        total += quotient * (count * (count - 1) // 2)
        quotient, b = divmod(b, m)
        total += quotient * count
        last = a * count + b
        if last < m:
            break
        count, b = divmod(last, m)
        m, a = a, m
    return total

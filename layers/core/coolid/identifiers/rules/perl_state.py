"""The state of a minter with Noid's random order: its counters, and how many names it has made of its template.

Specification: Noid 0.424, function `init_counters`, and the keys `percounter`, `oacounter`, `oatop`, `saclist`,
`cN/top` and `cN/value` of its database.

>>> state = initial_state(8410)
>>> state.per_counter, len(state.active), state.active[0]
(29, 290, Counter(index=0, value=0, top=29))
>>> parse_state("29/8410 0:5 2:7/20", drawn=12).active
(Counter(index=0, value=5, top=29), Counter(index=2, value=7, top=20))
"""

import re
from typing import Final

from msgspec import Struct

MAX_COUNTERS: Final = 293
"""A prime, which Noid uses to spread names evenly."""

_TEXT: Final = re.compile(r"([0-9]{1,16})/([0-9]{1,18})((?: [0-9]{1,3}:[0-9]{1,16}(?:/[0-9]{1,16})?)*)")


class Counter(Struct, frozen=True):
    """An active counter: its index among all of them, its present value and its last one."""

    index: int
    value: int
    top: int

    @property
    def left(self) -> int:
        """How many values are left. A counter in the list gives at least one."""
        return max(1, self.top - self.value)


class CounterState(Struct, frozen=True):
    """The state of a minter before it makes the name with the number `drawn`.

    `active` is its list in order. A counter's values begin behind `index * per_counter`. `stop` is the number at
    which the minter stops.
    """

    per_counter: int
    drawn: int
    stop: int
    active: tuple[Counter, ...]


def initial_state(total: int) -> CounterState:
    """Return the state of a new minter of `total` names, at least 1."""
    per_counter = int(total / MAX_COUNTERS + 1)  # in double precision, as in Perl
    tops = [min(per_counter, total - start) for start in range(0, total, per_counter)]
    return CounterState(per_counter, 0, total, tuple(Counter(index, 0, top) for index, top in enumerate(tops)))


def parse_state(text: str, drawn: int) -> CounterState:
    """Return the state of a text as `format_state` writes it; raise `ValueError` if it is none.

    The text has the values per counter, a slash and the number of the last name, then each active counter as
    `index:value`. `/top` follows if its last value differs from that of most counters.
    """
    found = _TEXT.fullmatch(text)
    if not found or not int(found[1]):
        raise ValueError("counters are PERCOUNTER/STOP, then INDEX:VALUE or INDEX:VALUE/TOP of each active counter")
    per_counter, stop = int(found[1]), int(found[2])
    active = []
    for each in found[3].split():
        index, value, top = re.split("[:/]", each) if "/" in each else (*each.split(":"), found[1])
        active.append(Counter(int(index), int(value), int(top)))
    if len({counter.index for counter in active}) != len(active) or len(active) > MAX_COUNTERS:
        raise ValueError(f"the counters repeat one, or are more than {MAX_COUNTERS}")
    return CounterState(per_counter, drawn, stop, tuple(active))


def format_state(state: CounterState) -> str:
    """Return a state as text."""
    counters = (
        f"{each.index}:{each.value}" + (f"/{each.top}" if each.top != state.per_counter else "")
        for each in state.active
    )
    return " ".join((f"{state.per_counter}/{state.stop}", *counters))

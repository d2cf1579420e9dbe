"""Health: whether what an address leads to was there when somebody looked, as it stands beside a prefix or a record.

It is no part of either: it makes no version, no proof covers it, and it goes when the address does. What looks is
`coolid.model.check_state`; a provider that is not up gives way to the next one (`preferred`).

>>> ols = Condition(DOWN, datetime.fromisoformat("2026-05-04T12:00:00Z"), "it answered 500")
>>> preferred(["default", "ols", "bioportal"], {"default": ols})
1
>>> preferred(["default", "ols"], {"default": ols, "ols": ols})
0
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from msgspec import Struct, json

UP: Final = "up"
DEGRADED: Final = "degraded"
"""It failed a moment ago, or has only just come back."""
DOWN: Final = "down"
STATES: Final = (UP, DEGRADED, DOWN)
"""From the best to the worst."""

# Why a request gets the provider that it gets; said of all redirects, few of which load `coolid.resolution.provider_failover`.
ASKED: Final = "asked"
"""The request names it."""
FIRST: Final = "first"
"""It is the first, and none is in a better state."""
FAILOVER: Final = "failover"
"""It stands in for those before it, which are in a worse state."""
ALL_DOWN: Final = "all-down"
"""It is the first, and no other would be better."""


class Condition(Struct, frozen=True, omit_defaults=True):
    """The `state` of an address `since` a moment, and the `reason` for it in words (none for one that is up).

    `good` is when it was last seen well before that, None if never; `moved` where it says that it is now for ever.
    """

    state: str
    since: datetime
    reason: str = ""
    good: datetime | None = None
    moved: str | None = None


Health = Mapping[str, Condition]
"""The conditions of providers by their folded codes, or of locations by their URIs; of those that were looked at."""

UNKNOWN: Final[Health] = MappingProxyType({})
MOST_BYTES: Final = 12_000
"""Of conditions beside one row, as JSON: the largest record leaves room for so much, and locations are long."""


def fitting(health: Health) -> Health:
    """As much of it as there is room for beside a prefix or record: the worst first, and what is well last.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
    >>> sick = {f"https://a.example/{at}": Condition(DOWN, noon, "x" * 1_000) for at in range(50)}
    >>> [len(fitting(each)) for each in (sick, {"https://a.example/": Condition(UP, noon)} | sick)]
    [11, 11]
    """
    room, kept = MOST_BYTES, set()
    for name in sorted(health, key=lambda name: _rank(health[name]), reverse=True):
        room -= len(json.encode({name: health[name]}))
        if room < 0:
            break
        kept.add(name)
    return {name: condition for name, condition in health.items() if name in kept}


def _rank(condition: Condition) -> tuple[bool, bool, bool]:
    return condition.state == DOWN, condition.state != UP, condition.moved is not None


def state_of(health: Health, name: str) -> str:
    """The state of an address; one that nobody looked at is taken to be up."""
    condition = health.get(name)
    return UP if condition is None else condition.state


def last_change(health: Health) -> datetime:
    """When any of the conditions changed last; there is at least one."""
    return max([condition.since for condition in health.values()])


def is_sound(health: Health) -> bool:
    """Whether nothing is known to be other than up."""
    if health:
        for condition in health.values():  # a loop, since every redirect asks
            if condition.state != UP:
                return False
    return True


def preferred(names: Sequence[str], health: Health) -> int:
    """Which of the names, in order of preference, to take: the first of those in the best state that any is in.

    There is at least one; where all are down that is the first.
    """
    best, least = 0, len(STATES)
    for at, name in enumerate(names):
        rank = STATES.index(state_of(health, name))
        if rank == 0:
            return at
        if rank < least:
            best, least = at, rank
    return best

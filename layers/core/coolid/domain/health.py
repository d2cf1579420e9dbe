"""Health: whether what an address leads to was there when somebody looked, as it stands beside a prefix or a record.

It is no part of either: it makes no version, no proof covers it, and it goes when the address does. What looks is
`coolid.domain.pulses`; a provider that is not up gives way to the next one (`preferred`).

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

from msgspec import Struct

UP: Final = "up"
DEGRADED: Final = "degraded"
"""It failed a moment ago, or has only just come back."""
DOWN: Final = "down"
STATES: Final = (UP, DEGRADED, DOWN)
"""From the best to the worst."""

# Why a request gets the provider that it gets; said of all redirects, few of which load `coolid.domain.failover`.
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

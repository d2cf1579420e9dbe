"""Conditions: the state of a provider or location by its last checks, as stored beside a prefix or record.

A condition is not part of the prefix or record: it makes no version, no proof covers it, and it is removed with its
address. It is derived from `coolid.model.check_state`. A provider that is not up is replaced by the next (`preferred`).

>>> ols = Condition(DOWN, datetime.fromisoformat("2026-05-04T12:00:00Z"), "it answered 500")
>>> preferred(["default", "ols", "bioportal"], {"default": ols})
1
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from msgspec import Struct, json

UP: Final = "up"
DEGRADED: Final = "degraded"
"""It failed recently, or is recovering."""
DOWN: Final = "down"
STATES: Final = (UP, DEGRADED, DOWN)
"""From the best to the worst."""

# Why a provider was chosen. Defined here because all redirects need it, but few load `resolution.provider_failover`.
REQUESTED: Final = "asked"
"""The request names it."""
FIRST: Final = "first"
"""It is the first, and no other is in a better state."""
FAILOVER: Final = "failover"
"""The providers before it are in a worse state."""
ALL_DOWN: Final = "all-down"
"""It is the first, and all are down."""


class Condition(Struct, frozen=True, omit_defaults=True):
    """The `state` of an address `since` a moment, and the `reason` for it in words (empty if it is up).

    `good` is its last success before that, or None; `moved` is the URL to which it redirects permanently, or None.
    """

    state: str
    since: datetime
    reason: str = ""
    good: datetime | None = None
    moved: str | None = None


Health = Mapping[str, Condition]
"""The conditions of checked providers by their folded codes, or of checked locations by their URIs."""

UNKNOWN: Final[Health] = MappingProxyType({})
MAX_BYTES: Final = 12_000
"""Maximum size of the conditions beside one row, as JSON; the largest record leaves this much space."""


def truncated(health: Health) -> Health:
    """Return the conditions that fit beside a prefix or record; the worst have priority."""
    remaining_bytes, names = MAX_BYTES, set()
    for name in sorted(health, key=lambda name: _rank(health[name]), reverse=True):
        remaining_bytes -= len(json.encode({name: health[name]}))
        if remaining_bytes < 0:
            break
        names.add(name)
    return {name: condition for name, condition in health.items() if name in names}


def _rank(condition: Condition) -> tuple[bool, bool, bool]:
    return condition.state == DOWN, condition.state != UP, condition.moved is not None


def state_of(health: Health, name: str) -> str:
    """Return the state of an address; an unchecked address counts as up."""
    condition = health.get(name)
    return UP if condition is None else condition.state


def last_change(health: Health) -> datetime:
    """Return when one of the conditions last changed; there must be at least one."""
    return max([condition.since for condition in health.values()])


def are_all_up(health: Health) -> bool:
    """Return whether no condition is other than up."""
    return all(condition.state == UP for condition in health.values())


def preferred(names: Sequence[str], health: Health) -> int:
    """Return the position of the first of at least one names that is in the best state of any of them."""
    ranks = [STATES.index(state_of(health, name)) for name in names]
    return ranks.index(min(ranks))

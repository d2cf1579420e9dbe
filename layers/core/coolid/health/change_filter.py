"""Filters for changes that are worth a write.

A check state is written when it changes or is older than `REWRITE_AFTER`. A condition is written only when its meaning
changes, because each write invalidates all caches of its prefix or record.

>>> from datetime import UTC, datetime
>>> noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
>>> meaning({"ols": Condition("up", noon), "bioportal": Condition("down", noon, "it answered 500")})
{'bioportal': ('down', None, 'it answered ')}
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from coolid.health.webhook_notices import LinkChange
from coolid.model.check_state import CheckState
from coolid.model.conditions import UP, Condition, Health

REWRITE_AFTER: Final = timedelta(hours=6)
"""The age at which an unchanged check state is written again."""
_NUMBERS: Final = re.compile(r"\d+")
_HEALTHY: Final = (UP, None, "")

Meaning = tuple[str, str | None, str]
"""State, the URL it moved to, and the reason without its numbers."""


def is_worth_writing(previous: CheckState | None, current: CheckState) -> bool:
    """Return whether to write a check state. A healthy one that stays healthy is not written for a new entity tag."""
    if previous is None or abs(current.checked - previous.checked) >= REWRITE_AFTER:
        return True
    if current.state != UP or previous.state != UP:
        return replace(current, checked=previous.checked) != previous
    same = ("url", "since", "reason", "moved", "until", "falls")
    return any(getattr(previous, name) != getattr(current, name) for name in same)


def meaning(health: Health) -> Mapping[str, Meaning]:
    """Return the parts of conditions that a reader acts upon, without those that are healthy and have not moved."""
    found = {name: meaning_of(condition) for name, condition in health.items()}
    return {name: each for name, each in found.items() if each != _HEALTHY}


def meaning_of(condition: Condition | None) -> Meaning:
    """Return the meaning of one condition; an unchecked address counts as healthy."""
    if condition is None:
        return _HEALTHY
    return condition.state, condition.moved, _NUMBERS.sub("", condition.reason)


def changes(pid: str, previous: Health, current: Health) -> list[LinkChange]:
    """Return the locations of a record that changed their state or moved."""
    found = []
    for uri, now in current.items():
        before = previous.get(uri)
        if meaning_of(before)[:2] != meaning_of(now)[:2]:
            found.append(LinkChange(pid, uri, before.state if before else UP, now))
    return found

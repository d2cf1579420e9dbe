"""Keeping: what is worth a write. Pulses are kept when they say something new, or were kept long ago; what stands
beside a prefix or record, which makes every cache forget it, changes only with its meaning.

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

from coolid.health.webhooks import LinkChange
from coolid.model.check_state import CheckState
from coolid.model.conditions import UP, Condition, Health

AFRESH: Final = timedelta(hours=6)
"""After which a pulse is kept even if it says nothing new."""
_NUMBERS: Final = re.compile(r"\d+")
_WELL: Final = (UP, None, "")

Meaning = tuple[str, str | None, str]
"""State, where it moved, and the reason without its numbers."""


def is_worth_writing(known: CheckState | None, pulse: CheckState) -> bool:
    """Whether a pulse is to be kept instead of the known one.

    Of one that is well it is no news that it is still, nor with what tag: the next look at it asks by the older one.
    """
    if known is None or abs(pulse.checked - known.checked) >= AFRESH:
        return True
    if pulse.state != UP or known.state != UP:
        return replace(pulse, checked=known.checked) != known
    same = ("url", "since", "reason", "moved", "until", "falls")
    return any(getattr(known, name) != getattr(pulse, name) for name in same)


def meaning(health: Health) -> Mapping[str, Meaning]:
    """What conditions say that a reader would act upon, of those that are not simply well."""
    found = {name: meaning_of(condition) for name, condition in health.items()}
    return {name: told for name, told in found.items() if told != _WELL}


def meaning_of(condition: Condition | None) -> Meaning:
    """The same of one condition; that nobody looked means well."""
    if condition is None:
        return _WELL
    return condition.state, condition.moved, _NUMBERS.sub("", condition.reason)


def changes(pid: str, known: Health, health: Health) -> list[LinkChange]:
    """What became of a record's locations, for who wants to hear of it: other states, and that they moved."""
    found = []
    for uri, now in health.items():
        before = known.get(uri)
        if meaning_of(before)[:2] != meaning_of(now)[:2]:
            found.append(LinkChange(pid, uri, before.state if before else UP, now))
    return found

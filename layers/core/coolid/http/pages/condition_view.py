"""Wellbeing: what is known of the health of a place elsewhere, as pages say it (`coolid.model.conditions`).

Moments are absolute: a page is kept for some minutes, and says the same for as long.

>>> from datetime import UTC, datetime
>>> seen(Condition("down", datetime(2026, 5, 4, tzinfo=UTC), "it answered 500"))
ConditionView(state='down', since='2026-05-04T00:00:00Z', reason='it answered 500', good=None)
"""

from msgspec import Struct

from coolid.http.pages.marked_text import shown
from coolid.model.conditions import UP, Condition
from coolid.model.records import format_time


class ConditionView(Struct, frozen=True):
    """The `state` of a place `since` a moment, the `reason` in words (English, empty for none), when it was `good`."""

    state: str
    since: str
    reason: str
    good: str | None

    @property
    def is_up(self) -> bool:
        """Whether there is nothing to complain of."""
        return self.state == UP


def seen(condition: Condition | None) -> ConditionView | None:
    """What is known, None if nobody looked."""
    if condition is None:
        return None
    good = format_time(condition.good) if condition.good else None
    return ConditionView(condition.state, format_time(condition.since), shown(condition.reason), good)

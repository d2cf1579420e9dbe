"""The health of a provider or location (`coolid.model.conditions`), as pages show it.

Times are absolute, because pages are cached.

>>> from datetime import UTC, datetime
>>> describe_condition(Condition("down", datetime(2026, 5, 4, tzinfo=UTC), "it answered 500"))
ConditionView(state='down', since='2026-05-04T00:00:00Z', reason='it answered 500', good=None)
"""

from msgspec import Struct

from coolid.http.pages.marked_text import printable
from coolid.model.conditions import UP, Condition
from coolid.model.records import format_time


class ConditionView(Struct, frozen=True):
    """A `state`, the time `since` which it lasts, the `reason` (English, may be empty), and the last `good` time."""

    state: str
    since: str
    reason: str
    good: str | None

    @property
    def is_up(self) -> bool:
        """Return whether the state is `up`."""
        return self.state == UP


def describe_condition(condition: Condition | None) -> ConditionView | None:
    """Return the view of a condition; None if nothing was checked."""
    if condition is None:
        return None
    good = format_time(condition.good) if condition.good else None
    return ConditionView(condition.state, format_time(condition.since), printable(condition.reason), good)

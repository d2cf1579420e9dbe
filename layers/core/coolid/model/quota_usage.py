"""Usage of a client's quota, in sliding windows of groups.

A log of all mints would make "at most N in every window" exact, but is too large for a million mints a day. Close
mints therefore share a group, at most a twelfth of a window long (`GROUPS`). A group counts in full
until its last mint has left the window. So:

- no interval as long as a window has more than N mints, by the clocks of the functions that count them;
- after a window without a mint, all N are available again;
- a client whose mints are evenly spread, at most N * 11/12 to a window, is never refused.

Moments are milliseconds since 1970.

>>> minute = Window("minute", 60, 60)
>>> usage = Usage().after(1, [minute], at=0).after(2, [minute], at=20_000)
>>> [usage.counted(minute, now) for now in (59_999, 60_000, 80_000)]
[3, 2, 0]
>>> usage.wait(minute, 30_000, count=58), usage.wait(minute, 30_000, count=59)
(30000, 50000)
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from coolid.model.clients import Window

GROUPS: Final = 12
"""Groups per window: each is five seconds of a minute, or two hours of a day."""

_NO_WINDOWS: Final[Mapping[str, "WindowUsage"]] = MappingProxyType({})


class Group(Struct, frozen=True, array_like=True):
    """Mints that count together: the number of mints `before` the first, and the moment of the `last`."""

    before: int
    last: int


class WindowUsage(Struct, frozen=True):
    """The groups of one window: the `closed` ones, oldest first, and the open one.

    The open group began at the moment `begun`, after `before` mints.
    """

    begun: int
    before: int
    closed: tuple[Group, ...] = ()


class Usage(Struct, frozen=True):
    """The number of mints that a client ever `spent`, the moment of the `latest`, and its `windows` by name.

    `windows` change only when a group begins; their `revision` grows with each change.
    """

    revision: int = 0
    spent: int = 0
    latest: int = 0
    windows: Mapping[str, WindowUsage] = _NO_WINDOWS

    def counted(self, window: Window, now: int) -> int:
        """Return how many mints count in the window that ends `now`."""
        return self.spent - self._before(window, now)

    def ceiling(self, window: Window, now: int, count: int) -> int:
        """Return the largest `spent` at which `count` more fit into the window that ends `now`."""
        return self._before(window, now) + window.limit - count

    def wait(self, window: Window, now: int, count: int) -> int:
        """Return the milliseconds until `count` more fit, if nothing else is spent; 0 if they fit now."""
        current = self.windows.get(window.name)
        moments = [group.last + 1_000 * window.seconds for group in (current.closed if current is not None else ())]
        moments.append(self.latest + 1_000 * window.seconds)
        fitting = (moment for moment in (now, *moments) if self.spent <= self.ceiling(window, moment, count))
        return max(next(fitting, moments[-1]) - now, 0)

    def after(self, count: int, windows: Sequence[Window], at: int) -> "Usage":
        """Return the usage after `count` more mints; the revision is the same if they belong to the open groups."""
        opened = {window.name: self._opened(window, at) for window in windows}
        revision = self.revision if opened == dict(self.windows) else self.revision + 1
        return Usage(revision, self.spent + count, max(at, self.latest), opened)

    def _before(self, window: Window, now: int) -> int:
        """Return the number of mints before the first that counts."""
        since = now - 1_000 * window.seconds
        current = self.windows.get(window.name)
        if current is None or self.latest <= since:
            return self.spent
        return next((group.before for group in current.closed if group.last > since), current.before)

    def _opened(self, window: Window, at: int) -> WindowUsage:
        """Return the window with an open group for a mint."""
        since = at - 1_000 * window.seconds
        current = self.windows.get(window.name)
        if current is None or self.latest <= since:
            return WindowUsage(at, self.spent)
        if (at - current.begun) * GROUPS < 1_000 * window.seconds:
            return current
        closed = (*current.closed, Group(current.before, self.latest))
        return WindowUsage(at, self.spent, tuple(group for group in closed if group.last > since))

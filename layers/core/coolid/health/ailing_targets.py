"""The failing targets of repositories, read page by page, at most `MAX_STATES` of them in one tick.

If there are more, or time is up, the next tick continues where the reading stopped. Each target is returned with the
number of ticks since it was last read: its turn may be in any of these, so that no turn is lost.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from coolid.model.check_state import AilingScan, CheckState, CheckSubject, ScanMark, repository_owner
from coolid.store.checks import CheckCursorStore, CheckStateStore
from coolid.store.pages import PAGE_SIZE

MAX_STATES: Final = 100_000
"""The most check states that are read in a tick."""
MAX_WINDOW: Final = 96
"""The most ticks whose turns a target is given, which is a day by default."""

_END: Final = CheckSubject("\U0010ffff", "")


class AilingTargets:
    """Reads the failing targets at a tick, beginning where the last tick stopped. `is_late` says that time is up."""

    def __init__(
        self, check_states: CheckStateStore, cursors: CheckCursorStore, tick: int, is_late: Callable[[], bool]
    ) -> None:
        self._check_states = check_states
        self._cursors = cursors
        self._tick = tick
        self._is_late = is_late
        self._stored = cursors.ailing_scan()
        self._before = self._stored.at(tick) if self._stored else AilingScan(tick)
        self._reached: CheckSubject = _END

    def read(self, repository_ids: Iterable[str]) -> Iterator[tuple[CheckSubject, CheckState, int]]:
        """Yield subjects and states with the window of `DueTasks.add`, given sorted ids. Raises `StoreUnavailable`."""
        begin = self._before.after
        marked = [mark.subject for mark in self._before.marks]
        count = 0
        for owner in map(repository_owner, repository_ids):
            if begin and owner < begin.owner:
                continue
            if count and (count >= MAX_STATES or self._is_late()):
                self._reached = CheckSubject(owner, "")
                return
            after = begin.name or None if begin and owner == begin.owner else None
            while True:
                page, after = self._check_states.ailing(owner, PAGE_SIZE, after)
                for subject, state in page:
                    yield subject, state, self._window(bisect_left(marked, subject))
                count += PAGE_SIZE if after else len(page) + 1
                if after is None:
                    break
                if count >= MAX_STATES or self._is_late():
                    self._reached = CheckSubject(owner, after)
                    return

    def save(self) -> None:
        """Store where the next tick continues; nothing if all targets were read now and before."""
        before, end = self._before, self._reached
        is_complete = before.after is None and end == _END
        if is_complete and not (self._stored and self._stored.marks):
            return
        passed = [mark for mark in before.marks if before.after and mark.subject <= before.after]
        ahead = [mark for mark in before.marks if mark.subject > end]
        marks = () if is_complete else (*passed, ScanMark(end, self._tick), *ahead)
        former = AilingScan(before.tick, before.after, before.marks)
        self._cursors.put_ailing_scan(AilingScan(self._tick, None if end == _END else end, marks, former))

    def _window(self, index: int) -> int:
        """Return the ticks since the targets of a mark were read, given its index."""
        if index == len(self._before.marks):
            return 1
        return min(max(self._tick - self._before.marks[index].tick, 1), MAX_WINDOW)

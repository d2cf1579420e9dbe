"""Deadlines: time limits for an operation as a whole, however many parts it has.

The deadline of a request is set once, where the request begins, and applies to everything in the same context. Threads
begin with a context of their own, so code that starts threads passes the deadline on.

>>> with limited(Deadline(25, lambda: 7.5)):
...     current_deadline().remaining_seconds()
25.0
>>> current_deadline() is None
True
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from coolid.ports import Seconds


class Deadline:
    """The moment that lies a number of seconds from now, by a monotonic clock.

    >>> Deadline(2, lambda: 7.5).remaining_seconds()
    2.0
    """

    def __init__(self, seconds: float, clock: Seconds) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def remaining_seconds(self) -> float:
        """Return the remaining seconds, more than 0. Raises `TimeoutError` if the deadline has passed."""
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError("there is no time left")
        return left

    def exceeds(self, seconds: float) -> bool:
        """Return whether more than this many seconds remain."""
        return self._end - self._clock() > seconds

    def within(self, seconds: float) -> "Deadline":
        """Return the deadline of a part: this many seconds from now, but no later than this deadline."""
        part = Deadline(seconds, self._clock)
        part._end = min(part._end, self._end)
        return part


_CURRENT: Final[ContextVar[Deadline | None]] = ContextVar("deadline", default=None)


def current_deadline() -> Deadline | None:
    """Return the deadline of the current context, or None."""
    return _CURRENT.get()


@contextmanager
def limited(deadline: Deadline | None) -> Iterator[None]:
    """Set the deadline of the current context for the duration of the block; None removes it."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)

"""Deadlines: until when something may take, however many parts it has and however slowly they arrive.

The deadline of a request is set once, where the request begins, and holds for all that the same context does. Threads
begin with a context of their own, so the code that starts some passes the deadline on.

>>> with limited(Deadline(25, lambda: 7.5)):
...     current_deadline().left()
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
    """So many seconds from now, by a clock that never goes back.

    >>> Deadline(2, lambda: 7.5).left()
    2.0
    """

    def __init__(self, seconds: float, clock: Seconds) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """Return the seconds that are left, which are more than 0. Raises `TimeoutError` when there are none."""
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError("there is no time left")
        return left

    def within(self, seconds: float) -> "Deadline":
        """Return the deadline of a part that may take so many seconds: in these, or this one if it comes first."""
        part = Deadline(seconds, self._clock)
        part._end = min(part._end, self._end)
        return part


_CURRENT: Final[ContextVar[Deadline | None]] = ContextVar("deadline", default=None)


def current_deadline() -> Deadline | None:
    """Return the deadline that holds here; None where there is none."""
    return _CURRENT.get()


@contextmanager
def limited(deadline: Deadline | None) -> Iterator[None]:
    """Let a deadline hold for what is done meanwhile; None for none."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)

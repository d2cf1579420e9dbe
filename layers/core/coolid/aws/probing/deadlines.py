"""Deadlines: how long something may take, whatever it is made of and however slowly its parts drip in.

>>> Deadline(2, lambda: 7.5).left()
2.0
"""

from collections.abc import Callable
from concurrent.futures import Future
from threading import BoundedSemaphore, Thread
from time import monotonic
from typing import Final, TypeVar

Found = TypeVar("Found")
Clock = Callable[[], float]
"""Tells seconds, from any beginning, and never goes back."""

MOST_WAITING: Final = 16
"""Threads of a process that wait for what can no longer come in time."""
_waiting: Final = BoundedSemaphore(MOST_WAITING)


class Deadline:
    """So many seconds from now."""

    def __init__(self, seconds: float, clock: Clock = monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """The seconds that are left, more than none. Raises `TimeoutError` when there are none."""
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError("there is no time left")
        return left

    def within(self, seconds: float) -> "Deadline":
        """The deadline of a part that may take so long: that, or this one if it comes before."""
        part = Deadline(seconds, self._clock)
        part._end = min(part._end, self._end)
        return part


def in_time(work: Callable[[], Found], deadline: Deadline) -> Found:
    """What `work` gives, which knows no deadline itself; raises the `OSError` and `ValueError` that it does.

    It is done by a thread of its own, which is left to itself when the time is over: `TimeoutError`.
    """
    future: Future[Found] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except (OSError, ValueError) as error:
            future.set_exception(error)
        finally:
            _waiting.release()

    if not _waiting.acquire(timeout=deadline.left()):
        raise TimeoutError("too many threads are waiting")
    try:
        Thread(target=run, daemon=True).start()
    except RuntimeError as error:  # the machine has no more of them
        _waiting.release()
        raise OSError("no thread could be started") from error
    return future.result(deadline.left())

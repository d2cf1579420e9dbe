"""Repetition of changes that another client overtook: on the newest version, after short random pauses."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

from coolid.deadlines import current_deadline
from coolid.errors import Outdated
from coolid.ports import Clock, Entropy

MAX_ATTEMPTS: Final = 40
MAX_PAUSE: Final = 250
"""The most milliseconds between two attempts; the first pauses are shorter."""
_RESERVED_SECONDS: Final = 5.0
"""The rest of a request's time in which no attempt begins."""

_Result = TypeVar("_Result")


def repeat_overtaken(change: Callable[[], _Result], clock: Clock, entropy: Entropy) -> _Result:
    """Return the result of a change, which reads the record itself; repeat it as long as it raises `Outdated`.

    Raises `Outdated` if that happens at all attempts within the time of the request.
    """
    for attempt in range(MAX_ATTEMPTS - 1):
        with suppress(Outdated):
            return change()
        pause = 1 + entropy.below(min(10 << attempt, MAX_PAUSE))
        deadline = current_deadline()
        if deadline is not None and not deadline.exceeds(pause / 1000 + _RESERVED_SECONDS):
            break
        clock.pause(pause)
    return change()

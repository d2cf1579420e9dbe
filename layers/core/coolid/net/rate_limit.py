"""Manners: of one host, one thing is asked at a time, and not at once again.

>>> slept = []
>>> manners = HostRateLimit(gap=1, clock=lambda: 100.0, sleep=slept.append)
>>> for host in ("a.example", "b.example", "a.example"):
...     with manners.turn(host, Deadline(10, lambda: 100.0)):
...         pass
>>> slept
[1.0]
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic, sleep
from typing import Final

from coolid.deadlines import Deadline
from coolid.model.check_state import BUSY
from coolid.net.failures import RequestFailed, RequestRefused
from coolid.ports import Seconds

GAP: Final = 1.0
"""Seconds between an answer of a host and the next request to it."""
_MOST_REMEMBERED: Final = 1_000


class HostRateLimit:
    """Whose turn it is, for all threads of a process. Hosts are told apart by name alone."""

    def __init__(self, gap: float = GAP, clock: Seconds = monotonic, sleep: Callable[[float], object] = sleep) -> None:
        self._gap = gap
        self._clock = clock
        self._sleep = sleep
        self._change = Condition()
        self._asked: set[str] = set()
        self._over: dict[str, float] = {}

    @contextmanager
    def turn(self, host: str, deadline: Deadline) -> Iterator[None]:
        """One's turn with a host, after waiting for it. Raises `RequestFailed`, BUSY, if it would come too late."""
        try:
            self._begin(host, deadline)
        except TimeoutError:
            raise RequestFailed("there was no time to ask it", BUSY) from None
        was_asked = True
        try:
            yield
        except RequestRefused:  # by us
            was_asked = False
            raise
        finally:
            self._end(host, self._clock() if was_asked else None)

    def _begin(self, host: str, deadline: Deadline) -> None:
        with self._change:
            if not self._change.wait_for(lambda: host not in self._asked, deadline.left()):
                raise TimeoutError("somebody else is asking")
            self._asked.add(host)
            over = self._over.get(host)
        try:
            self._pause(over, deadline)
        except BaseException:
            self._end(host, None)
            raise

    def _pause(self, over: float | None, deadline: Deadline) -> None:
        pause = 0.0 if over is None else over + self._gap - self._clock()
        if pause >= deadline.left():
            raise TimeoutError("it is too early to ask again")
        if pause > 0:
            self._sleep(pause)

    def _end(self, host: str, over: float | None) -> None:
        with self._change:
            self._asked.discard(host)
            if over is not None:
                self._over[host] = over
            self._forget()
            self._change.notify_all()

    def _forget(self) -> None:
        """Hosts that may be asked again."""
        if len(self._over) > _MOST_REMEMBERED:
            since = self._clock() - self._gap
            self._over = {host: over for host, over in self._over.items() if over > since}


MANNERS: Final = HostRateLimit()
"""Those of this process."""

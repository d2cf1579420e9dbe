"""The rate limit of outgoing requests: one request to a host at a time, with a gap after each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic, sleep
from typing import Final

from coolid.deadlines import Deadline
from coolid.model.check_state import BUSY
from coolid.net.failures import RequestFailed, RequestRefused
from coolid.ports import Seconds

GAP_SECONDS: Final = 1.0
"""Between a host's response and the next request to that host."""
_MAX_HOSTS: Final = 1_000


class HostRateLimit:
    """Serialises requests to each host name, for all threads of a process."""

    def __init__(
        self, gap: float = GAP_SECONDS, clock: Seconds = monotonic, sleep: Callable[[float], object] = sleep
    ) -> None:
        self._gap = gap
        self._clock = clock
        self._sleep = sleep
        self._change = Condition()
        self._in_progress: set[str] = set()
        self._ended: dict[str, float] = {}

    @contextmanager
    def turn(self, host: str, deadline: Deadline) -> Iterator[None]:
        """Wait for the host's turn, then hold it. Raises `RequestFailed`, BUSY, if the deadline comes first."""
        try:
            self._begin(host, deadline)
        except TimeoutError:
            raise RequestFailed("there was no time for the request", BUSY) from None
        was_sent = True
        try:
            yield
        except RequestRefused:  # no request was sent
            was_sent = False
            raise
        finally:
            self._end(host, self._clock() if was_sent else None)

    def _begin(self, host: str, deadline: Deadline) -> None:
        with self._change:
            if not self._change.wait_for(lambda: host not in self._in_progress, deadline.remaining_seconds()):
                raise TimeoutError("another request to the host is in progress")
            self._in_progress.add(host)
            ended = self._ended.get(host)
        try:
            self._pause(ended, deadline)
        except BaseException:
            self._end(host, None)
            raise

    def _pause(self, ended: float | None, deadline: Deadline) -> None:
        pause = 0.0 if ended is None else ended + self._gap - self._clock()
        if pause >= deadline.remaining_seconds():
            raise TimeoutError("the gap between two requests is not over")
        if pause > 0:
            self._sleep(pause)

    def _end(self, host: str, ended: float | None) -> None:
        with self._change:
            self._in_progress.discard(host)
            if ended is not None:
                self._ended[host] = ended
            if len(self._ended) > _MAX_HOSTS:
                since = self._clock() - self._gap
                self._ended = {name: time for name, time in self._ended.items() if time > since}
            self._change.notify_all()


RATE_LIMIT: Final = HostRateLimit()
"""The limit of this process."""

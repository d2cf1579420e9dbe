"""The system's clocks, which implement the protocols in `coolid.ports`."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from time import sleep, thread_time, time, time_ns


class SystemClock:
    """The operating system's time."""

    def now(self) -> datetime:
        return _moment(int(time()))

    def milliseconds(self) -> int:
        return time_ns() // 1_000_000

    def pause(self, milliseconds: int) -> None:
        sleep(milliseconds / 1000)


@lru_cache(maxsize=1)
def _moment(second: int) -> datetime:
    """Return a time in seconds since 1970 as a datetime; cached, because requests of one second share it."""
    return datetime.fromtimestamp(second, UTC)


class ThreadClock:
    """Implements `ProcessorClock` for the current thread, because a server handles requests in several threads."""

    def seconds(self) -> float:
        return thread_time()


def monotonic_seconds(wall: Callable[[], float] = time) -> Callable[[], float]:
    """Return a clock in seconds that never goes back and continues while Lambda freezes the process.

    The monotonic clock may stop during a freeze, which would make cache entries seem too young. This one uses the wall
    clock, and continues from the latest time if that is set back.
    """
    latest, ahead = float("-inf"), 0.0

    def tick() -> float:
        nonlocal latest, ahead
        now = wall() + ahead
        if now < latest:
            now, ahead = latest, ahead + latest - now
        latest = now
        return now

    return tick

"""The world outside: the system's clocks, which `coolid.ports` declares."""

from collections.abc import Callable
from datetime import UTC, datetime
from time import sleep, thread_time, time, time_ns


class SystemClock:
    """The operating system's time."""

    def now(self) -> datetime:
        """As of `Clock`."""
        return datetime.fromtimestamp(int(time()), UTC)

    def milliseconds(self) -> int:
        """As of `Clock`."""
        return time_ns() // 1_000_000

    def pause(self, milliseconds: int) -> None:
        """As of `Clock`."""
        sleep(milliseconds / 1000)


class ThreadClock:
    """Implements `ProcessorClock` for the current thread, because a server handles requests in several threads."""

    def seconds(self) -> float:
        """See `ProcessorClock`."""
        return thread_time()


def monotonic_seconds(wall: Callable[[], float] = time) -> Callable[[], float]:
    """Seconds of a clock that only moves forward, and goes on while Lambda has the process frozen.

    A monotonic clock may stand still then, and what a function remembers would seem younger than it is; that of the
    wall, put back, goes on from where it was.
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

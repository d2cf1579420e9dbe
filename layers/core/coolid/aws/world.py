"""The world outside: the system's clock and its cryptographic dice, as `coolid.domain.ports` asks for them."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from time import sleep, time, time_ns


class SystemClock:
    """The operating system's time."""

    def now(self) -> datetime:
        """As of `Clock`."""
        return datetime.now(UTC).replace(microsecond=0)

    def milliseconds(self) -> int:
        """As of `Clock`."""
        return time_ns() // 1_000_000

    def pause(self, milliseconds: int) -> None:
        """As of `Clock`."""
        sleep(milliseconds / 1000)


def passing(wall: Callable[[], float] = time) -> Callable[[], float]:
    """Seconds of a clock that only moves forward, and goes on while Lambda has the process frozen.

    A monotonic clock may stand still then, and what a function remembers would seem younger than it is; that of the
    wall, put back, stands until its time comes again.
    """
    latest = float("-inf")

    def tick() -> float:
        nonlocal latest
        latest = max(latest, wall())
        return latest

    return tick


class SystemEntropy:
    """The operating system's generator, asked for every draw: nothing is seeded or kept in the process."""

    def below(self, limit: int) -> int:
        """As of `Entropy`; for a power of two, as most draws are, twice as fast and as even."""
        bits = limit.bit_length() - 1
        return secrets.randbits(bits) if limit == 1 << bits else secrets.randbelow(limit)

    def token(self, size: int) -> bytes:
        """As of `Entropy`."""
        return secrets.token_bytes(size)

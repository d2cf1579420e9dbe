"""The world outside: the system's clock and its cryptographic dice, as `coolid.domain.ports` asks for them."""

import secrets
from datetime import UTC, datetime
from time import sleep, time_ns


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


class SystemEntropy:
    """The operating system's generator, asked for every draw: nothing is seeded or kept in the process."""

    def below(self, limit: int) -> int:
        """As of `Entropy`; for a power of two, as most draws are, twice as fast and as even."""
        bits = limit.bit_length() - 1
        return secrets.randbits(bits) if limit == 1 << bits else secrets.randbelow(limit)

    def token(self, size: int) -> bytes:
        """As of `Entropy`."""
        return secrets.token_bytes(size)

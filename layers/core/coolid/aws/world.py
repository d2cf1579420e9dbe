"""The world outside: the system's clock and its cryptographic dice, as `coolid.domain.ports` asks for them."""

import secrets
from datetime import UTC, datetime


class SystemClock:
    """The operating system's time."""

    def now(self) -> datetime:
        """The present moment in UTC, whole seconds as records keep them."""
        return datetime.now(UTC).replace(microsecond=0)


class SystemEntropy:
    """The operating system's generator, asked for every draw: nothing is seeded or kept in the process."""

    def below(self, limit: int) -> int:
        """As of `Entropy`."""
        return secrets.randbelow(limit)

    def token(self, size: int) -> bytes:
        """As of `Entropy`."""
        return secrets.token_bytes(size)

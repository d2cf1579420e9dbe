"""What the domain asks of the world, apart from storage (`coolid.domain.stores`): the time of day and dice.

Implementations: `coolid.aws.world`; fakes in the tests.
"""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time of day."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC, in whole seconds as records keep them."""

    def milliseconds(self) -> int:
        """Milliseconds since 1970-01-01T00:00Z."""

    def pause(self, milliseconds: int) -> None:
        """Let that much time go by."""


class Entropy(Protocol):
    """Throws dice from a cryptographic source, never from one seeded when the process began."""

    def below(self, limit: int) -> int:
        """A uniformly distributed integer n with 0 <= n < limit."""

    def token(self, size: int) -> bytes:
        """`size` unpredictable bytes."""

"""What the domain asks of the world, apart from storage (`coolid.store.store`): time of day, dice, signatures.

Implementations: `coolid.aws.clock`, `coolid.aws.entropy`, `coolid.aws.kms`, `coolid.aws.key_file`; fakes in the tests.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

Seconds = Callable[[], float]
"""A clock for durations: returns seconds from any beginning, and never goes back."""


class Clock(Protocol):
    """Tells the time of day."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC, in whole seconds as records keep them."""

    def milliseconds(self) -> int:
        """Milliseconds since 1970-01-01T00:00Z."""

    def pause(self, milliseconds: int) -> None:
        """Let that much time go by."""


class ProcessorClock(Protocol):
    """Measures processor time."""

    def seconds(self) -> float:
        """Seconds of processor time that the current thread has used, counted from an arbitrary moment."""


class Entropy(Protocol):
    """Throws dice from a cryptographic source, never from one seeded when the process began."""

    def below(self, limit: int) -> int:
        """A uniformly distributed integer n with 0 <= n < limit."""

    def token(self, size: int) -> bytes:
        """`size` unpredictable bytes."""


class Signer(Protocol):
    """Holds the private key that proofs are signed with, and never gives it away.

    Both calls raise `SignerUnavailable` when the key cannot be used at the moment.
    """

    def public_key(self) -> Mapping[str, Any]:
        """The public half as a JSON Web Key (RFC 7517) for ES256, with its RFC 7638 thumbprint as `kid`."""

    def sign(self, message: bytes) -> bytes:
        """The ES256 signature of a message in the 64 bytes of RFC 7518, section 3.4."""


class Log(Protocol):
    """What of a structured log is needed."""

    def info(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """What happened."""

    def warning(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """What went wrong and is tried again."""

    def error(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """What somebody should look at."""


class Count(Protocol):
    """Adds to a metric, told apart by `dimensions` beside the function's name."""

    def __call__(self, name: str, value: int = 1, **dimensions: str) -> None:
        """Count `value` of `name`."""

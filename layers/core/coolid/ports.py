"""Protocols of the domain's dependencies apart from storage (`coolid.store`): clocks, entropy, signer, log, metrics.

Implementations: `coolid.aws.clock`, `coolid.aws.entropy`, `coolid.aws.kms`, `coolid.aws.key_file`; fakes in the tests.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

Seconds = Callable[[], float]
"""A monotonic clock for durations: returns seconds since an arbitrary moment."""


class Clock(Protocol):
    """A wall clock."""

    def now(self) -> datetime:
        """Return the present moment, aware, in UTC, in whole seconds as records store it."""

    def milliseconds(self) -> int:
        """Return the milliseconds since 1970-01-01T00:00Z."""

    def pause(self, milliseconds: int) -> None:
        """Wait for this many milliseconds."""


class ProcessorClock(Protocol):
    """A clock of processor time."""

    def seconds(self) -> float:
        """Return the seconds of processor time of the current thread since an arbitrary moment."""


class Entropy(Protocol):
    """Random numbers from a cryptographic source, never from one seeded at process start."""

    def below(self, limit: int) -> int:
        """Return a uniformly distributed integer n with 0 <= n < limit."""

    def token(self, size: int) -> bytes:
        """Return `size` unpredictable bytes."""


class Signer(Protocol):
    """The private key that signs proofs; it is never exported.

    Both methods raise `SignerUnavailable` if the key cannot be used now.
    """

    def public_key(self) -> Mapping[str, Any]:
        """Return the public key as a JSON Web Key (RFC 7517) for ES256, with its RFC 7638 thumbprint as `kid`."""

    def sign(self, message: bytes) -> bytes:
        """Return the ES256 signature of a message, the 64 bytes of RFC 7518, section 3.4."""


class NoteSigner(Protocol):
    """The private Ed25519 key that signs checkpoints; it is never exported.

    Both methods raise `SignerUnavailable` if the key cannot be used now.
    """

    def public_key(self) -> bytes:
        """Return the public key, the 32 bytes of RFC 8032."""

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes."""


class Log(Protocol):
    """The methods of a structured log that the package uses."""

    def info(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """Log a normal event."""

    def warning(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """Log a failure that is retried."""

    def error(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """Log a failure that needs an operator."""


class Count(Protocol):
    """A function that adds to a metric; `dimensions` supplement the function's name."""

    def __call__(self, name: str, value: int = 1, **dimensions: str) -> None:
        """Add `value` to the metric `name`."""

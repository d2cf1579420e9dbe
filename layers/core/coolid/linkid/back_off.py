"""The back-off of a service that fails: a circuit breaker whose pauses double.

After a failure the service is not queried for a pause. Then one request is permitted, however many callers there are.
Its success closes the circuit; its failure, or no result, opens it for twice as long. The pattern is the circuit
breaker of M. Nygard, "Release It!", chapter "Stability Patterns". (`coolid.health.circuit_breaker` is about addresses
that are checked on a schedule; here only requests of clients show the condition.)

>>> now = 0.0
>>> back_off = BackOff(lambda: now)
>>> back_off.failed(back_off.begin())
>>> back_off.begin() is None
True
>>> now = 30.0
>>> back_off.begin(), back_off.begin()
(1, None)
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from coolid.ports import Seconds

PAUSE_SECONDS: Final = 30.0
"""The pause after a first failure."""
MAX_PAUSE_SECONDS: Final = 300.0
MAX_SERVICES: Final = 100


class BackOff:
    """Decides whether a service is queried now; `clock` returns seconds. Thread-safe."""

    def __init__(self, clock: Seconds) -> None:
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._until = 0.0

    def begin(self) -> int | None:
        """Return a token for one request, which `failed` takes back; None if there must be no request now."""
        with self._lock:
            if self._failures:
                now = self._clock()
                if now < self._until:
                    return None
                self._until = now + self._pause()  # for all others, while this request has no result
            return self._failures

    def succeeded(self) -> None:
        """Close the circuit, because the service answered."""
        with self._lock:
            self._failures = 0

    def failed(self, token: int | None, pause_seconds: float = 0.0) -> None:
        """Open the circuit, for at least `pause_seconds` if the service named a time, within the maximum.

        Requests that began before another failure do not count, because one failure fails all that are in progress.
        """
        with self._lock:
            if token != self._failures:
                return
            self._failures += 1
            self._until = self._clock() + min(max(self._pause(), pause_seconds), MAX_PAUSE_SECONDS)

    @property
    def is_open(self) -> bool:
        """Whether the last request failed."""
        return self._failures > 0

    def _pause(self) -> float:
        return min(PAUSE_SECONDS * 2.0 ** min(self._failures - 1, 10), MAX_PAUSE_SECONDS)


class BackOffs:
    """The back-offs of services by the URLs of their issuers, at most `MAX_SERVICES`. Thread-safe."""

    def __init__(self, clock: Seconds) -> None:
        self._clock = clock
        self._lock = Lock()
        self._all: OrderedDict[str, BackOff] = OrderedDict()

    def of(self, issuer: str) -> BackOff:
        """Return the back-off of an issuer."""
        with self._lock:
            back_off = self._all.pop(issuer, None) or BackOff(self._clock)
            self._all[issuer] = back_off
            while len(self._all) > MAX_SERVICES:
                self._all.popitem(last=False)
            return back_off

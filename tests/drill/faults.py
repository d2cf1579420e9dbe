"""Faults: which calls fail, and how often each kind of fault occurred.

The rate of faults changes every few seconds between calm, rough and an outage, in which every call fails. Each fault is
counted. A run in which a kind never occurred did not test it, and fails (`missing_faults`).
"""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Final

from tests.drill.scheduler import Scheduler

THROTTLED: Final = "throttled"
FAILED: Final = "answered 500"
STALLED: Final = "stalled"
LOST: Final = "request lost"
RESPONSE_LOST: Final = "applied, response lost"
PARTIAL_BATCH: Final = "partial batch"
HALF_WRITTEN: Final = "half written"
STALE_READ: Final = "stale read"
TRUNCATED: Final = "truncated response"
CONFLICT: Final = "transaction conflict"

STORE: Final = (THROTTLED, FAILED, STALLED, LOST, RESPONSE_LOST, PARTIAL_BATCH, HALF_WRITTEN, STALE_READ)
TRANSPORT: Final = (THROTTLED, FAILED, STALLED, LOST, RESPONSE_LOST, PARTIAL_BATCH, TRUNCATED, CONFLICT)
KEY: Final = ("key service throttled", "key service answered 500", "key service stalled", "key service's response lost")
WRONG_SIGNATURE: Final = "key service returned a wrong signature"
CLOCKS: Final = ("clock jumped forwards", "clock jumped back")
OUTAGE: Final = "outage began"
ACTIVITIES: Final = ("mint", "update", "withdrawal", "import", "rotation")
KILLS: Final = tuple(
    f"killed in a {action}" if action[0] not in "aeiou" else f"killed in an {action}" for action in ACTIVITIES
)

_SENT_FAULTS: Final = (STALLED, RESPONSE_LOST, PARTIAL_BATCH, HALF_WRITTEN, TRUNCATED, CONFLICT, WRONG_SIGNATURE)

_CALM: Final = 0.006
_ROUGH: Final = 0.1
_KILL_RATES: Final = {"mint": 0.002, "update": 0.004, "withdrawal": 0.012, "import": 0.012, "rotation": 0.1}
"""The probability that a process is killed at one call, by activity."""


class Faults:
    """Draws faults.

    `fired` counts each kind; while `quiet`, there are none. `rate_factor` multiplies the rate, for clients that retry.
    """

    def __init__(self, rng: Random, scheduler: Scheduler) -> None:
        self._rng = rng
        self._scheduler = scheduler
        self._until = 0.0
        self._rate = _CALM
        self.rate_factor = 1.0
        self.fired: Counter[str] = Counter()
        self.quiet = True

    def draw(self, fault_kinds: tuple[str, ...]) -> str | None:
        """Return the fault of this call, one of these kinds, or None. It is not counted yet."""
        if self.quiet:
            return None
        if self._scheduler.now >= self._until:
            self._change_rate()
        if self._rng.random() >= self._rate * self.rate_factor:
            return None
        if self._rate == 1:  # nothing passes in an outage
            fault_kinds = tuple(kind for kind in fault_kinds if kind not in _SENT_FAULTS)
        return self._rng.choice(fault_kinds) if fault_kinds else None

    def kills(self, activity: str) -> bool:
        """Return whether the process is killed now, and count it."""
        if self.quiet or self._rng.random() >= _KILL_RATES.get(activity, 0.0003):
            return False
        self.fired[f"killed in a{'n' if activity[:1] in 'aeiou' else ''} {activity}"] += 1
        return True

    def count(self, kind: str) -> None:
        """Count a fault."""
        self.fired[kind] += 1

    def missing_faults(self, fault_kinds: Iterable[str]) -> list[str]:
        """Return the kinds that did not occur."""
        return [kind for kind in fault_kinds if not self.fired[kind]]

    def begin_outage(self, until: float) -> None:
        """Begin an outage that lasts until this time."""
        self._rate, self._until = 1.0, until
        self.count(OUTAGE)

    def _change_rate(self) -> None:
        """Draw the rate of the next seconds."""
        number = self._rng.random()
        if number < 0.12:
            self._rate, lasting = 1.0, self._rng.uniform(1, 8)
            self.count(OUTAGE)
        elif number < 0.5:
            self._rate, lasting = _ROUGH, self._rng.uniform(2, 8)
        else:
            self._rate, lasting = _CALM, self._rng.uniform(2, 20)
        self._until = self._scheduler.now + lasting

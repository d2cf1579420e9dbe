"""Faults: what goes wrong, when, and how often it did.

Times are calm, rough, or out altogether: an outage lasts some seconds, as it does. Each kind is counted when it fires;
a run in which one never fired has shown nothing of it, and fails (`never`).
"""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Final

from tests.drill.baton import Baton

THROTTLED: Final = "throttled"
FAILED: Final = "answered 500"
STALLED: Final = "stalled"
LOST: Final = "request lost"
UNHEARD: Final = "applied, answer lost"
TORN: Final = "torn batch"
HALF: Final = "half written"
LAGGED: Final = "read of a moment ago"
BROKEN_OFF: Final = "answer broke off"
CONFLICT: Final = "transaction conflict"

STORE: Final = (THROTTLED, FAILED, STALLED, LOST, UNHEARD, TORN, HALF, LAGGED)
WIRE: Final = (THROTTLED, FAILED, STALLED, LOST, UNHEARD, TORN, BROKEN_OFF, CONFLICT)
KEY: Final = ("key service throttled", "key service answered 500", "key service stalled", "key service's answer lost")
NONSENSE: Final = "key service signed nonsense"
CLOCKS: Final = ("clock jumped forwards", "clock jumped back")
OUTAGE: Final = "outage began"
DEEDS: Final = ("mint", "update", "withdrawal", "import", "rotation")
KILLS: Final = tuple(f"killed in a {deed}" if deed[0] not in "aeiou" else f"killed in an {deed}" for deed in DEEDS)

_PARTIAL: Final = (STALLED, UNHEARD, TORN, HALF, BROKEN_OFF, CONFLICT, NONSENSE)

_CALM: Final = 0.006
_ROUGH: Final = 0.1
_DEADLY: Final = {"mint": 0.002, "update": 0.004, "withdrawal": 0.012, "import": 0.012, "rotation": 0.1}
"""How probable it is that a process ends at a call of what it is doing."""


class Faults:
    """`fired` counts each kind; `quiet` while nothing is to go wrong.

    With more `eagerness` more does, for those who try again by themselves.
    """

    def __init__(self, dice: Random, baton: Baton) -> None:
        self._dice = dice
        self._baton = baton
        self._until = 0.0
        self._rate = _CALM
        self.eagerness = 1.0
        self.fired: Counter[str] = Counter()
        self.quiet = True

    def draw(self, kinds: tuple[str, ...]) -> str | None:
        """The fault of this call, one of these, if it has one; not counted yet."""
        if self.quiet:
            return None
        if self._baton.now >= self._until:
            self._turn()
        if self._dice.random() >= self._rate * self.eagerness:
            return None
        if self._rate == 1:  # nothing goes through in an outage
            kinds = tuple(kind for kind in kinds if kind not in _PARTIAL)
        return self._dice.choice(kinds) if kinds else None

    def kills(self, doing: str) -> bool:
        """Whether the process ends here, which is counted."""
        if self.quiet or self._dice.random() >= _DEADLY.get(doing, 0.0003):
            return False
        self.fired[f"killed in a{'n' if doing[:1] in 'aeiou' else ''} {doing}"] += 1
        return True

    def count(self, kind: str) -> None:
        """It fired."""
        self.fired[kind] += 1

    def never(self, kinds: Iterable[str]) -> list[str]:
        """Those that did not."""
        return [kind for kind in kinds if not self.fired[kind]]

    def go_out(self, until: float) -> None:
        """Let nothing go through until that moment."""
        self._rate, self._until = 1.0, until
        self.count(OUTAGE)

    def _turn(self) -> None:
        """How the next seconds are."""
        number = self._dice.random()
        if number < 0.12:
            self._rate, lasting = 1.0, self._dice.uniform(1, 8)
            self.count(OUTAGE)
        elif number < 0.5:
            self._rate, lasting = _ROUGH, self._dice.uniform(2, 8)
        else:
            self._rate, lasting = _CALM, self._dice.uniform(2, 20)
        self._until = self._baton.now + lasting

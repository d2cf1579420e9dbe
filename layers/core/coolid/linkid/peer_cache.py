"""The cache of answers of peers: found records, brief absences, and which root was verified for each LinkID.

A found record is fresh for as long as the peer permits, and may bridge an outage of all peers for a day after that.
Other answers are kept for `NEGATIVE_SECONDS`, so that repeated requests cause no more lookups than that.

>>> now = 0.0
>>> cache = PeerCache(lambda: now)
>>> cache.put("linkid:…", PeerAnswer("unknown"))
>>> cache.fresh("linkid:…").answer.kind
'unknown'
>>> now = 10.0
>>> cache.fresh("linkid:…") is None
True
"""

from threading import Lock
from typing import Final

from msgspec import Struct

from coolid.linkid.peer_decisions import REFUSED, UNAVAILABLE, PeerAnswer, Pin
from coolid.ports import Seconds
from coolid.resolution.cache import BoundedCache, CacheLimit

FOUND_LIMIT: Final = CacheLimit(2_000, 32 << 20)
NEGATIVE_LIMIT: Final = CacheLimit(5_000, 8 << 20)
PIN_LIMIT: Final = CacheLimit(20_000, 8 << 20)
DEFAULT_TTL: Final = 300
"""The most seconds for which a record of another service is fresh here; also the default lifetime of own records."""
NEGATIVE_SECONDS: Final = 10
MAX_STALE_SECONDS: Final = 86_400


class CachedAnswer(Struct, frozen=True):
    """An answer, and the seconds for which it is still fresh, negative if it is stale."""

    answer: PeerAnswer
    seconds: float


class _Entry(Struct, frozen=True):
    answer: PeerAnswer
    until: float


class PeerCache:
    """Holds answers by canonical LinkID; `clock` returns seconds. Thread-safe."""

    def __init__(self, clock: Seconds) -> None:
        self._clock = clock
        self._lock = Lock()
        self._found: BoundedCache[str, _Entry] = BoundedCache(FOUND_LIMIT)
        self._negative: BoundedCache[str, _Entry] = BoundedCache(NEGATIVE_LIMIT)
        self._pins: BoundedCache[str, Pin] = BoundedCache(PIN_LIMIT)

    def fresh(self, linkid: str) -> CachedAnswer | None:
        """Return the answer that needs no lookup, or None. During a failure it may be a stale record."""
        with self._lock:
            found = self._left(self._found, linkid)
            if found is not None and found.seconds > 0:
                return found
            negative = self._left(self._negative, linkid)
            if negative is None or negative.seconds <= 0:
                return None
            return self._stale(linkid) or negative if negative.answer.kind == UNAVAILABLE else negative

    def stale(self, linkid: str) -> CachedAnswer | None:
        """Return the last record found, if it is at most a day too old, or None."""
        with self._lock:
            return self._stale(linkid)

    def pin(self, linkid: str) -> Pin | None:
        """Return the root and the version that were verified before."""
        with self._lock:
            entry = self._pins.get(linkid)
            return None if entry is None else entry.value

    def put(self, linkid: str, answer: PeerAnswer) -> None:
        """Store an answer. A failed lookup, or a refused claim, leaves the last record for an outage."""
        claim = answer.claim
        with self._lock:
            now = self._clock()
            if claim is None:
                self._negative.put(linkid, _Entry(answer, now + NEGATIVE_SECONDS), now)
                if answer.kind not in (UNAVAILABLE, REFUSED):
                    self._found.drop(linkid)
                return
            self._pins.put(linkid, Pin(claim.root, claim.version), now)
            self._negative.drop(linkid)
            if claim.max_age is None:
                self._found.drop(linkid)
            else:
                self._found.put(linkid, _Entry(answer, now + min(claim.max_age, DEFAULT_TTL)), now)

    def _left(self, entries: BoundedCache[str, _Entry], linkid: str) -> CachedAnswer | None:
        entry = entries.get(linkid)
        return None if entry is None else CachedAnswer(entry.value.answer, entry.value.until - self._clock())

    def _stale(self, linkid: str) -> CachedAnswer | None:
        found = self._left(self._found, linkid)
        return found if found is not None and found.seconds > -MAX_STALE_SECONDS else None

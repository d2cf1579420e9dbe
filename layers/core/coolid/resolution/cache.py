"""What a process remembers of the store: prefixes, current records, absences, versions that are past, public keys.

Everything is told with the time by which it is overdue, so that whoever asks can judge. What a remembered row says of
longer names (`Prefix.longer`) tells that a name is absent. Absent records are kept apart from those that exist: however
many absent ones are asked for, nothing that could serve in an outage is lost to them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from sys import getsizeof, maxsize
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from coolid.model.prefixes import Prefix, parent
from coolid.model.records import Record
from coolid.resolution.bounded_cache import BoundedCache, CacheEntry, CacheLimit, size_in_memory
from coolid.store.reader import Prefixes

PREFIX_TTL: Final = 60.0
RECORD_TTL: Final = 10.0
ABSENCE_TTL: Final = 5.0
KEYS_TTL: Final = 0.0
"""The list of keys is remembered only for when the store fails: a proof may name a key that is a second old."""
LIST_TTL: Final = 300.0
"""The list of all prefixes takes long to read, and nothing that resolves depends on it."""
MAX_STALE_SECONDS: Final = 86_400.0
"""Seconds after its reading for which anything may serve in need; only a version that is past serves without end."""

PREFIX_ROOM: Final = CacheLimit(20_000, 32 << 20)
RECORD_ROOM: Final = CacheLimit(5_000, 64 << 20)
ABSENCE_ROOM: Final = CacheLimit(5_000, 4 << 20)
PAST_ROOM: Final = CacheLimit(1_000, 16 << 20)
_KEYS_ROOM: Final = CacheLimit(1, 1 << 20)
_OF_A_KEY: Final = 100  # bytes of a tuple, and of a number
KEYS: Final = ""
"""The list of public keys; there is but one."""
ALL: Final = ""
"""The list of all prefixes; there is but one."""

Thing = TypeVar("Thing")
RecordKey = tuple[str, str]
"""Where a record is: the repository and the key."""
VersionKey = tuple[str, str, int]
"""A version of the record that is there."""
PublicKeys = Sequence[Mapping[str, Any]]


class CacheHit(Struct, Generic[Thing], frozen=True):
    """What memory tells: a value, or None for a known absence, and by how many seconds it is overdue (below 0: not).

    `number` is that of the thing it keeps and tells this by.
    """

    value: Thing | None
    overdue: float
    number: int

    @property
    def is_fresh(self) -> bool:
        """Whether its time has not come yet."""
        return self.overdue < 0


class PrefixHits(Struct, frozen=True):
    """What memory tells of many names of prefixes: the rows of those that exist; the rest as of `CacheHit`.

    `number` has one for each name.
    """

    rows: Mapping[str, Prefix]
    overdue: float
    number: tuple[int, ...]


class ReaderCache:
    """Safe between threads; `tick` gives seconds of a clock that only moves forward."""

    def __init__(
        self, tick: Callable[[], float], *, prefix_room: CacheLimit = PREFIX_ROOM, record_room: CacheLimit = RECORD_ROOM
    ) -> None:
        self._tick = tick
        self._lock = Lock()
        self._generation = 0
        self._changes = 0
        self._prefixes: BoundedCache[str, Prefix] = BoundedCache(prefix_room)
        self._records: BoundedCache[RecordKey, Record] = BoundedCache(record_room)
        self._absences: BoundedCache[RecordKey, None] = BoundedCache(ABSENCE_ROOM)
        self._past: BoundedCache[VersionKey, Record] = BoundedCache(PAST_ROOM)
        self._keys: BoundedCache[str, PublicKeys] = BoundedCache(_KEYS_ROOM)
        # However long, and so not weighed: one that were not kept, anybody could have read again and again.
        self._lists: BoundedCache[str, Prefixes] = BoundedCache(CacheLimit(1, maxsize))

    @property
    def generation(self) -> int:
        """Changes whenever something is to be forgotten; what was read under an earlier one is not remembered."""
        return self._generation

    @property
    def changes(self) -> int:
        """Rises whenever anything is kept, replaced or forgotten: for as long as it stands, the same is told."""
        return self._changes

    def now(self) -> float:
        """The moment by which things are overdue."""
        return self._tick()

    def prefix(self, name: str) -> CacheHit[Prefix] | None:
        """What is remembered of a name: its row, or that the nearest remembered row before it does not announce it."""
        with self._lock:
            now = self._tick()
            told = _told(self._telling(name, now), PREFIX_TTL, now)
        return told if told is None or told.value is None or told.value.name == name else replace(told, value=None)

    def prefixes(self, names: Sequence[str]) -> PrefixHits | None:
        """The same of many names at once, if it is fresh of all of them; else None."""
        rows: dict[str, Prefix] = {}
        numbers = []
        oldest = inf
        with self._lock:
            now = self._tick()
            for name in names:
                kept = self._telling(name, now)
                if kept is None:
                    return None
                if kept.value.name == name:
                    rows[name] = kept.value
                oldest = min(oldest, kept.read_at)
                numbers.append(kept.number)
        overdue = now - oldest - PREFIX_TTL
        return PrefixHits(rows, overdue, tuple(numbers)) if overdue < 0 else None

    def record(self, place: RecordKey) -> CacheHit[Record] | None:
        """What is remembered of a record; that it is absent only for as long as that is fresh."""
        with self._lock:
            now = self._tick()
            told = _told(self._records.get(place), RECORD_TTL, now)
            if told and told.is_fresh:
                return told
            absent = _told(self._absences.get(place), ABSENCE_TTL, now)
            return CacheHit(None, absent.overdue, absent.number) if absent and absent.is_fresh else told

    def superseded(self, edition: VersionKey) -> CacheHit[Record] | None:
        """A version that is no longer the current one; it never changes."""
        with self._lock:
            kept = self._past.get(edition)
            return CacheHit(kept.value, float("-inf"), kept.number) if kept else None

    def public_keys(self, name: str) -> CacheHit[PublicKeys] | None:
        """The public keys, if there were any."""
        with self._lock:
            return _told(self._keys.get(name), KEYS_TTL, self._tick())

    def prefix_list(self, name: str) -> CacheHit[Prefixes] | None:
        """All prefixes, as they were when they were listed."""
        with self._lock:
            return _told(self._lists.get(name), LIST_TTL, self._tick())

    def put_prefixes(self, asked: Iterable[str], found: Mapping[str, Prefix], read_at: float, generation: int) -> None:
        """Remember the rows that were found; of the rest only forget what was there."""
        with self._lock:
            if generation != self._generation:
                return
            self._changes += 1
            for name in asked:
                if name in found:
                    self._prefixes.put(name, found[name], read_at)
                elif not _is_newer(self._prefixes.get(name), read_at):
                    self._prefixes.drop(name)

    def put_records(
        self, asked: Iterable[RecordKey], found: Mapping[RecordKey, Record], read_at: float, generation: int
    ) -> None:
        """Remember what was found, and what was not."""
        with self._lock:
            if generation != self._generation:
                return
            self._changes += 1
            for place in asked:
                if place in found:
                    self._records.put(place, found[place], read_at, _weight(place, found[place]))
                    self._absences.drop(place)
                elif not _is_newer(self._records.get(place), read_at):
                    self._records.drop(place)
                    self._absences.put(place, None, read_at)

    def put_superseded(
        self, asked: Iterable[VersionKey], found: Mapping[VersionKey, Record], read_at: float, generation: int
    ) -> None:
        """Remember versions that are past; one that there was not may come to be."""
        with self._lock:
            self._changes += 1
            for edition in asked:
                if edition in found and generation == self._generation:
                    self._past.put(edition, found[edition], read_at, _weight(edition, found[edition]))

    def put_public_keys(
        self, asked: Iterable[str], found: Mapping[str, PublicKeys], read_at: float, generation: int
    ) -> None:
        """Remember the public keys; that there are none yet is not remembered."""
        with self._lock:
            self._changes += 1
            for name in asked:
                if found[name] and generation == self._generation:
                    self._keys.put(name, found[name], read_at)

    def put_prefix_list(
        self, asked: Iterable[str], found: Mapping[str, Prefixes], read_at: float, generation: int
    ) -> None:
        """Remember all prefixes."""
        with self._lock:
            if generation != self._generation:
                return
            self._changes += 1
            for name in asked:
                self._lists.put(name, found[name], read_at, 0)

    def clear(self) -> None:
        """Remember nothing from before now, not even what is being read at this moment."""
        with self._lock:
            self._generation += 1
            self._changes += 1
            for shelf in (self._prefixes, self._records, self._absences, self._past, self._keys, self._lists):
                shelf.clear()

    def evict_record(self, repository: str, key: str) -> None:
        """Remember nothing of the record as it was, nor that it was absent."""
        with self._lock:
            self._generation += 1
            self._changes += 1
            self._records.drop((repository, key))
            self._absences.drop((repository, key))

    def _telling(self, name: str, now: float) -> CacheEntry[Prefix] | None:
        """The row that tells of a name: its own, or the nearest before it that is remembered, if it announces none."""
        kept = self._prefixes.get(name)
        if kept is not None and now - kept.read_at <= MAX_STALE_SECONDS:
            return kept
        shorter = parent(name)
        while shorter:
            kept = self._prefixes.get(shorter)
            if kept is not None and now - kept.read_at <= MAX_STALE_SECONDS:
                return None if name in kept.value.longer else kept
            name, shorter = shorter, parent(shorter)
        return None


def _told(kept: CacheEntry[Thing] | None, ttl: float, now: float) -> CacheHit[Thing] | None:
    if kept is None or now - kept.read_at > MAX_STALE_SECONDS:
        return None
    return CacheHit(kept.value, now - kept.read_at - ttl, kept.number)


def _weight(key: RecordKey | VersionKey, record: Record) -> int:
    """What a record takes under its key: as whoever read it says, or weighed here."""
    return _OF_A_KEY + getsizeof(key[0]) + getsizeof(key[1]) + (record.weight or size_in_memory(record))


def _is_newer(kept: CacheEntry[Thing] | None, read_at: float) -> bool:
    return kept is not None and kept.read_at > read_at

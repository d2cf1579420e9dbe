"""The reader cache of a process: prefixes, current records, absences, superseded versions and public keys.

Each hit includes the seconds by which it is overdue, and the caller decides. A cached row lists the longer names
(`Prefix.longer`), so it proves that others are absent. Absences are cached apart from records, so requests for absent
records never evict a record that could serve in an outage.
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
from coolid.store.prefixes import Prefixes

PREFIX_TTL: Final = 60.0
RECORD_TTL: Final = 10.0
ABSENCE_TTL: Final = 5.0
KEYS_TTL: Final = 0.0
"""Seconds. The list of keys is cached only for outages: a proof may name a key that was published a second ago."""
LIST_TTL: Final = 300.0
"""Seconds. The list of all prefixes takes long to read, and resolution does not depend on it."""
MAX_STALE_SECONDS: Final = 86_400.0
"""Seconds after which an entry is not even used in an outage; superseded versions never expire."""

PREFIX_LIMIT: Final = CacheLimit(20_000, 32 << 20)
RECORD_LIMIT: Final = CacheLimit(5_000, 64 << 20)
ABSENCE_LIMIT: Final = CacheLimit(5_000, 4 << 20)
SUPERSEDED_LIMIT: Final = CacheLimit(1_000, 16 << 20)
_KEYS_LIMIT: Final = CacheLimit(1, 1 << 20)
_KEY_BYTES: Final = 100  # a tuple and a number
KEYS: Final = ""
"""The only key of the cached list of public keys."""
ALL: Final = ""
"""The only key of the cached list of all prefixes."""

Value = TypeVar("Value")
RecordKey = tuple[str, str]
"""The repository and the key of a record."""
VersionKey = tuple[str, str, int]
"""The repository, the key and the version of a record."""
PublicKeys = Sequence[Mapping[str, Any]]


class CacheHit(Struct, Generic[Value], frozen=True):
    """A cached value or absence (None), its entry's number, and the seconds past its TTL (negative if fresh)."""

    value: Value | None
    overdue_seconds: float
    number: int

    @property
    def is_fresh(self) -> bool:
        """Whether the TTL has not expired."""
        return self.overdue_seconds < 0


class PrefixHits(Struct, frozen=True):
    """The cached rows of several names, without the absent ones, and each name's entry number. See `CacheHit`."""

    rows: Mapping[str, Prefix]
    overdue_seconds: float
    number: tuple[int, ...]


class ReaderCache:
    """Caches rows of the store. Safe between threads; `tick` returns the seconds of a monotonic clock."""

    def __init__(
        self,
        tick: Callable[[], float],
        *,
        prefix_limit: CacheLimit = PREFIX_LIMIT,
        record_limit: CacheLimit = RECORD_LIMIT,
    ) -> None:
        self._tick = tick
        self._lock = Lock()
        self._generation = 0
        self._changes = 0
        self._prefixes: BoundedCache[str, Prefix] = BoundedCache(prefix_limit)
        self._records: BoundedCache[RecordKey, Record] = BoundedCache(record_limit)
        self._absences: BoundedCache[RecordKey, None] = BoundedCache(ABSENCE_LIMIT)
        self._superseded: BoundedCache[VersionKey, Record] = BoundedCache(SUPERSEDED_LIMIT)
        self._keys: BoundedCache[str, PublicKeys] = BoundedCache(_KEYS_LIMIT)
        # Without a limit of bytes: if the list were not cached, any request could cause another read.
        self._lists: BoundedCache[str, Prefixes] = BoundedCache(CacheLimit(1, maxsize))

    @property
    def generation(self) -> int:
        """Changes with every invalidation; results of reads that began in an earlier generation are not cached."""
        return self._generation

    @property
    def changes(self) -> int:
        """Rises with every change of the cache: while it is constant, lookups return the same."""
        return self._changes

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return self._tick()

    def prefix(self, name: str) -> CacheHit[Prefix] | None:
        """Return the row of a name, or its absence if the nearest cached row of a shorter name does not list it."""
        with self._lock:
            now = self._tick()
            hit = _hit(self._covering_entry(name, now), PREFIX_TTL, now)
        return hit if hit is None or hit.value is None or hit.value.name == name else replace(hit, value=None)

    def prefixes(self, names: Sequence[str]) -> PrefixHits | None:
        """Return the rows of several names if all are cached and fresh; else None."""
        rows: dict[str, Prefix] = {}
        numbers = []
        oldest = inf
        with self._lock:
            now = self._tick()
            for name in names:
                entry = self._covering_entry(name, now)
                if entry is None:
                    return None
                if entry.value.name == name:
                    rows[name] = entry.value
                oldest = min(oldest, entry.read_at)
                numbers.append(entry.number)
        overdue = now - oldest - PREFIX_TTL
        return PrefixHits(rows, overdue, tuple(numbers)) if overdue < 0 else None

    def record(self, key: RecordKey) -> CacheHit[Record] | None:
        """Return the record's hit; a cached absence only while it is fresh."""
        with self._lock:
            now = self._tick()
            hit = _hit(self._records.get(key), RECORD_TTL, now)
            if hit and hit.is_fresh:
                return hit
            absent = _hit(self._absences.get(key), ABSENCE_TTL, now)
            return CacheHit(None, absent.overdue_seconds, absent.number) if absent and absent.is_fresh else hit

    def superseded(self, key: VersionKey) -> CacheHit[Record] | None:
        """Return a superseded version, which never changes."""
        with self._lock:
            entry = self._superseded.get(key)
            return CacheHit(entry.value, float("-inf"), entry.number) if entry else None

    def public_keys(self, name: str) -> CacheHit[PublicKeys] | None:
        """Return the public keys, if any are cached."""
        with self._lock:
            return _hit(self._keys.get(name), KEYS_TTL, self._tick())

    def prefix_list(self, name: str) -> CacheHit[Prefixes] | None:
        """Return all prefixes as of the last listing."""
        with self._lock:
            return _hit(self._lists.get(name), LIST_TTL, self._tick())

    def put_prefixes(
        self, requested: Iterable[str], found: Mapping[str, Prefix], read_at: float, generation: int
    ) -> None:
        """Cache the rows that were found, and drop the others."""
        with self._lock:
            if generation != self._generation:
                return
            self._changes += 1
            for name in requested:
                if name in found:
                    self._prefixes.put(name, found[name], read_at)
                elif not _is_newer(self._prefixes.get(name), read_at):
                    self._prefixes.drop(name)

    def put_records(
        self, requested: Iterable[RecordKey], found: Mapping[RecordKey, Record], read_at: float, generation: int
    ) -> None:
        """Cache the records that were found, and the absence of the others."""
        with self._lock:
            if generation != self._generation:
                return
            self._changes += 1
            for key in requested:
                if key in found:
                    self._records.put(key, found[key], read_at, _record_bytes(key, found[key]))
                    self._absences.drop(key)
                elif not _is_newer(self._records.get(key), read_at):
                    self._records.drop(key)
                    self._absences.put(key, None, read_at)

    def put_superseded(
        self, requested: Iterable[VersionKey], found: Mapping[VersionKey, Record], read_at: float, generation: int
    ) -> None:
        """Cache superseded versions; their absence is not cached, because it may end."""
        with self._lock:
            self._changes += 1
            for key in requested:
                if key in found and generation == self._generation:
                    self._superseded.put(key, found[key], read_at, _record_bytes(key, found[key]))

    def put_public_keys(
        self, requested: Iterable[str], found: Mapping[str, PublicKeys], read_at: float, generation: int
    ) -> None:
        """Cache the public keys unless there are none."""
        with self._lock:
            self._changes += 1
            for name in requested:
                if found[name] and generation == self._generation:
                    self._keys.put(name, found[name], read_at)

    def put_prefix_list(
        self, requested: Iterable[str], found: Mapping[str, Prefixes], read_at: float, generation: int
    ) -> None:
        """Cache the list of all prefixes."""
        with self._lock:
            if generation != self._generation:
                return
            self._changes += 1
            for name in requested:
                self._lists.put(name, found[name], read_at, 0)

    def clear(self) -> None:
        """Invalidate all entries and all reads in progress."""
        with self._lock:
            self._generation += 1
            self._changes += 1
            for cache in (self._prefixes, self._records, self._absences, self._superseded, self._keys, self._lists):
                cache.clear()

    def evict_record(self, repository: str, key: str) -> None:
        """Invalidate a record and its absence."""
        with self._lock:
            self._generation += 1
            self._changes += 1
            self._records.drop((repository, key))
            self._absences.drop((repository, key))

    def _covering_entry(self, name: str, now: float) -> CacheEntry[Prefix] | None:
        """Return the row of a name, or the nearest cached row of a shorter name if it does not list the name."""
        entry = self._prefixes.get(name)
        if entry is not None and now - entry.read_at <= MAX_STALE_SECONDS:
            return entry
        shorter = parent(name)
        while shorter:
            entry = self._prefixes.get(shorter)
            if entry is not None and now - entry.read_at <= MAX_STALE_SECONDS:
                return None if name in entry.value.longer else entry
            name, shorter = shorter, parent(shorter)
        return None


def _hit(entry: CacheEntry[Value] | None, ttl: float, now: float) -> CacheHit[Value] | None:
    if entry is None or now - entry.read_at > MAX_STALE_SECONDS:
        return None
    return CacheHit(entry.value, now - entry.read_at - ttl, entry.number)


def _record_bytes(key: RecordKey | VersionKey, record: Record) -> int:
    """Return the size of a cached record with its key, as the reader stated it or measured here."""
    return _KEY_BYTES + getsizeof(key[0]) + getsizeof(key[1]) + (record.weight or size_in_memory(record))


def _is_newer(entry: CacheEntry[Value] | None, read_at: float) -> bool:
    return entry is not None and entry.read_at > read_at

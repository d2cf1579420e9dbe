"""The reader cache of a process: prefixes, current records, absences, superseded versions and public keys.

Each hit includes the seconds by which it is overdue, and the caller decides. A cached row lists the longer names
(`Prefix.longer`), so it proves that others are absent, unless some are unlisted. Absences are cached apart from
records, so requests for absent records never evict a record that could serve in an outage.

The validity of an answer consists of the cached rows that it depends on: it holds while the same lookups would return
the same fresh entries. It contains only numbers of entries, so that a cached answer keeps no record in memory.

>>> cache: BoundedCache[str, str] = BoundedCache(CacheLimit(2, 1_000))
>>> for moment, name in enumerate("abc"):
...     cache.put(name, name.upper(), moment)
>>> cache.get("a"), cache.get("c").value
(None, 'C')
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import count
from math import inf
from sys import getsizeof, maxsize
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from coolid.model.prefixes import UNLISTED, Prefix, parent
from coolid.model.records import Record
from coolid.store.memory_size import ENTRY_BYTES, size_in_memory
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

_KEY_BYTES: Final = 100  # a tuple and a number
_LOOKUP_BYTES: Final = 300  # mostly the key
_VALIDITY_BYTES: Final = 150
_numbers: Final = count()

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
RecordKey = tuple[str, str]
"""The repository and the key of a record."""
PublicKeys = Sequence[Mapping[str, Any]]


class CacheLimit(Struct, frozen=True):
    """The capacity of a cache: a number of entries and their total bytes."""

    entries: int
    size_bytes: int


PREFIX_LIMIT: Final = CacheLimit(20_000, 32 << 20)
RECORD_LIMIT: Final = CacheLimit(5_000, 64 << 20)
ABSENCE_LIMIT: Final = CacheLimit(5_000, 4 << 20)
SUPERSEDED_LIMIT: Final = CacheLimit(1_000, 16 << 20)
_KEYS_LIMIT: Final = CacheLimit(1, 1 << 20)


class CacheEntry(Struct, Generic[Value], frozen=True):
    """A value, the time in seconds at which its reading began, its bytes, and a number that no other entry ever has."""

    value: Value
    read_at: float
    size: int
    number: int


class BoundedCache(Generic[Key, Value]):
    """Holds the entries that were read last; evicts the oldest first. Not safe between threads."""

    def __init__(self, limit: CacheLimit) -> None:
        self._limit = limit
        self._entries: OrderedDict[Key, CacheEntry[Value]] = OrderedDict()
        self.size_bytes = 0
        self.get: Callable[[Key], CacheEntry[Value] | None] = self._entries.get

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, key: Key, value: Value, read_at: float, size: int | None = None) -> None:
        """Store a value unless the stored one was read later; `size` is in bytes, with the key, measured if None."""
        if self.get(key) is not None:
            if self.is_newer(key, read_at):
                return
            self.drop(key)
        size = ENTRY_BYTES + (size_in_memory((key, value)) if size is None else size)
        self._entries[key] = CacheEntry(value, read_at, size, next(_numbers))
        self.size_bytes += size
        while len(self._entries) > self._limit.entries or self.size_bytes > self._limit.size_bytes:
            self.drop(next(iter(self._entries)))

    def is_newer(self, key: Key, read_at: float) -> bool:
        """Return whether the key has an entry that was read later."""
        entry = self.get(key)
        return entry is not None and entry.read_at > read_at

    def drop(self, key: Key) -> None:
        """Remove the entry of the key, if any."""
        entry = self._entries.pop(key, None)
        if entry:
            self.size_bytes -= entry.size

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self.size_bytes = 0


class CacheHit(Struct, Generic[Value], frozen=True):
    """A cached value or absence (None), its entry's number, and the seconds past its TTL (negative if fresh)."""

    value: Value | None
    overdue_seconds: float
    number: int


class RowCache(BoundedCache[Key, Value]):
    """The cached rows of one kind, which are fresh for `ttl` seconds; `size` returns the bytes of a row."""

    def __init__(self, limit: CacheLimit, ttl: float, size: Callable[[Key, Value], int] | None = None) -> None:
        super().__init__(limit)
        self.ttl = ttl
        self._max_age = max(MAX_STALE_SECONDS, ttl)
        self._size = size

    def hit(self, key: Key, now: float) -> CacheHit[Value] | None:
        """Return the hit of a key, unless it is too old even for an outage, or else that of its absence."""
        entry = self.get(key)
        if entry is not None:
            age = now - entry.read_at
            if age <= self._max_age:
                return CacheHit(entry.value, age - self.ttl, entry.number)
        return self.absence(key, now)

    def absence(self, _key: Key, _now: float) -> CacheHit[Value] | None:
        """Return the hit of the entry that proves a key to be absent. Most kinds have none."""
        return None

    def update(self, requested: Iterable[Key], found: Mapping[Key, Value], read_at: float) -> None:
        """Cache the rows that were found. The absence of the others is not cached, because it may end."""
        for key in requested:
            if key in found:
                self.put(key, found[key], read_at, self._size(key, found[key]) if self._size is not None else None)

    def drop_older(self, key: Key, read_at: float) -> bool:
        """Remove the entry of a key that is absent since `read_at`; return False if it was read later."""
        if self.is_newer(key, read_at):
            return False
        self.drop(key)
        return True


class _PrefixCache(RowCache[str, Prefix]):
    """Rows of prefixes, each of which also proves the absence of the longer names that it excludes.

    If some are unlisted, absences of names one boundary longer are cached, for as long as the row would prove them.
    """

    def __init__(self, limit: CacheLimit) -> None:
        super().__init__(limit, PREFIX_TTL)
        self.absences: RowCache[str, None] = RowCache(ABSENCE_LIMIT, PREFIX_TTL)

    def absence(self, key: str, now: float) -> CacheHit[Prefix] | None:
        shorter = parent(key)
        found = self.hit(shorter, now) if shorter else None
        if found is None or found.value is None:  # if the shorter name is absent, so is this one
            return found
        if found.value.may_begin(key):
            absence = self.absences.hit(key, now)
            return CacheHit(None, absence.overdue_seconds, absence.number) if absence is not None else None
        return CacheHit(None, found.overdue_seconds, found.number)

    def update(self, requested: Iterable[str], found: Mapping[str, Prefix], read_at: float) -> None:
        super().update(requested, found, read_at)
        for name in requested:
            if name in found:
                self.absences.drop(name)
            elif self.drop_older(name, read_at) and self._may_be_unlisted(name):
                self.absences.put(name, None, read_at)

    def _may_be_unlisted(self, name: str) -> bool:
        """Return whether the cached row of the shorter name cannot prove that this one is absent."""
        shorter = parent(name)
        entry = self.get(shorter) if shorter else None
        return entry is not None and UNLISTED in entry.value.longer and name not in entry.value.longer


class _RecordCache(RowCache[RecordKey, Record]):
    """Current records, and the absences of others, which count only while they are fresh."""

    def __init__(self, limit: CacheLimit) -> None:
        super().__init__(limit, RECORD_TTL, _record_bytes)
        self.absences: RowCache[RecordKey, None] = RowCache(ABSENCE_LIMIT, ABSENCE_TTL)

    def hit(self, key: RecordKey, now: float) -> CacheHit[Record] | None:
        found = super().hit(key, now)
        if found is None or found.overdue_seconds >= 0:
            absence = self.absences.hit(key, now)
            if absence is not None and absence.overdue_seconds < 0:
                return CacheHit(None, absence.overdue_seconds, absence.number)
        return found

    def update(self, requested: Iterable[RecordKey], found: Mapping[RecordKey, Record], read_at: float) -> None:
        super().update(requested, found, read_at)
        for key in requested:
            if key in found:
                self.absences.drop(key)
            elif self.drop_older(key, read_at):
                self.absences.put(key, None, read_at)


class ReaderCache:
    """Caches rows of the store. Safe between threads; `tick` returns the seconds of a monotonic clock.

    `generation` changes with every invalidation; results of reads that began in an earlier generation are not cached.
    `changes` rises with every change of the cache: while it is constant, lookups return the same.
    """

    def __init__(
        self,
        tick: Callable[[], float],
        *,
        prefix_limit: CacheLimit = PREFIX_LIMIT,
        record_limit: CacheLimit = RECORD_LIMIT,
    ) -> None:
        self.tick = tick
        self.generation = 0
        self.changes = 0
        self.prefixes: RowCache[str, Prefix] = (prefixes := _PrefixCache(prefix_limit))
        self.records: RowCache[RecordKey, Record] = (records := _RecordCache(record_limit))
        self.superseded: RowCache[tuple[str, str, int], Record] = RowCache(SUPERSEDED_LIMIT, inf, _record_bytes)
        self.public_keys: RowCache[None, PublicKeys] = RowCache(_KEYS_LIMIT, KEYS_TTL)
        # Without a limit of bytes: if the list were not cached, any request could cause another read.
        self.prefix_list: RowCache[None, Prefixes] = RowCache(CacheLimit(1, maxsize), LIST_TTL, lambda *_: 0)
        self._absences = records.absences
        self._absent_prefixes = prefixes.absences
        self._lock = Lock()

    def hits(self, rows: RowCache[Key, Value], keys: Iterable[Key]) -> list[CacheHit[Value] | None]:
        """Return the hit of each key in one kind of rows. Some hits may be of absences."""
        with self._lock:
            now = self.tick()
            return [rows.hit(key, now) for key in keys]

    def update(
        self,
        rows: RowCache[Key, Value],
        requested: Iterable[Key],
        found: Mapping[Key, Value],
        read_at: float,
        generation: int,
    ) -> None:
        """Cache what was found of the requested keys, and the absence of the others if their kind has such entries."""
        with self._lock:
            if generation == self.generation:
                self.changes += 1
                rows.update(requested, found, read_at)

    def clear(self) -> None:
        """Invalidate all entries and all reads in progress."""
        with self._lock:
            self.generation, self.changes = self.generation + 1, self.changes + 1
            kinds = self.prefixes, self.records, self.superseded, self.public_keys, self.prefix_list
            for rows in (*kinds, self._absent_prefixes, self._absences):
                rows.clear()

    def evict_record(self, repository: str, key: str) -> None:
        """Invalidate a record and its absence."""
        with self._lock:
            self.generation, self.changes = self.generation + 1, self.changes + 1
            self.records.drop((repository, key))
            self._absences.drop((repository, key))


class CachedLookup(Struct, frozen=True):
    """A lookup of a key in one kind of rows, and the number of its hit."""

    rows: RowCache[Any, Any]
    key: Hashable
    number: int


class Validity(Struct):
    """States that `lookups` hold since `changes` changes of `cache`, and are fresh before `until` (seconds)."""

    cache: ReaderCache
    lookups: Sequence[CachedLookup]
    until: float
    changes: int

    def size_in_memory(self) -> int:
        """Return about how many bytes it takes."""
        return _VALIDITY_BYTES + _LOOKUP_BYTES * len(self.lookups)

    def is_current(self) -> bool:
        """Return whether all lookups would return the same fresh entries now."""
        changes = self.cache.changes  # read first: the next call notices later changes
        if self.cache.tick() >= self.until:
            return False
        if changes != self.changes:
            for lookup in self.lookups:
                (hit,) = self.cache.hits(lookup.rows, (lookup.key,))
                if hit is None or hit.number != lookup.number:
                    return False
            self.changes = changes
        return True


def _record_bytes(key: tuple[str, str, *tuple[int, ...]], record: Record) -> int:
    """Return the size of a cached record with its key, as the reader stated it or measured here."""
    return _KEY_BYTES + getsizeof(key[0]) + getsizeof(key[1]) + (record.weight or size_in_memory(record))

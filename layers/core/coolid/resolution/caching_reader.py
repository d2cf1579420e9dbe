"""A reader with a cache: most requests cost one read or none, and cached rows bridge outages of the store.

`coolid.resolution.cache` states how long a row is fresh. When the store fails, a stale row may serve for another day.
Only readers of one request (`for_request`) use stale rows, because they report it:

- A stale record never implies an absence. A stale prefix row may imply that no longer prefix is registered, so the
  shorter one still resolves, but `CachingRequestReader` never refuses an identifier on that basis.
- For a while after a failure, the store is not read if stale or optional data suffices.
- Within one request, the store is not read after a failure, nor after waiting too long.
- Within one request, the absent name of a prefix is read once, and no longer name that begins with it.

A change is visible to other processes when their TTL expires, and here as soon as `clear` is called.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from coolid.errors import InvalidIdentifier, NotFound, StoreUnavailable
from coolid.model.prefixes import Prefix, parent
from coolid.model.records import Record
from coolid.resolution.cache import CachedLookup, CacheHit, PublicKeys, ReaderCache, RecordKey, RowCache, Validity
from coolid.resolution.request_budget import Budget
from coolid.store.prefixes import Prefixes
from coolid.store.reader import Reader

PAUSE_SECONDS: Final = 2.0
"""Seconds after a failure during which the store is not read if stale rows suffice."""
MAX_WAIT_SECONDS: Final = 0.7
"""Total seconds of waiting for the store after which one request begins no other read."""
MAX_VERSIONS_WAIT_SECONDS: Final = 5.0
"""The same for requests that search a history, which may take many reads."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class CachingReader:
    """Wraps a `Reader`; `tick` returns the seconds of a monotonic clock. Safe between threads."""

    def __init__(self, reader: Reader, tick: Callable[[], float], cache: ReaderCache | None = None) -> None:
        self.reader = reader
        self.tick = tick
        self.cache = cache or ReaderCache(tick)
        self.paused_until = float("-inf")

    def for_request(
        self, *, stale: bool = True, max_wait_seconds: float = MAX_WAIT_SECONDS, budget: Budget | None = None
    ) -> "CachingRequestReader":
        """Return a reader for one request, which may use stale rows if `stale` is true and the store fails.

        It does not read the store again after a failure, nor after waiting `max_wait_seconds` in total. Each key read
        from the store is charged to `budget`, which raises `LineNotTried` if too few are left. Cached rows are free.
        """
        return CachingRequestReader(self, takes_stale=stale, max_wait_seconds=max_wait_seconds, budget=budget)

    def clear(self) -> None:
        """Invalidate all cached rows and all reads in progress."""
        self.cache.clear()

    def evict_record(self, repository: str, key: str) -> None:
        """Invalidate this record."""
        self.cache.evict_record(repository, key)


class CachingRequestReader:
    """Reads for one request, in one thread. The methods of `Reader` bypass the cache if they are `consistent`.

    As a context manager, it turns a `NotFound` or `InvalidIdentifier` that depends on stale rows into
    `StoreUnavailable`. Code that catches those errors inside must check `staleness` instead, the most seconds by which
    a row that was used was stale; None if all were fresh.
    """

    def __init__(
        self, shared: CachingReader, *, takes_stale: bool, max_wait_seconds: float, budget: Budget | None = None
    ) -> None:
        self._shared = shared
        self._reader = shared.reader
        self._cache = shared.cache
        self._takes_stale = takes_stale
        self._max_wait = max_wait_seconds
        self._budget = budget
        self._absent: set[str] = set()
        self._failed = False
        self._waited_seconds = 0.0
        self._hits: list[tuple[RowCache[Any, Any], Hashable, CacheHit[Any]]] = []
        self._changes = shared.cache.changes
        self._started = shared.tick()
        self._has_read_store = False
        self.staleness: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.staleness is not None and isinstance(error, NotFound | InvalidIdentifier):
            raise StoreUnavailable("the cached data is too old to refuse a request") from error

    def validity(self) -> Validity | None:
        """Return the rows that an answer made so far depends on; None unless all were cached and fresh."""
        if self._has_read_store:
            return None
        lookups = [CachedLookup(rows, key, hit.number) for rows, key, hit in self._hits]
        overdue = max([hit.overdue_seconds for _, _, hit in self._hits], default=float("-inf"))
        return Validity(self._cache, lookups, self._started - overdue, self._changes)

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        requested = tuple(dict.fromkeys(names))
        if self._absent and not consistent:
            requested = tuple(name for name in requested if not self._is_absent(name))

        def read(missing: Sequence[str]) -> Mapping[str, Prefix]:
            found = self._reader.prefixes(missing, consistent=consistent)
            self._absent.update(name for name in missing if name not in found)
            return found

        return self._gather(self._cache.prefixes, requested, read, consistent=consistent)

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        record_key = repository, key

        def read(_: Sequence[RecordKey]) -> Mapping[RecordKey, Record]:
            record = self._reader.record(repository, key, consistent=consistent)
            return {record_key: record} if record else {}

        return self._gather(self._cache.records, (record_key,), read, consistent=consistent).get(record_key)

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:

        def read(record_keys: Sequence[RecordKey]) -> Mapping[RecordKey, Record]:
            found = self._reader.records(repository, [key for _, key in record_keys])
            return {(repository, key): record for key, record in found.items()}

        found = self._gather(self._cache.records, [(repository, key) for key in dict.fromkeys(keys)], read)
        return {key: record for (_, key), record in found.items()}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """See `Reader`; cached without end, because it never changes."""
        version_key = repository, key, version

        def read(_: object) -> Mapping[tuple[str, str, int], Record]:
            record = self._reader.superseded(*version_key)
            return {version_key: record} if record else {}

        return self._gather(self._cache.superseded, (version_key,), read).get(version_key)

    def history(self, repository: str, key: str, newest: int) -> Sequence[Record]:
        """See `Reader`; never cached, because it may be long and is rarely requested."""
        self._has_read_store = True

        def read(_: object) -> Mapping[None, Sequence[Record]]:
            return {None: self._reader.history(repository, key, newest)}

        return self._read_store((None,), read, self._shared.tick(), is_dispensable=self._takes_stale)[None]

    def superseded_between(
        self, repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        """See `Reader`; never cached, like `history`."""
        self._has_read_store = True

        def read(_: object) -> Mapping[None, Sequence[Record]]:
            found = self._reader.superseded_between(repository, key, first, last, limit, descending=descending)
            return {None: found}

        return self._read_store((None,), read, self._shared.tick(), is_dispensable=False)[None]

    def all_prefixes(self) -> Prefixes:
        """See `Reader`; the same object while it is cached."""
        return self._gather(self._cache.prefix_list, (None,), lambda _: {None: self._reader.all_prefixes()})[None]

    def public_keys(self) -> PublicKeys:
        """See `Reader`; cached unless there are none."""

        def read(_: object) -> Mapping[None, PublicKeys]:
            keys = self._reader.public_keys()
            return {None: keys} if keys else {}

        return self._gather(self._cache.public_keys, (None,), read).get(None, ())

    def _is_absent(self, name: str) -> bool:
        """Return whether this request read that the name or a shorter one is absent."""
        shorter: str | None = name
        while shorter:
            if shorter in self._absent:
                return True
            shorter = parent(shorter)
        return False

    def _gather(
        self,
        rows: RowCache[Key, Value],
        keys: Sequence[Key],
        read: Callable[[Sequence[Key]], Mapping[Key, Value]],
        *,
        consistent: bool = False,
    ) -> Mapping[Key, Value]:
        """Return the fresh hits, and the other keys' values from the store, or their stale hits if it fails."""
        if consistent:
            return self._read_missing(rows, keys, {}, read) if keys else {}
        gathered: dict[Key, Value] = {}
        overdue: dict[Key, CacheHit[Value]] = {}
        requested = []
        for key, hit in zip(keys, self._cache.hits(rows, keys), strict=True):
            if hit is None:
                requested.append(key)
            elif hit.overdue_seconds >= 0:
                requested.append(key)
                overdue[key] = hit
            else:
                self._hits.append((rows, key, hit))
                if hit.value is not None:
                    gathered[key] = hit.value
        if not requested:
            return gathered
        found = self._read_missing(rows, requested, overdue, read)
        return {**gathered, **found} if gathered else found

    def _read_missing(
        self,
        rows: RowCache[Key, Value],
        requested: Sequence[Key],
        overdue: Mapping[Key, CacheHit[Value]],
        read: Callable[[Sequence[Key]], Mapping[Key, Value]],
    ) -> Mapping[Key, Value]:
        """Read from the store and cache the result; return the stale hits if it fails and they are complete."""
        self._has_read_store = True
        started, generation = self._shared.tick(), self._cache.generation
        has_fallback = self._takes_stale and len(overdue) == len(requested)
        try:
            found = self._read_store(requested, read, started, is_dispensable=has_fallback)
        except StoreUnavailable:
            if not has_fallback:
                raise
        else:
            self._cache.update(rows, requested, found, started, generation)
            return found
        self.staleness = max(self.staleness or 0.0, *(hit.overdue_seconds for hit in overdue.values()))
        return {key: hit.value for key, hit in overdue.items() if hit.value is not None}

    def _read_store(
        self,
        requested: Sequence[Key],
        read: Callable[[Sequence[Key]], Mapping[Key, Value]],
        started: float,
        *,
        is_dispensable: bool,
    ) -> Mapping[Key, Value]:
        """Read from the store, unless it failed or was slow in this request, or recently if it is dispensable."""
        shared = self._shared
        if self._failed or self._waited_seconds >= self._max_wait or (is_dispensable and started < shared.paused_until):
            raise StoreUnavailable("the store failed or was slow a moment ago")
        if self._budget is not None:
            self._budget.charge(len(requested))
        try:
            return read(requested)
        except StoreUnavailable:
            self._failed = True
            shared.paused_until = shared.tick() + PAUSE_SECONDS
            raise
        finally:
            self._waited_seconds += shared.tick() - started

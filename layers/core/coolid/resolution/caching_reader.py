"""A reader that remembers: most requests cost one read or none, and an outage of the store is bridged.

What was read is believed for a while (`coolid.resolution.cache` says how long). When the store fails, what has
outlived its time serves for another day, but only requests with a reader of their own (`for_request`), because they can tell that it was so:

- that something is absent is never told from a record that is overdue; a prefix's row that is overdue may imply that no
  longer prefix is registered, so that the shorter one still resolves, but a refusal is never built on that (`CachingRequestReader`);
- for a while after a failure the store is not asked for what stale memory can tell, nor for what only adorns;
- within one watch, nothing is asked after a failure, nor once the store has taken its time;
- within one watch, the name of a prefix that is not in the store is read once, and no longer name behind it at all.

A change becomes visible to others when its time has come, and at once where `clear` is told of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar

from coolid.errors import InvalidIdentifier, NotFound, StoreUnavailable
from coolid.model.prefixes import Prefix, parent
from coolid.model.records import Record
from coolid.resolution.cache import ALL, KEYS, CacheHit, PublicKeys, ReaderCache, RecordKey, VersionKey
from coolid.resolution.request_budget import Budget
from coolid.resolution.validity import CachedLookup, Validity
from coolid.store.reader import Prefixes, Reader

PAUSE_SECONDS: Final = 2.0
"""Seconds after a failure during which the store is not asked for what stale memory can tell."""
MAX_WAIT_SECONDS: Final = 0.7
"""Seconds of waiting for the store, failures or not, after which one watch does not begin another read."""

Key = TypeVar("Key")
Thing = TypeVar("Thing")


class CachingReader:
    """Wraps a `Reader`; `tick` gives seconds of a clock that only moves forward. Safe between threads."""

    def __init__(self, reader: Reader, tick: Callable[[], float], memory: ReaderCache | None = None) -> None:
        self.reader = reader
        self.tick = tick
        self.memory = memory or ReaderCache(tick)
        self.paused_until = float("-inf")

    def for_request(
        self, *, stale: bool = True, patience: float = MAX_WAIT_SECONDS, budget: Budget | None = None
    ) -> "CachingRequestReader":
        """As of `coolid.resolution.request_reader.RequestReaderFactory`."""
        return CachingRequestReader(self, takes_stale=stale, patience=patience, budget=budget)

    def clear(self) -> None:
        """Remember nothing from before now, not even what is being read at this moment."""
        self.memory.clear()

    def evict_record(self, repository: str, key: str) -> None:
        """Remember nothing of this record from before now."""
        self.memory.evict_record(repository, key)


class CachingRequestReader:
    """Implements `coolid.resolution.request_reader.CachingRequestReader`: one request's view of what is remembered, for one thread."""

    def __init__(
        self, whole: CachingReader, *, takes_stale: bool, patience: float, budget: Budget | None = None
    ) -> None:
        self._whole = whole
        self._reader = whole.reader
        self._memory = whole.memory
        self._takes_stale = takes_stale
        self._patience = patience
        self._budget = budget
        self._absent: set[str] = set()
        self._failed = False
        self._waited = 0.0
        self._told: list[CachedLookup] = []
        self._until = float("inf")
        self._changes = whole.memory.changes
        self._begun = whole.tick()
        self._has_asked = False
        self.staleness: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.staleness is not None and isinstance(error, NotFound | InvalidIdentifier):
            raise StoreUnavailable("what is remembered is too old to refuse anything on") from error

    def validity(self) -> Validity | None:
        """As of `coolid.resolution.request_reader.CachingRequestReader`."""
        return None if self._has_asked else Validity(self._memory, self._told, self._until, self._changes)

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """As of `Reader`; `consistent` asks past the memory."""
        memory, asked = self._memory, tuple(dict.fromkeys(names))
        if self._absent and not consistent:
            asked = tuple(name for name in asked if not self._is_absent(name))
        walk = None if consistent else memory.prefixes(asked)
        if walk is not None:
            self._rest_on(CachedLookup(memory.prefixes, asked, walk.number), walk.overdue)
            return walk.rows
        told = (None,) * len(asked) if consistent else map(memory.prefix, asked)

        def read(missing: Sequence[str]) -> Mapping[str, Prefix]:
            found = self._reader.prefixes(missing, consistent=consistent)
            self._absent.update(name for name in missing if name not in found)
            return found

        return self._gather(asked, told, memory.prefix, read, memory.put_prefixes)

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """As of `Reader`; `consistent` asks past the memory."""
        place = repository, key

        def read(_: Sequence[RecordKey]) -> Mapping[RecordKey, Record]:
            record = self._reader.record(repository, key, consistent=consistent)
            return {place: record} if record else {}

        recall = self._memory.record
        told = None if consistent else recall(place)
        return self._gather((place,), (told,), recall, read, self._memory.put_records).get(place)

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """As of `Reader`."""

        def read(places: Sequence[RecordKey]) -> Mapping[RecordKey, Record]:
            found = self._reader.records(repository, [key for _, key in places])
            return {(repository, key): record for key, record in found.items()}

        recall = self._memory.record
        places = [(repository, key) for key in dict.fromkeys(keys)]
        found = self._gather(places, map(recall, places), recall, read, self._memory.put_records)
        return {key: record for (_, key), record in found.items()}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """As of `Reader`; remembered without end, for it never changes."""
        edition = repository, key, version

        def read(_: Sequence[VersionKey]) -> Mapping[VersionKey, Record]:
            record = self._reader.superseded(*edition)
            return {edition: record} if record else {}

        recall = self._memory.superseded
        return self._gather((edition,), (recall(edition),), recall, read, self._memory.put_superseded).get(edition)

    def history(self, repository: str, key: str, newest: int | None = None) -> Sequence[Record]:
        """As of `Reader`; never remembered, for it can be long, and few ask for it."""
        self._has_asked = True
        place = repository, key

        def read(_: Sequence[RecordKey]) -> Mapping[RecordKey, Sequence[Record]]:
            return {place: self._reader.history(repository, key, newest)}

        spare = self._takes_stale and newest is not None
        return self._ask((place,), read, self._whole.tick(), spare=spare)[place]

    def all_prefixes(self) -> Prefixes:
        """As of `Reader`; the very same for as long as it is remembered."""

        def read(lists: Sequence[str]) -> Mapping[str, Prefixes]:
            return dict.fromkeys(lists, self._reader.all_prefixes())

        recall = self._memory.prefix_list
        return self._gather((ALL,), (recall(ALL),), recall, read, self._memory.put_prefix_list)[ALL]

    def public_keys(self) -> PublicKeys:
        """As of `Reader`."""

        def read(lists: Sequence[str]) -> Mapping[str, PublicKeys]:
            return dict.fromkeys(lists, self._reader.public_keys())

        recall = self._memory.public_keys
        return self._gather((KEYS,), (recall(KEYS),), recall, read, self._memory.put_public_keys)[KEYS]

    def _is_absent(self, name: str) -> bool:
        """Whether this watch read that there is no such name, or none that it could stand behind."""
        shorter: str | None = name
        while shorter:
            if shorter in self._absent:
                return True
            shorter = parent(shorter)
        return False

    def _gather(
        self,
        keys: Sequence[Key],
        told: Iterable[CacheHit[Thing] | None],
        recall: Callable[[Key], CacheHit[Thing] | None],
        read: Callable[[Sequence[Key]], Mapping[Key, Thing]],
        keep: Callable[[Sequence[Key], Mapping[Key, Thing], float, int], None],
    ) -> Mapping[Key, Thing]:
        """What memory told freshly of each of the keys, and the store of the rest, which is kept.

        Where the store fails, what memory told of the rest, too. `recall` is how memory was asked, and can be again.
        """
        gathered: dict[Key, Thing] = {}
        overdue: dict[Key, CacheHit[Thing]] = {}
        asked = []
        for key, known in zip(keys, told, strict=True):
            if known is None or known.overdue >= 0:
                asked.append(key)
                if known is not None:
                    overdue[key] = known
                continue
            self._rest_on(CachedLookup(recall, key, known.number), known.overdue)
            if known.value is not None:
                gathered[key] = known.value
        return gathered | self._asked(asked, overdue, read, keep) if asked else gathered

    def _rest_on(self, question: CachedLookup, overdue: float) -> None:
        """Note what memory was asked and told freshly."""
        self._told.append(question)
        self._until = min(self._until, self._begun - overdue)

    def _asked(
        self,
        asked: Sequence[Key],
        overdue: Mapping[Key, CacheHit[Thing]],
        read: Callable[[Sequence[Key]], Mapping[Key, Thing]],
        keep: Callable[[Sequence[Key], Mapping[Key, Thing], float, int], None],
    ) -> dict[Key, Thing]:
        """What the store says, which is kept; where it fails, what memory told, if that was of all of them."""
        self._has_asked = True
        begun, generation = self._whole.tick(), self._memory.generation
        spare = self._takes_stale and len(overdue) == len(asked)
        try:
            found = self._ask(asked, read, begun, spare=spare)
        except StoreUnavailable:
            if not spare:
                raise
        else:
            keep(asked, found, begun, generation)
            return dict(found)
        self.staleness = max(self.staleness or 0.0, *(known.overdue for known in overdue.values()))
        return {key: known.value for key, known in overdue.items() if known.value is not None}

    def _ask(
        self,
        asked: Sequence[Key],
        read: Callable[[Sequence[Key]], Mapping[Key, Thing]],
        begun: float,
        *,
        spare: bool,
    ) -> Mapping[Key, Thing]:
        """Ask the store, unless that has become pointless; `spare` says that there is an answer without it as well."""
        whole = self._whole
        if self._failed or self._waited >= self._patience or (spare and begun < whole.paused_until):
            raise StoreUnavailable("the store failed or dawdled a moment ago")
        if self._budget is not None:
            self._budget.charge(len(asked))
        try:
            return read(asked)
        except StoreUnavailable:
            self._failed = True
            whole.paused_until = whole.tick() + PAUSE_SECONDS
            raise
        finally:
            self._waited += whole.tick() - begun

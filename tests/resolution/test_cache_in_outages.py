"""The cache in outages, with any writes, failures and times: it returns nothing that it must not return.

The model contains the store's content at every moment, and each response is compared with it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace

from coolid.errors import StoreUnavailable
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.records import Record
from coolid.resolution.cache import (
    ABSENCE_TTL,
    KEYS_TTL,
    MAX_STALE_SECONDS,
    PREFIX_TTL,
    RECORD_TTL,
    CacheLimit,
    ReaderCache,
)
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.samples import provider_prefix, record
from tests.support.effort import examples

OWNER = "r4k2-9m3x-62"
BEGINNING = 1024.0
HAIR = 1e-6  # what floating point may lose between a time and the times that add up to it

keys = st.sampled_from(["k0", "k1", "k2", "k3", "k4"])
names = st.sampled_from(["a", "b", "c", "d", "e"])
steps = st.sampled_from(
    [0.5, 1.0, 2.0, ABSENCE_TTL, RECORD_TTL, PREFIX_TTL, 3600.0, MAX_STALE_SECONDS / 2, MAX_STALE_SECONDS]
)


T = TypeVar("T")


class History:
    """What a store held under each name at every moment; a reader of it that works or fails."""

    def __init__(self) -> None:
        self.now = BEGINNING
        self.works = True
        self.slow = 0.0
        self.held: dict[Any, list[tuple[float, Any]]] = defaultdict(lambda: [(0.0, None)])

    def write(self, name: Any, value: Any) -> None:
        self.held[name].append((self.now, value))

    def newest(self, name: Any) -> Any:
        return self.held[name][-1][1]

    def was_held(self, name: Any, value: Any, since: float, until: float) -> bool:
        """Whether the name had this value at some moment between the two, both included."""
        changes = self.held[name]
        ends = [moment for moment, _ in changes[1:]] + [self.now + 1]
        return any(
            each == value and begins <= until + HAIR and end >= since - HAIR
            for (begins, each), end in zip(changes, ends, strict=True)
        )

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        return self._answer({name: self.newest(name) for name in names if self.newest(name)})

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        newest: Record | None = self.newest((repository, key))
        return self._answer(newest)

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        return self._answer({key: found for key in keys if (found := self.newest((repository, key)))})

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        past = [each for _, each in self.held[repository, key][:-1] if each and each.version == version]
        return self._answer(past[0] if past else None)

    def history(self, repository: str, key: str, newest: int | None = None) -> Sequence[Record]:
        return self._answer([each for _, each in reversed(self.held[repository, key]) if each][:newest])

    def superseded_between(
        self, repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        past = {each.version: each for _, each in self.held[repository, key][:-1] if each}
        numbers = sorted((each for each in past if first <= each <= last), reverse=descending)
        return self._answer([past[each] for each in numbers[:limit]])

    def all_prefixes(self) -> Sequence[Namespace | ProviderPrefix]:
        return self._answer(())

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        return self._answer(self.newest("public keys") or ())

    def _answer(self, answer: T) -> T:
        self.now += self.slow
        if not self.works:
            raise StoreUnavailable("the store did not answer")
        return answer


class Remembering(RuleBasedStateMachine):
    """Writes, failures and questions in any order."""

    RECORDS, PREFIXES = CacheLimit(3, 100_000), CacheLimit(3, 100_000)

    def __init__(self) -> None:
        super().__init__()
        self.store = History()
        memory = ReaderCache(self.tick, prefix_limit=self.PREFIXES, record_limit=self.RECORDS)
        self.remembering = CachingReader(self.store, self.tick, memory)

    def tick(self) -> float:
        return self.store.now

    @rule(step=steps)
    def let_time_go_by(self, step: float) -> None:
        self.store.now += step

    @rule(works=st.booleans(), slow=st.sampled_from([0.0, 0.5]))
    def change_the_weather(self, works: bool, slow: float) -> None:
        self.store.works, self.store.slow = works, slow

    @rule(key=keys, tell=st.booleans())
    def write_a_record(self, key: str, tell: bool) -> None:
        present = self.store.newest((OWNER, key))
        version = present.version + 1 if present else 1
        self.store.write((OWNER, key), replace(record(), version=version))
        if tell:
            self.remembering.evict_record(OWNER, key)
            self._judge_record(key, self.store.now)

    @rule(name=names)
    def write_a_prefix(self, name: str) -> None:
        present = self.store.newest(name)
        self.store.write(name, provider_prefix(name, revision=present.revision + 1 if present else 1))

    @rule()
    def add_a_public_key(self) -> None:
        present = self.store.newest("public keys") or ()
        self.store.write("public keys", (*present, {"kid": str(len(present))}))

    @rule()
    def forget(self) -> None:
        self.remembering.clear()

    @rule(key=keys)
    def ask_for_a_record(self, key: str) -> None:
        self._judge_record(key, 0.0)

    @rule(requested=st.lists(keys, min_size=1, unique=True))
    def ask_for_records(self, requested: list[str]) -> None:
        watch = self.remembering.for_request()
        begun = self.store.now
        try:
            found = watch.records(OWNER, requested)
        except StoreUnavailable:
            assert not self.store.works
            return
        for key in requested:
            self._judge((OWNER, key), found.get(key), begun, watch.staleness, ttl=RECORD_TTL, absence=ABSENCE_TTL)

    @rule(requested=st.lists(names, min_size=1, unique=True))
    def ask_for_prefixes(self, requested: list[str]) -> None:
        watch = self.remembering.for_request()
        begun = self.store.now
        try:
            found = watch.prefixes(requested)
        except StoreUnavailable:
            assert not self.store.works
            return
        for name in requested:
            self._judge(name, found.get(name), begun, watch.staleness, ttl=PREFIX_TTL)

    @rule()
    def ask_for_the_public_keys(self) -> None:
        watch = self.remembering.for_request()
        begun = self.store.now
        try:
            found = watch.public_keys()
        except StoreUnavailable:
            assert not self.store.works
            return
        self._judge("public keys", found or None, begun, watch.staleness, ttl=KEYS_TTL)

    @rule(key=keys, version=st.integers(1, 3))
    def ask_for_a_version_that_is_past(self, key: str, version: int) -> None:
        try:
            found = self.remembering.for_request().superseded(OWNER, key, version)
        except StoreUnavailable:
            assert not self.store.works
            return
        present = self.store.newest((OWNER, key))
        is_past = present is not None and version < present.version
        assert (found is not None and found.version == version) if is_past else found is None

    @rule(key=keys)
    def ask_for_nothing_stale(self, key: str) -> None:
        begun = self.store.now
        try:
            found = self.remembering.for_request(stale=False).record(OWNER, key)
        except StoreUnavailable:
            assert not self.store.works
            return
        self._judge((OWNER, key), found, begun, None, ttl=RECORD_TTL, absence=ABSENCE_TTL)

    @invariant()
    def memory_stays_within_its_bounds(self) -> None:
        memory = self.remembering.cache
        for shelf, room in ((memory.records, self.RECORDS), (memory.prefixes, self.PREFIXES)):
            assert len(shelf) <= room.entries
            assert shelf.size_bytes <= room.size_bytes

    def _judge_record(self, key: str, earliest: float) -> None:
        watch = self.remembering.for_request()
        begun = self.store.now
        try:
            found = watch.record(OWNER, key)
        except StoreUnavailable:
            assert not self.store.works
            return
        self._judge((OWNER, key), found, begun, watch.staleness, ttl=RECORD_TTL, absence=ABSENCE_TTL, earliest=earliest)

    def _judge(
        self,
        name: Any,
        answer: Any,
        begun: float,
        staleness: float | None,
        *,
        ttl: float,
        absence: float = 0.0,
        earliest: float = 0.0,
    ) -> None:
        """The store held this answer not long ago: within its time, or within what `staleness` says and a day."""
        if answer is None:
            oldest = begun - absence
        elif staleness is None:
            oldest = begun - ttl
        else:
            assert not self.store.works or self.remembering.paused_until > begun, "stale without need"
            assert ttl + staleness <= MAX_STALE_SECONDS + HAIR
            oldest = begun - ttl - staleness
        assert self.store.was_held(name, answer, max(oldest, earliest), self.store.now), (name, answer, staleness)


TestRemembering = Remembering.TestCase
TestRemembering.settings = examples(200, stateful_step_count=40)

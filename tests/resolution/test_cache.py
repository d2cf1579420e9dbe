"""The reader cache: rows are read once, used for a while, evicted on changes, and used in outages."""

from collections.abc import Callable, Mapping, Sequence
from threading import Barrier, Thread
from types import MappingProxyType
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import (
    InvalidIdentifier,
    LineNotTried,
    NotFound,
    StoreUnavailable,
    UnknownPrefix,
    UnknownProvider,
    UnregisteredIdentifier,
)
from coolid.model.prefixes import MAX_LISTED, Namespace, Prefix, ProviderPrefix
from coolid.model.records import Record
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import parse_reference
from coolid.resolution.cache import (
    ABSENCE_TTL,
    KEYS_TTL,
    LIST_TTL,
    MAX_STALE_SECONDS,
    PREFIX_TTL,
    RECORD_TTL,
    BoundedCache,
    CacheLimit,
    ReaderCache,
)
from coolid.resolution.caching_reader import (
    MAX_WAIT_SECONDS,
    PAUSE_SECONDS,
    CachingReader,
    CachingRequestReader,
)
from coolid.resolution.request_budget import Budget
from coolid.resolution.resolver import resolve
from coolid.store.memory_size import size_in_memory
from tests.support.builders.samples import names, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock, FixedProcessorClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

OWNER, KEY = "r4k2-9m3x-62", "tw0tywdj94"
PUBLIC_KEY = {"kty": "EC", "kid": "one"}


T = TypeVar("T")


class Watched:
    """Notes what the store behind is asked for, and can do something while it is asked, such as failing."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.requested: list[tuple[str, ...]] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        return self._note(tuple(names), self.store.prefixes(names, consistent=consistent))

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        return self._note((key,), self.store.record(repository, key, consistent=consistent))

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        return self._note(tuple(keys), self.store.records(repository, keys))

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        return self._note((key, str(version)), self.store.superseded(repository, key, version))

    def history(self, repository: str, key: str, newest: int) -> Sequence[Record]:
        return self._note((key, "newest"), self.store.history(repository, key, newest))

    def superseded_between(
        self, repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        found = self.store.superseded_between(repository, key, first, last, limit, descending=descending)
        return self._note((key, f"{first} to {last}"), found)

    def all_prefixes(self) -> Sequence[Namespace | ProviderPrefix]:
        return self._note(("all",), self.store.all_prefixes())

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        return self._note(("keys",), self.store.public_keys())

    def fail(self) -> None:
        """Fail from now on."""

        def refuse() -> None:
            raise StoreUnavailable("the store did not answer")

        self.meanwhile = refuse

    def recover(self) -> None:
        """Work from now on."""
        self.meanwhile = lambda: None

    def _note(self, requested: tuple[str, ...], answer: T) -> T:
        self.requested.append(requested)
        self.meanwhile()
        return answer


class Ticks:
    """Seconds that go by only when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def watched(store: MemoryStore) -> Watched:
    for name in ("go", "2021/06/mp/calculations"):
        store.put_prefix(provider_prefix(name, "https://x.example/{$id}"), None)
    store.create_repository(repository())
    store.put_prefix(namespace("2021/06/mp"), None)
    return Watched(store)


@pytest.fixture
def remembering(watched: Watched, ticks: Ticks) -> CachingReader:
    return CachingReader(watched, ticks)


def changed(watched: Watched) -> Record:
    """The next version of the record, written behind the memory's back."""
    present = watched.store.records_by_key[OWNER, KEY]
    following = replace(present, version=present.version + 1)
    watched.store.replace_record(following, present)
    return following


def crowded(watched: Watched) -> None:
    """Register the prefix `mp`, whose row cannot list all longer names."""
    for name in ("mp", *(f"mp/a{number:03}" for number in range(MAX_LISTED + 1))):
        watched.store.put_prefix(provider_prefix(name, "https://x.example/{$id}"), None)


class TestPrefixes:
    def test_a_prefix_is_read_once(self, remembering: CachingReader, watched: Watched) -> None:
        for _ in range(3):
            assert remembering.for_request(stale=False).prefixes(["go"]) == {"go": watched.store.rows["go"]}
        assert watched.requested == [("go",)]

    def test_a_second_identifier_of_a_prefix_costs_no_question(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        find_prefix(parse_reference("go:0006915"), remembering.for_request(stale=False))
        find_prefix(parse_reference("2021/06/mp/a"), remembering.for_request(stale=False))
        watched.requested.clear()
        for path in ("go:1", "GO/2", "2021/06/mp/b", "2021/06/mp/b/c:d"):
            find_prefix(parse_reference(path), remembering.for_request(stale=False))
        with pytest.raises(UnknownPrefix):
            find_prefix(parse_reference("2021/06/other/x"), remembering.for_request(stale=False))
        assert watched.requested == []

    def test_a_listed_longer_name_is_read(self, remembering: CachingReader, watched: Watched) -> None:
        find_prefix(parse_reference("2021/06/mp/a"), remembering.for_request(stale=False))
        watched.requested.clear()
        assert (
            find_prefix(parse_reference("2021/06/mp/calculations/x"), remembering.for_request(stale=False)).prefix.name
            == "2021/06/mp/calculations"
        )
        assert watched.requested == [("2021/06/mp/calculations", "2021/06/mp/calculations/x")]

    def test_a_name_that_a_full_row_does_not_list_is_read(self, remembering: CachingReader, watched: Watched) -> None:
        names = [f"2022/a{number:03}" for number in range(MAX_LISTED + 1)]
        for name in names:
            watched.store.put_prefix(provider_prefix(name, "https://x.example/{$id}"), None)
        find_prefix(parse_reference(f"{names[0]}/x"), remembering.for_request(stale=False))
        watched.requested.clear()
        assert find_prefix(parse_reference(f"{names[-1]}/x"), remembering.for_request(stale=False)).name == names[-1]
        find_prefix(parse_reference(f"{names[0]}/y"), remembering.for_request(stale=False))
        assert watched.requested == [(names[-1], f"{names[-1]}/x")]

    def test_an_identifier_below_a_full_row_is_looked_up_once(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        crowded(watched)
        for _ in range(2):
            assert find_prefix(parse_reference("mp/x5"), remembering.for_request()).name == "mp"
        assert watched.requested == [("mp", "mp/x5")]
        ticks.now += PREFIX_TTL + 100
        watched.fail()
        with remembering.for_request() as watch:
            assert find_prefix(parse_reference("mp/x5"), watch).name == "mp"
        assert watch.staleness == 100

    def test_a_new_name_below_a_full_row_is_seen_as_soon_as_below_others(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        crowded(watched)
        find_prefix(parse_reference("mp/new/x5"), remembering.for_request())
        watched.store.put_prefix(provider_prefix("mp/new", "https://x.example/{$id}"), None)
        ticks.now += PREFIX_TTL
        assert find_prefix(parse_reference("mp/new/x5"), remembering.for_request()).name == "mp/new"
        assert find_prefix(parse_reference("mp/new/x6"), remembering.for_request()).name == "mp/new"

    def test_an_eviction_includes_the_absences_below_full_rows(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        crowded(watched)
        find_prefix(parse_reference("mp/new/x5"), remembering.for_request())
        watched.store.put_prefix(provider_prefix("mp/new", "https://x.example/{$id}"), None)
        remembering.clear()
        assert find_prefix(parse_reference("mp/new/x5"), remembering.for_request()).name == "mp/new"

    def test_only_uncached_names_are_read(self, remembering: CachingReader, watched: Watched) -> None:
        remembering.for_request(stale=False).prefixes(["go"])
        remembering.for_request(stale=False).prefixes(["go", "2021", "absent"])
        assert watched.requested == [("go",), ("2021", "absent")]

    def test_absent_names_are_not_cached(self, remembering: CachingReader, watched: Watched) -> None:
        assert remembering.for_request(stale=False).prefixes(["absent"]) == {}
        watched.store.put_prefix(provider_prefix("absent"), None)
        assert remembering.for_request(stale=False).prefixes(["absent"]).keys() == {"absent"}

    def test_a_change_is_seen_when_its_time_has_come_and_not_before(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        remembering.for_request(stale=False).prefixes(["go"])
        changed = provider_prefix("go", "https://new.example/{$id}", revision=2)
        watched.store.put_prefix(changed, watched.store.rows["go"])
        ticks.now += PREFIX_TTL - 0.1
        assert remembering.for_request(stale=False).prefixes(["go"]) != {"go": changed}
        ticks.now += 0.1
        assert remembering.for_request(stale=False).prefixes(["go"]) == {"go": changed}

    def test_a_change_is_visible_at_once_after_an_eviction(self, remembering: CachingReader, watched: Watched) -> None:
        remembering.for_request(stale=False).prefixes(["go"])
        changed = provider_prefix("go", "https://new.example/{$id}", revision=2)
        watched.store.put_prefix(changed, watched.store.rows["go"])
        remembering.clear()
        assert remembering.for_request(stale=False).prefixes(["go"]) == {"go": changed}

    def test_a_read_that_overlaps_an_eviction_is_not_cached(self, remembering: CachingReader, watched: Watched) -> None:
        def change() -> None:
            watched.recover()
            watched.store.put_prefix(provider_prefix("go", revision=2), watched.store.rows["go"])
            remembering.clear()

        watched.meanwhile = change
        remembering.for_request(stale=False).prefixes(["go"])
        assert remembering.for_request(stale=False).prefixes(["go"]) == {"go": watched.store.rows["go"]}

    def test_consistent_reads_bypass_the_cache(self, remembering: CachingReader, watched: Watched) -> None:
        remembering.for_request(stale=False).prefixes(["go"])
        changed = provider_prefix("go", revision=2)
        watched.store.put_prefix(changed, watched.store.rows["go"])
        assert remembering.for_request(stale=False).prefixes(["go"], consistent=True) == {"go": changed}

    def test_cached_rows_are_used_if_the_store_does_not_answer(self, watched: Watched, ticks: Ticks) -> None:
        failing = FailingStore(watched.store, "before", "prefixes", times=0)
        remembering = CachingReader(failing, ticks)
        remembering.for_request(stale=False).prefixes(["go"])
        failing._times = 10
        assert remembering.for_request(stale=False).prefixes(["go"]).keys() == {"go"}
        with pytest.raises(StoreUnavailable):
            remembering.for_request(stale=False).prefixes(["go", "2021"])

    def test_a_failure_is_not_cached_as_an_absence(self, watched: Watched, ticks: Ticks) -> None:
        remembering = CachingReader(FailingStore(watched.store, "before", "prefixes", times=1), ticks)
        with pytest.raises(StoreUnavailable):
            remembering.for_request(stale=False).prefixes(["go"])
        assert remembering.for_request(stale=False).prefixes(["go"]).keys() == {"go"}

    def test_the_oldest_go_when_there_are_too_many(self, watched: Watched, ticks: Ticks) -> None:
        remembering = CachingReader(watched, ticks, ReaderCache(ticks, prefix_limit=CacheLimit(3, 1 << 20)))
        for number in range(5):
            watched.store.put_prefix(provider_prefix(f"p{number}"), None)
            remembering.for_request(stale=False).prefixes([f"p{number}"])
        watched.requested.clear()
        for number in (4, 3, 2):
            remembering.for_request(stale=False).prefixes([f"p{number}"])
        assert watched.requested == []
        remembering.for_request(stale=False).prefixes(["p0"])
        assert watched.requested == [("p0",)]

    @given(st.lists(names, max_size=12), st.lists(names, min_size=1, max_size=12))
    def test_memory_never_changes_what_is_found(self, registered: list[str], requested: list[str]) -> None:
        store = MemoryStore()
        for name in dict.fromkeys(registered):
            store.put_prefix(provider_prefix(name, "https://x.example/{$id}"), None)
        remembering = CachingReader(store, Ticks())
        for name in (*requested, *registered):
            path = f"{name}/x"
            assert found(path, remembering.for_request(stale=False)) == found(path, store)


def found(path: str, reader: Any) -> Any:
    try:
        return find_prefix(parse_reference(path), reader)
    except (InvalidIdentifier, UnknownPrefix, UnknownProvider) as error:  # the first of what begins like a LinkID
        return type(error), str(error)


class TestRecords:
    @pytest.fixture(autouse=True)
    def _minted(self, watched: Watched) -> None:
        watched.store.create_record(record())

    def test_a_record_is_read_once(self, remembering: CachingReader, watched: Watched) -> None:
        for _ in range(3):
            assert remembering.for_request(stale=False).record(OWNER, KEY) == record()
            assert remembering.for_request(stale=False).records(OWNER, [KEY]) == {KEY: record()}
        assert watched.requested == [(KEY,)]

    def test_a_record_from_a_batch_is_not_read_again(self, remembering: CachingReader, watched: Watched) -> None:
        assert remembering.for_request(stale=False).records(OWNER, [KEY, "absent"]) == {KEY: record()}
        assert remembering.for_request(stale=False).record(OWNER, KEY) == record()
        assert remembering.for_request(stale=False).record(OWNER, "absent") is None
        remembering.for_request(stale=False).records(OWNER, [KEY, "absent", "other"])
        assert watched.requested == [(KEY, "absent"), ("other",)]

    def test_a_change_is_seen_when_its_time_has_come_and_not_before(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        remembering.for_request(stale=False).record(OWNER, KEY)
        newer = changed(watched)
        ticks.now += RECORD_TTL - 0.1
        assert remembering.for_request(stale=False).record(OWNER, KEY) == record()
        ticks.now += 0.1
        assert remembering.for_request(stale=False).record(OWNER, KEY) == newer

    def test_its_time_runs_from_when_the_reading_began(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        def take_long() -> None:
            ticks.now += 2
            changed(watched)

        watched.meanwhile = take_long
        assert remembering.for_request(stale=False).record(OWNER, KEY) == record()
        watched.recover()
        ticks.now += RECORD_TTL - 2
        assert remembering.for_request(stale=False).record(OWNER, KEY) != record()

    def test_a_new_record_is_visible_soon_after_an_early_request(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        assert remembering.for_request(stale=False).record(OWNER, "early") is None
        watched.store.create_record(replace(record(), key="early"))
        ticks.now += ABSENCE_TTL - 0.1
        assert remembering.for_request(stale=False).record(OWNER, "early") is None
        ticks.now += 0.1
        assert remembering.for_request(stale=False).record(OWNER, "early") == record()

    def test_consistent_reads_bypass_the_cache_and_leave_it_unchanged(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        remembering.for_request(stale=False).record(OWNER, KEY)
        newer = changed(watched)
        assert remembering.for_request(stale=False).record(OWNER, KEY, consistent=True) == newer
        assert remembering.for_request(stale=False).record(OWNER, KEY) == newer

    def test_the_writer_sees_its_change_at_once(self, remembering: CachingReader, watched: Watched) -> None:
        assert (
            remembering.for_request(stale=False).record(OWNER, KEY),
            remembering.for_request(stale=False).record(OWNER, "early"),
        ) == (record(), None)
        newer = changed(watched)
        watched.store.create_record(replace(record(), key="early"))
        remembering.evict_record(OWNER, KEY)
        remembering.evict_record(OWNER, "early")
        assert (
            remembering.for_request(stale=False).record(OWNER, KEY),
            remembering.for_request(stale=False).record(OWNER, "early"),
        ) == (newer, record())

    def test_a_read_that_overlaps_a_change_is_not_cached(self, remembering: CachingReader, watched: Watched) -> None:
        def change() -> None:
            watched.recover()
            changed(watched)
            remembering.evict_record(OWNER, KEY)

        watched.meanwhile = change
        assert remembering.for_request(stale=False).record(OWNER, KEY) == record()
        assert remembering.for_request(stale=False).record(OWNER, KEY) == watched.store.records_by_key[OWNER, KEY]

    def test_a_reading_that_took_long_does_not_replace_a_later_one(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        def be_overtaken() -> None:
            watched.recover()
            changed(watched)
            ticks.now += 1
            remembering.for_request(stale=False).record(OWNER, KEY)

        watched.meanwhile = be_overtaken
        assert remembering.for_request(stale=False).record(OWNER, KEY) == record()
        assert remembering.for_request(stale=False).record(OWNER, KEY) == watched.store.records_by_key[OWNER, KEY]

    def test_an_absence_that_was_read_long_ago_does_not_replace_what_was_found_later(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        def be_overtaken() -> None:
            watched.recover()
            watched.store.create_record(replace(record(), key="early"))
            ticks.now += 1
            remembering.for_request(stale=False).record(OWNER, "early")

        watched.meanwhile = be_overtaken
        assert remembering.for_request(stale=False).record(OWNER, "early") is None
        assert remembering.for_request(stale=False).record(OWNER, "early") == record()

    def test_a_past_version_is_read_once_and_cached_without_limit(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        changed(watched)
        assert remembering.for_request(stale=False).superseded(OWNER, KEY, 1) == record()
        ticks.now += 2 * MAX_STALE_SECONDS
        watched.fail()
        with remembering.for_request() as watch:
            assert watch.superseded(OWNER, KEY, 1) == record()
            assert watch.staleness is None

    def test_that_a_version_is_not_past_is_not_cached(self, remembering: CachingReader, watched: Watched) -> None:
        assert remembering.for_request(stale=False).superseded(OWNER, KEY, 1) is None
        changed(watched)
        assert remembering.for_request(stale=False).superseded(OWNER, KEY, 1) == record()

    def test_the_newest_versions_are_read_each_time_and_never_stale(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        watch = remembering.for_request()
        assert [each.version for each in watch.history(OWNER, KEY, 9)] == [1]
        assert watch.validity() is None
        changed(watched)
        assert [each.version for each in remembering.for_request().history(OWNER, KEY, 9)] == [2, 1]
        watched.fail()
        with pytest.raises(StoreUnavailable):
            remembering.for_request().history(OWNER, KEY, 9)

    def test_versions_are_not_read_while_the_store_is_paused(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        changed(watched)
        assert [each.version for each in remembering.for_request().history(OWNER, KEY, 1)] == [2]
        watched.fail()
        with pytest.raises(StoreUnavailable):
            remembering.for_request().record(OWNER, KEY)
        watched.recover()
        watched.requested.clear()
        with pytest.raises(StoreUnavailable):
            remembering.for_request().history(OWNER, KEY, 1)
        assert watched.requested == []
        assert [each.version for each in remembering.for_request(stale=False).history(OWNER, KEY, 1)] == [2]
        assert remembering.for_request().superseded_between(OWNER, KEY, 1, 1, 1) == [record()]
        ticks.now += PAUSE_SECONDS
        assert [each.version for each in remembering.for_request().history(OWNER, KEY, 1)] == [2]

    def test_large_records_make_room_by_their_bytes(self, watched: Watched, ticks: Ticks) -> None:
        large = record(metadata=MappingProxyType({"what": "x" * 300_000}))
        remembering = CachingReader(watched, ticks, ReaderCache(ticks, record_limit=CacheLimit(1000, 1_000_000)))
        for number in range(5):
            watched.store.create_record(replace(large, key=f"large{number}"))
            remembering.for_request(stale=False).record(OWNER, f"large{number}")
        watched.requested.clear()
        for number in (4, 3, 2, 1):
            remembering.for_request(stale=False).record(OWNER, f"large{number}")
        assert watched.requested == [("large1",)]

    def test_absent_ones_push_out_nothing_that_exists(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        remembering.for_request(stale=False).record(OWNER, KEY)
        for number in range(60):
            remembering.for_request(stale=False).records(OWNER, [f"absent{number}-{each}" for each in range(100)])
        watched.requested.clear()
        assert remembering.for_request(stale=False).record(OWNER, KEY) == record()
        assert watched.requested == []


class TestPublicKeys:
    def test_a_new_key_is_seen_at_once(self, remembering: CachingReader, watched: Watched) -> None:
        watched.store.add_public_key(PUBLIC_KEY)
        assert remembering.for_request(stale=False).public_keys() == (PUBLIC_KEY,)
        watched.store.add_public_key({**PUBLIC_KEY, "kid": "two"})
        assert len(remembering.for_request(stale=False).public_keys()) == 2

    def test_that_there_are_none_yet_is_not_cached(self, remembering: CachingReader, watched: Watched) -> None:
        assert remembering.for_request(stale=False).public_keys() == ()
        watched.store.add_public_key(PUBLIC_KEY)
        assert remembering.for_request(stale=False).public_keys() == (PUBLIC_KEY,)

    def test_they_serve_in_an_outage(self, remembering: CachingReader, watched: Watched, ticks: Ticks) -> None:
        watched.store.add_public_key(PUBLIC_KEY)
        remembering.for_request(stale=False).public_keys()
        ticks.now += KEYS_TTL + 100
        watched.fail()
        with remembering.for_request() as watch:
            assert watch.public_keys() == (PUBLIC_KEY,)
            assert watch.staleness == 100


class TestAllPrefixes:
    def test_the_list_is_read_once_in_some_minutes_and_is_the_same_object(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        returned = remembering.for_request(stale=False).all_prefixes()
        assert [each.name for each in returned] == ["2021/06/mp", "2021/06/mp/calculations", "go"]
        ticks.now += LIST_TTL - 1
        assert remembering.for_request(stale=False).all_prefixes() is returned
        assert watched.requested == [("all",)]
        ticks.now += 2
        assert remembering.for_request(stale=False).all_prefixes() is not returned

    def test_a_list_of_any_length_is_read_once(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wordy = [provider_prefix(f"p{number}", description="a" * 1_000_000) for number in range(30)]
        monkeypatch.setattr(watched.store, "all_prefixes", lambda: [replace(each, title=each.name) for each in wordy])
        returned = remembering.for_request(stale=False).all_prefixes()
        assert remembering.for_request(stale=False).all_prefixes() is returned
        assert watched.requested == [("all",)]

    def test_the_list_is_removed_by_clear(self, remembering: CachingReader, watched: Watched) -> None:
        remembering.for_request(stale=False).all_prefixes()
        watched.store.put_prefix(provider_prefix("new"), None)
        remembering.clear()
        assert len(remembering.for_request(stale=False).all_prefixes()) == 4

    def test_in_an_outage_the_list_serves_readers_with_staleness(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        returned = remembering.for_request().all_prefixes()
        ticks.now += LIST_TTL + 100
        watched.fail()
        with remembering.for_request() as watch:
            assert watch.all_prefixes() is returned
            assert watch.staleness == 100
        with pytest.raises(StoreUnavailable):
            remembering.for_request(stale=False).all_prefixes()


class TestOutages:
    PATH = "2021/06/mp/tw0t-ywdj-94"

    @pytest.fixture(autouse=True)
    def _warm(self, watched: Watched, remembering: CachingReader) -> None:
        watched.store.create_record(record())
        resolve(parse_reference(self.PATH), remembering.for_request(stale=False))
        find_prefix(parse_reference("go:1"), remembering.for_request(stale=False))
        watched.requested.clear()

    @staticmethod
    def resolved(path: str, watch: CachingRequestReader) -> Any:
        with watch:
            return resolve(parse_reference(path), watch)

    def test_what_is_overdue_serves_and_says_by_how_much(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        ticks.now += PREFIX_TTL + 30
        watched.fail()
        watch = remembering.for_request()
        assert self.resolved(self.PATH, watch).record == record()
        assert watch.staleness == PREFIX_TTL + 30 - RECORD_TTL

    def test_nothing_is_called_stale_while_it_is_fresh_or_the_store_answers(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        for _ in range(2):
            watch = remembering.for_request()
            self.resolved(self.PATH, watch)
            assert watch.staleness is None
            ticks.now += PREFIX_TTL

    def test_what_was_read_a_day_ago_serves_no_more(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        watched.fail()
        ticks.now += MAX_STALE_SECONDS
        assert remembering.for_request().record(OWNER, KEY) == record()
        ticks.now += 0.1
        with pytest.raises(StoreUnavailable):
            remembering.for_request().record(OWNER, KEY)

    def test_a_reader_without_staleness_gets_no_stale_rows(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        ticks.now += RECORD_TTL
        watched.fail()
        with pytest.raises(StoreUnavailable):
            remembering.for_request(stale=False).record(OWNER, KEY)

    def test_consistent_reads_are_never_stale(self, remembering: CachingReader, watched: Watched) -> None:
        watched.fail()
        with pytest.raises(StoreUnavailable):
            remembering.for_request().record(OWNER, KEY, consistent=True)
        with pytest.raises(StoreUnavailable):
            remembering.for_request().prefixes(["go"], consistent=True)

    def test_an_absence_that_is_overdue_is_no_absence(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        assert remembering.for_request().record(OWNER, "absent") is None
        watched.fail()
        assert remembering.for_request().record(OWNER, "absent") is None
        ticks.now += ABSENCE_TTL
        with pytest.raises(StoreUnavailable):
            remembering.for_request().record(OWNER, "absent")
        with pytest.raises(StoreUnavailable):
            remembering.for_request().records(OWNER, [KEY, "absent"])

    @pytest.mark.parametrize(
        "path",
        [
            "2021/06/other/x",  # no such prefix, as far as is known
            "2021/06/mp/tw0t-ywdj-95",  # breaks the rules that are known
            "2021/06/mp/2r4k-9m3x-98",  # not registered, and cannot be asked for
            "ols/go:1",  # no such provider, as far as is known
            "nobodys:1",
        ],
    )
    def test_nothing_is_refused_on_stale_knowledge(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks, path: str
    ) -> None:
        with pytest.raises((NotFound, InvalidIdentifier)):
            self.resolved(path, remembering.for_request())
        ticks.now += PREFIX_TTL
        watched.fail()
        with pytest.raises(StoreUnavailable):
            self.resolved(path, remembering.for_request())

    def test_a_refusal_on_fresh_knowledge_stands(self, remembering: CachingReader, watched: Watched) -> None:
        remembering.for_request(stale=False).record(OWNER, "2r4k9m3x98")
        watched.fail()
        with pytest.raises(UnregisteredIdentifier), remembering.for_request() as watch:
            raise UnregisteredIdentifier("mp", "2r4k-9m3x-98")
        assert watch.staleness is None

    def test_a_request_reads_a_failing_store_once(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        ticks.now += PREFIX_TTL
        watched.fail()
        watch = remembering.for_request()
        self.resolved(self.PATH, watch)
        with pytest.raises(StoreUnavailable):
            watch.prefixes(["unknown"])
        with pytest.raises(StoreUnavailable):
            watch.superseded(OWNER, KEY, 1)
        assert len(watched.requested) == 1

    def test_a_request_waits_for_a_slow_store_for_a_limited_time(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        def dawdle() -> None:
            ticks.now += MAX_WAIT_SECONDS * 0.6

        watched.meanwhile = dawdle
        ticks.now += PREFIX_TTL
        watch = remembering.for_request()
        assert watch.prefixes(["one"]) == watch.prefixes(["two"]) == {}
        with pytest.raises(StoreUnavailable):
            watch.prefixes(["three"])
        assert watch.record(OWNER, KEY) == record()
        assert watch.staleness is not None
        assert watched.requested == [("one",), ("two",)]

    def test_a_request_for_many_things_may_have_more_patience(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        def dawdle() -> None:
            ticks.now += MAX_WAIT_SECONDS

        watched.meanwhile = dawdle
        watch = remembering.for_request(max_wait_seconds=3 * MAX_WAIT_SECONDS)
        for name in ("one", "two", "three"):
            assert watch.prefixes([name]) == {}

    def test_a_request_may_refuse_stale_rows(self, remembering: CachingReader, watched: Watched, ticks: Ticks) -> None:
        ticks.now += PREFIX_TTL
        watched.fail()
        watch = remembering.for_request(stale=False)
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                watch.prefixes(["go"])
        assert len(watched.requested) == 1

    def test_after_a_failure_cached_rows_are_not_read_for_a_while(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        ticks.now += PREFIX_TTL
        watched.fail()
        remembering.for_request().prefixes(["go"])
        watched.recover()
        watched.requested.clear()
        ticks.now += PAUSE_SECONDS - 0.1
        watch = remembering.for_request()
        assert watch.record(OWNER, KEY) == record()
        assert watch.staleness is not None
        assert watched.requested == []
        ticks.now += 0.1
        watch = remembering.for_request()
        assert watch.record(OWNER, KEY) == record()
        assert watch.staleness is None
        assert watched.requested == [(KEY,)]

    def test_after_a_failure_uncached_rows_are_read_nevertheless(
        self, remembering: CachingReader, watched: Watched, ticks: Ticks
    ) -> None:
        watched.fail()
        with pytest.raises(StoreUnavailable):
            remembering.for_request().prefixes(["unknown"])
        watched.recover()
        assert remembering.for_request().prefixes(["unknown"]) == {}


def test_threads_share_what_is_cached(store: MemoryStore) -> None:
    for number in range(50):
        store.create_record(replace(record(), key=f"k{number}"))
    ticks = Ticks()
    remembering = CachingReader(store, ticks, ReaderCache(ticks, record_limit=CacheLimit(20, 1 << 20)))
    begun, wrong = Barrier(8), []

    def use(seed: int) -> None:
        begun.wait()
        for turn in range(300):
            key = f"k{(turn * seed) % 60}"
            if remembering.for_request().record(OWNER, key) != store.records_by_key.get((OWNER, key)):
                wrong.append(key)
            if turn % 50 == 0:
                remembering.clear()

    threads = [Thread(target=use, args=(seed,)) for seed in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


class TestShelves:
    @given(
        st.lists(
            st.tuples(st.integers(0, 8), st.text(max_size=200), st.integers(0, 20), st.sampled_from(["put", "drop"]))
        )
    )
    def test_a_section_stays_within_its_limit_and_counts_its_size(self, deeds: list[Any]) -> None:
        room = CacheLimit(4, 1_000)
        shelf: BoundedCache[int, str] = BoundedCache(room)
        for key, value, moment, deed in deeds:
            shelf.put(key, value, moment) if deed == "put" else shelf.drop(key)
            assert len(shelf) <= room.entries
            assert 0 <= shelf.size_bytes <= room.size_bytes
        for key in range(9):
            shelf.drop(key)
        assert (len(shelf), shelf.size_bytes) == (0, 0)

    def test_a_row_larger_than_the_section_is_not_cached(self) -> None:
        shelf: BoundedCache[str, str] = BoundedCache(CacheLimit(4, 1_000))
        shelf.put("large", "x" * 2_000, 0)
        assert (len(shelf), shelf.size_bytes) == (0, 0)

    @given(st.integers(0, 50), st.integers(0, 2_000))
    def test_a_value_weighs_at_least_the_text_in_it(self, number: int, length: int) -> None:
        metadata = {f"element {each}": ["é" * length, {"deep": "a" * length}] for each in range(number)}
        assert size_in_memory(record(metadata=MappingProxyType(metadata))) >= 2 * number * length


def budget_of(keys: int) -> Budget:
    """A budget of which no time is ever used."""
    return Budget(FixedClock(), FixedProcessorClock(), keys=keys)


class TestAbsentPrefixes:
    def test_within_one_watch_an_absent_name_is_read_once_and_nothing_behind_it(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        watch = remembering.for_request(stale=False)
        assert watch.prefixes(["10.5281", "10.5281/zenodo.1"]) == {}
        assert watch.prefixes(["10.5281", "10.5281/zenodo.2", "10.5281:x"]) == {}
        assert watch.prefixes(["10.5281/a/b", "10.5282"]) == {}
        assert watched.requested == [("10.5281", "10.5281/zenodo.1"), ("10.5282",)]

    def test_a_name_that_only_begins_alike_is_another(self, remembering: CachingReader, watched: Watched) -> None:
        watch = remembering.for_request(stale=False)
        watch.prefixes(["g", "2021/06/m"])
        assert watch.prefixes(["go", "2021", "2021/06/mp"]).keys() == {"go", "2021", "2021/06/mp"}

    def test_another_watch_and_a_consistent_read_reach_the_store(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        watch = remembering.for_request(stale=False)
        assert watch.prefixes(["new"]) == {}
        watched.store.put_prefix(provider_prefix("new", "https://x.example/{$id}"), None)
        assert watch.prefixes(["new"]) == {}
        assert watch.prefixes(["new"], consistent=True).keys() == {"new"}
        assert remembering.for_request(stale=False).prefixes(["new"]).keys() == {"new"}

    def test_a_failed_read_makes_no_name_absent(self, remembering: CachingReader, watched: Watched) -> None:
        watch = remembering.for_request(stale=False)
        watched.fail()
        with pytest.raises(StoreUnavailable):
            watch.prefixes(["go", "nobodys"])
        watched.recover()
        with pytest.raises(StoreUnavailable):  # within this watch the store is not read again
            watch.prefixes(["go", "nobodys"])
        assert remembering.for_request(stale=False).prefixes(["go", "nobodys"]).keys() == {"go"}


class TestBudgets:
    def test_every_key_that_is_read_is_charged_and_none_that_is_cached(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        watched.store.create_record(record())
        budget = budget_of(100)
        watch = remembering.for_request(stale=False, budget=budget)
        for _ in range(2):
            watch.prefixes(["go", "nobodys", "nobodys:1"])
            watch.record(OWNER, KEY)
            watch.records(OWNER, [KEY, "absent", "other"])
            watch.superseded(OWNER, KEY, 1)
            watch.all_prefixes()
        # Three names, a record, two absent ones, a version that is absent and so read again, the list.
        assert 100 - budget.keys == 3 + 1 + 2 + 2 + 1

    def test_a_read_that_costs_more_than_is_left_is_refused_and_cached_rows_are_still_returned(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        watched.store.create_record(record())
        watch = remembering.for_request(stale=False, budget=budget_of(2))
        assert watch.record(OWNER, KEY) is not None
        requested = list(watched.requested)
        with pytest.raises(LineNotTried):
            watch.records(OWNER, ["one", "other"])
        assert watched.requested == requested
        assert watch.record(OWNER, KEY) is not None
        assert watch.record(OWNER, "one") is None
        with pytest.raises(LineNotTried):
            watch.record(OWNER, "other")

    def test_a_store_that_failed_is_a_failure_and_costs_nothing_more(
        self, remembering: CachingReader, watched: Watched
    ) -> None:
        budget = budget_of(10)
        watch = remembering.for_request(stale=False, budget=budget)
        watched.fail()
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                watch.record(OWNER, KEY)
        assert budget.keys == 9

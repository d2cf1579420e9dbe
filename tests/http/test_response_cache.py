"""The response cache: a cached response is used exactly while a new one would be equal."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule
from msgspec.structs import replace

from coolid.errors import CoolidError, StoreUnavailable
from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.response_cache import MAX_KEY_LENGTH, ResponseCache
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Location, Withdrawal, format_time
from coolid.resolution.cache import ABSENCE_TTL, MAX_STALE_SECONDS, PREFIX_TTL, RECORD_TTL, CacheLimit, ReaderCache
from coolid.resolution.caching_reader import CachingReader, CachingRequestReader
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

OWNER = "r4k2-9m3x-62"
KEYS = ("tw0tywdj94", "zzzzzzzz90", "0000000098")
PATH = "/mp:tw0t-ywdj-94"
PLACE = "https://content.example.org/"
PAST = "Thu, 01 Jan 1970 00:00:00 GMT"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Weather:
    """Passes questions on to the store, unless it fails; each takes its time."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.works = True
        self.slow = 0.0
        self.now = 1024.0

    def tick(self) -> float:
        return self.now

    def __getattr__(self, name: str) -> Any:
        passed_on = getattr(self.store, name)

        def ask(*arguments: Any, **options: Any) -> Any:
            self.now += self.slow
            if not self.works:
                raise StoreUnavailable("the store did not answer")
            return passed_on(*arguments, **options)

        return ask


class Noting(CachingReader):
    """Counts the requests that are worked out."""

    worked_out = 0

    def for_request(self, **how: Any) -> CachingRequestReader:
        self.worked_out += 1
        return super().for_request(**how)


class Service:
    """A process over `store`, with ready-made answers or without."""

    def __init__(self, store: MemoryStore, ready: ResponseCache | None, room: int = 1000) -> None:
        self.weather = Weather(store)
        self.clock = FixedClock()
        memory = ReaderCache(
            self.weather.tick, prefix_limit=CacheLimit(room, 1 << 20), record_limit=CacheLimit(room, 1 << 20)
        )
        self.reader = Noting(self.weather, self.weather.tick, memory)
        self.heard: list[CoolidError] = []
        routes = ResolutionEndpoint(self.reader, self.clock, BASE_URL).routes()
        self.application = Application(routes, BASE_URL, self.report, self.heard.append, public=True, cache=ready)

    @staticmethod
    def report(error: Exception, _request: Request) -> None:
        raise error

    def get(self, path: str = PATH, query: str = "", method: str = "GET", **headers: str | None) -> Response:
        pairs = tuple((name, value) for name, _, value in (each.partition("=") for each in query.split("&")) if name)
        sent = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        return self.application(Request(method, path, pairs, sent))


def filled() -> MemoryStore:
    """A store with one record, an alias in another, and prefixes of others."""
    store = MemoryStore()
    owner = repository(canonical="mp", passthrough=True, choices=True)
    store.repositories[owner.id] = owner
    for name in ("mp", "2021/06/mp"):
        store.put_prefix(namespace(name, owner), None)
    store.put_prefix(provider_prefix("go", "https://go.example/{$id}", synonyms=("gene",)), None)
    store.create_record(record(records=(Location(PLACE + "1"),)))
    return store


@pytest.fixture
def store() -> MemoryStore:
    return filled()


@pytest.fixture
def service(store: MemoryStore) -> Service:
    return Service(store, ResponseCache())


def change(store: MemoryStore, key: str = KEYS[0], **members: Any) -> None:
    """The next version of a record, or the first."""
    present = store.records_by_key.get((OWNER, key))
    if present is None:
        store.create_record(record(key, **members))
    else:
        store.replace_record(replace(present, version=present.version + 1, **members), present)


class TestWhatIsKept:
    @pytest.mark.parametrize(
        "path", [PATH, "/2021/06/mp/TWOTYWDJ94", "/mp", "/go:7", "/gene:7", "/resolve/mp:tw0t-ywdj-94"]
    )
    @pytest.mark.parametrize("accept", [None, "*/*", BROWSER, "application/json"])
    def test_the_third_time_nothing_is_worked_out(self, service: Service, path: str, accept: str | None) -> None:
        first, _ = (service.get(path, accept=accept) for _ in range(2))
        before = service.reader.worked_out
        assert service.get(path, accept=accept) == first
        assert service.reader.worked_out == before

    @pytest.mark.parametrize(
        "other",
        [
            {"path": "/MP:TW0T-YWDJ-94"},
            {"query": "format=linkid"},
            {"accept": "text/turtle"},
            {"accept_language": "de"},
        ],
    )
    def test_another_request_does_not_get_it(self, service: Service, other: dict[str, str]) -> None:
        for _ in range(3):
            service.get()
        before = service.reader.worked_out
        service.get(**other)
        assert service.reader.worked_out == before + 1

    @pytest.mark.parametrize(
        "other",
        [{"method": "HEAD"}, {"if_none_match": '"other"'}, {"user_agent": "curl"}, {"authorization": "Bearer x"}],
    )
    def test_other_headers_do_not_matter(self, service: Service, other: dict[str, str]) -> None:
        for _ in range(3):
            whole = service.get()
        before = service.reader.worked_out
        answer = service.get(**other)
        assert (answer.status, answer.headers) == (whole.status, whole.headers)
        assert answer.body == ("" if "method" in other else whole.body)
        assert service.reader.worked_out == before

    @pytest.mark.parametrize("first", ["GET", "HEAD"])
    def test_a_conditional_request_gets_304_and_the_next_one_the_whole_response(
        self, service: Service, first: str
    ) -> None:
        whole = service.get()
        for _ in range(3):
            assert service.get(method=first, if_none_match=whole.headers["ETag"]).status == 304
        assert service.get() == whole

    @pytest.mark.parametrize(
        ("path", "query", "status"),
        [
            ("/nobodys:1", "", 404),
            ("/mp:tw0t-ywdj-95", "", 400),
            ("/mp:zzzz-zzzz-90", "", 404),
            (PATH, "format=x", 406),
        ],
    )
    def test_refusals_are_computed_each_time(self, service: Service, path: str, query: str, status: int) -> None:
        assert [service.get(path, query).status for _ in range(4)] == [status] * 4
        assert len(service.heard) == service.reader.worked_out == 4

    def test_what_time_has_a_bearing_on_is_worked_out_each_time(self, service: Service, store: MemoryStore) -> None:
        until = format_time(MOMENT + timedelta(seconds=1))
        change(store, records=(Location(PLACE + "now", valid_until=until), Location(PLACE + "then", valid_from=until)))
        assert [service.get().headers["Location"] for _ in range(3)] == [PLACE + "now"] * 3
        service.clock.moment += timedelta(seconds=1)
        assert service.get().headers["Location"] == PLACE + "then"

    def test_what_is_out_of_date_is_worked_out_each_time(self, service: Service) -> None:
        service.get()
        service.weather.works = False
        returned = []
        for _ in range(3):
            service.weather.now += PREFIX_TTL
            returned.append(service.get().headers["Cache-Status"])
        assert len(set(returned)) == 3

    def test_requests_for_the_past_neither_use_nor_fill_the_cache(self, service: Service, store: MemoryStore) -> None:
        change(store, records=(Location(PLACE + "2"),))
        for _ in range(3):
            assert service.get().headers["Location"] == PLACE + "2"
            assert service.get(accept_datetime=PAST).headers["Location"].endswith("?memento=1")
        for _ in range(3):
            assert service.get("/go:7", accept_datetime=PAST).headers["Location"] == "https://go.example/7"
        before = service.reader.worked_out
        service.get("/go:7")
        assert service.reader.worked_out == before + 1

    def test_a_version_by_its_number_is_cached(self, service: Service, store: MemoryStore) -> None:
        change(store, records=(Location(PLACE + "2"),))
        returned = [service.get(query="memento=1").headers["Location"] for _ in range(2)]
        before = service.reader.worked_out
        assert [service.get(query="memento=1").headers["Location"], *returned] == [PLACE + "1"] * 3
        assert service.reader.worked_out == before

    def test_long_requests_are_not_cached(self, service: Service) -> None:
        for _ in range(3):
            service.get(query="x=" + "x" * MAX_KEY_LENGTH)
        assert service.reader.worked_out == 3

    def test_the_cache_stays_within_its_limit(self, store: MemoryStore) -> None:
        service = Service(store, ResponseCache(CacheLimit(3, 1 << 20)))
        requested = [f"/go:{number}" for number in range(5)]
        for path in (requested[0], *requested):
            service.get(path)
        before = service.reader.worked_out
        for path in requested[-3:]:
            service.get(path)
        assert service.reader.worked_out == before
        service.get(requested[0])
        assert service.reader.worked_out == before + 1


class TestForHowLong:
    @pytest.fixture(autouse=True)
    def _warm(self, service: Service) -> None:
        for _ in range(3):
            service.get()
            service.get("/go:7")

    def test_a_change_is_visible_once_the_cache_expires(self, service: Service, store: MemoryStore) -> None:
        change(store, records=(Location(PLACE + "2"),))
        service.weather.now += RECORD_TTL - 0.25
        assert service.get().headers["Location"] == PLACE + "1"
        service.weather.now += 0.25
        assert service.get().headers["Location"] == PLACE + "2"

    @pytest.mark.parametrize("forget", [CachingReader.clear, lambda reader: reader.evict_record(OWNER, KEYS[0])])
    def test_a_change_is_visible_at_once_in_its_own_process(
        self, service: Service, store: MemoryStore, forget: Callable[[CachingReader], None]
    ) -> None:
        change(store, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "It was wrong"))
        forget(service.reader)
        assert service.get().status == 410

    def test_a_change_of_another_record_leaves_it_cached(self, service: Service) -> None:
        before = service.reader.worked_out
        service.reader.evict_record(OWNER, KEYS[1])
        service.get()
        assert service.reader.worked_out == before

    def test_one_spelling_never_gets_an_older_state_than_another(self, service: Service, store: MemoryStore) -> None:
        service.weather.now += RECORD_TTL / 2
        change(store, records=(Location(PLACE + "2"),))
        service.reader.for_request().record(OWNER, KEYS[0], consistent=True)  # as the examination of the service does
        assert service.get("/MP/TWOT-YWDJ-94").headers["Location"] == PLACE + "2"
        assert service.get().headers["Location"] == PLACE + "2"

    def test_evicted_rows_are_read_again(self, store: MemoryStore) -> None:
        service = Service(store, ResponseCache(), room=1)
        change(store, KEYS[1])
        for path in (PATH, PATH, "/mp:zzzz-zzzz-90"):
            service.get(path)
        change(store, records=(Location(PLACE + "2"),))
        assert service.get().headers["Location"] == PLACE + "2"

    def test_a_prefix_that_was_registered_since_is_seen_when_the_cache_expires(
        self, service: Service, store: MemoryStore
    ) -> None:
        for _ in range(3):
            assert service.get("/go/sub/7").headers["Location"] == "https://go.example/sub/7"
        store.put_prefix(provider_prefix("go/sub", "https://sub.example/{$id}"), None)
        service.weather.now += PREFIX_TTL - 0.25
        assert service.get("/go/sub/7").headers["Location"] == "https://go.example/sub/7"
        service.weather.now += 0.25
        assert service.get("/go/sub/7").headers["Location"] == "https://sub.example/7"

    def test_what_rests_on_an_absence_lasts_as_long_as_that(self, service: Service, store: MemoryStore) -> None:
        owner = repository("zzzz-zzzz-90", rules=ChosenRules(pattern="[a-z/]+"), passthrough=True, canonical="chosen")
        store.repositories[owner.id] = owner
        store.put_prefix(namespace("chosen", owner), None)
        store.records_by_key[owner.id, "work"] = record(id="work", records=(Location(PLACE + "whole"),))
        for _ in range(3):
            assert service.get("/chosen:work/part").headers["Location"] == PLACE + "whole/part"
        store.records_by_key[owner.id, "work/part"] = record(id="work/part", records=(Location(PLACE + "own"),))
        service.weather.now += ABSENCE_TTL - 0.25
        assert service.get("/chosen:work/part").headers["Location"] == PLACE + "whole/part"
        service.weather.now += 0.25
        assert service.get("/chosen:work/part").headers["Location"] == PLACE + "own"


def test_concurrent_requests_never_see_an_earlier_version_after_a_later_one(store: MemoryStore) -> None:
    service = Service(store, ResponseCache())
    spellings = (PATH, "/MP/TWOTYWDJ94", "/2021/06/mp/tw0t-ywdj-94")
    seen: list[list[int]] = [[] for _ in range(6)]
    over: list[bool] = []

    def ask(at: int) -> None:
        while not over:
            for spelling in spellings:
                seen[at].append(int(service.get(spelling).headers["Location"].removeprefix(PLACE)))

    threads = [Thread(target=ask, args=(at,)) for at in range(len(seen))]
    for thread in threads:
        thread.start()
    for version in range(2, 60):
        change(store, records=(Location(f"{PLACE}{version}"),))
        service.weather.now += 1
        service.reader.evict_record(OWNER, KEYS[0])
        assert service.get().headers["Location"] == f"{PLACE}{version}"
    over.append(True)
    for thread in threads:
        thread.join()
    assert all(versions == sorted(versions) for versions in seen)


seconds = st.sampled_from([0.25, 1.0, 2.0, ABSENCE_TTL, RECORD_TTL, PREFIX_TTL, MAX_STALE_SECONDS])
keys = st.sampled_from(KEYS)
paths = st.sampled_from(
    [
        *("/mp:tw0t-ywdj-94", "/MP/TWOTYWDJ94", "/2021/06/mp/tw0t-ywdj-94", "/resolve/mp:tw0t-ywdj-94"),
        *("/mp:zzzz-zzzz-90", "/mp:0000-0000-98", "/mp:tw0t-ywdj-94/part", "/mp:tw0t-ywdj-95", "/mp", "/nobodys:1"),
        *("/go:7", "/GO:GO:7", "/gene:7", "/p/go:7", "/p0/go:7", "/go/sub:7", "/10.5072/x", "/go", "/", "/%zz"),
    ]
)
queries = st.sampled_from(
    ["", "", "", "format=linkid", "format=html", "info", "version=1", "memento=1", "lang=de", "provider=p0", "x=y"]
)
accepts = st.sampled_from(
    [None, None, "*/*", BROWSER, "application/json", "text/turtle;q=0.5, text/plain", "image/png"]
)
languages = st.sampled_from([None, None, "de, en;q=0.5"])
moments = st.sampled_from([None, None, None, PAST, "yesterday"])
placed = st.lists(
    st.builds(
        Location,
        uri=st.sampled_from([PLACE + "1", PLACE + "2"]),
        status=st.sampled_from([ACTIVE, ACTIVE, "inactive"]),
        media_type=st.sampled_from([None, None, "text/html"]),
        valid_until=st.sampled_from([None, None, None, format_time(MOMENT + timedelta(seconds=30))]),
    ),
    max_size=2,
).map(tuple)


class Alike(RuleBasedStateMachine):
    """Two processes over one store, of which one keeps ready-made answers: they answer the same, byte for byte."""

    ROOM = 1000
    requested = Bundle("asked")

    def __init__(self) -> None:
        super().__init__()
        self.store = filled()
        self.new = Service(self.store, None, self.ROOM)
        self.ready = Service(self.store, ResponseCache(CacheLimit(8, 50_000)), self.ROOM)
        self.tag: str | None = None

    @property
    def both(self) -> Iterable[Service]:
        return self.new, self.ready

    @rule(target=requested, path=paths, query=queries, accept=accepts, language=languages, moment=moments)
    def call(
        self, path: str, query: str, accept: str | None, language: str | None, moment: str | None
    ) -> dict[str, Any]:
        request = {"path": path, "query": query, "accept": accept, "accept_language": language}
        request["accept_datetime"] = moment
        for _ in range(3):
            self.compare(request)
        return request

    @rule(request=requested, method=st.sampled_from(["GET", "HEAD"]), has=st.booleans())
    def ask_again(self, request: dict[str, Any], method: str, has: bool) -> None:
        self.compare({**request, "method": method, "if_none_match": self.tag if has else None})

    def compare(self, request: dict[str, Any]) -> None:
        new, ready = (each.get(**request) for each in self.both)
        assert (new, list(new.headers)) == (ready, list(ready.headers))
        assert [str(each) for each in self.new.heard] == [str(each) for each in self.ready.heard]
        assert self.new.weather.now == self.ready.weather.now  # either asked the store as often
        self.tag = new.headers.get("ETag")

    @rule(step=seconds)
    def let_time_go_by(self, step: float) -> None:
        for each in self.both:
            each.weather.now += step

    @rule(step=st.sampled_from([-3600, -1, 1, 29, 3600]))
    def set_the_clock(self, step: int) -> None:
        for each in self.both:
            each.clock.moment += timedelta(seconds=step)

    @rule(works=st.sampled_from([True, True, False]), slow=st.sampled_from([0.125, 0.125, 0.75]))
    def change_the_weather(self, works: bool, slow: float) -> None:
        for each in self.both:
            each.weather.works, each.weather.slow = works, slow

    @rule(key=keys, locations=placed, status=st.sampled_from([ACTIVE, ACTIVE, RESERVED, WITHDRAWN]), tell=st.booleans())
    def write_a_record(self, key: str, locations: tuple[Location, ...], status: str, tell: bool) -> None:
        gone = Withdrawal(LATER, "It was wrong") if status == WITHDRAWN else None
        change(self.store, key, records=locations, status=status, withdrawn=gone)
        if tell:
            for each in self.both:
                each.reader.evict_record(OWNER, key)

    @rule(redirect=st.sampled_from([302, 303]), default=st.sampled_from([None, PLACE + "{$id}"]), tell=st.booleans())
    def change_the_rules(self, redirect: Any, default: str | None, tell: bool) -> None:
        present = self.store.repositories[OWNER]
        following = replace(present, redirect=redirect, target=default, revision=present.revision + 1)
        self.store.change_repository(following, present)
        if tell:
            self.forget()

    @rule(name=st.sampled_from(["go", "go/sub", "10.5072"]), url=st.sampled_from(["https://a.example/{$id}", PLACE]))
    def change_a_prefix(self, name: str, url: str) -> None:
        present = self.store.rows.get(name)
        known = present if isinstance(present, Namespace | ProviderPrefix) else None
        self.store.put_prefix(provider_prefix(name, url, revision=known.revision + 1 if known else 1), known)

    @rule()
    def forget(self) -> None:
        for each in self.both:
            each.reader.clear()

    @rule(key=keys)
    def examine(self, key: str) -> None:
        for each in self.both:
            if each.weather.works:
                each.reader.for_request(stale=False).record(OWNER, key, consistent=True)


class AlikeWithLittleRoom(Alike):
    """The same where memory pushes out what is fresh."""

    ROOM = 2


TestAlike = Alike.TestCase
TestAlike.settings = settings(stateful_step_count=40, deadline=None)
TestAlikeWithLittleRoom = AlikeWithLittleRoom.TestCase
TestAlikeWithLittleRoom.settings = settings(stateful_step_count=40, deadline=None)

"""Responses in an outage: cached content with a mark; everything else is 503, and nothing is ever 404."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from json import loads

import pytest

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.identifiers.rules.uuid import UuidRules
from coolid.model.records import RESERVED, WITHDRAWN, Location, Withdrawal
from coolid.resolution.cache import ABSENCE_TTL, MAX_STALE_SECONDS, PREFIX_TTL, RECORD_TTL
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.samples import BASE_URL, LATER, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PLACE = "https://content.example.org/v1"
OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"
PATH = "/mp:tw0t-ywdj-94"
UUID = "00c538ea846b47a6a3d470a9ebd29d7c"
LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
LONG = PREFIX_TTL + 1
"""After so many seconds everything that was read is overdue."""


@dataclass
class Service:
    """A warm function: asks its store until it fails, `tick` by `tick`."""

    store: MemoryStore = field(default_factory=MemoryStore)
    seconds: float = 1000.0

    def __post_init__(self) -> None:
        owner = repository(canonical="mp", passthrough=True, choices=True)
        self.store.repositories[owner.id] = owner
        self.store.put_prefix(namespace("mp", owner), None)
        self.store.put_prefix(provider_prefix("go", "https://go.example/{$id}"), None)
        self.store.create_record(record(records=(Location(PLACE),)))
        self.reader = CachingReader(self.store, lambda: self.seconds)
        routes = ResolutionEndpoint(self.reader, FixedClock(), BASE_URL).routes()
        self._answer = Application(routes, BASE_URL, lambda error, _: None, public=True)

    def get(self, path: str, accept: str | None = None, query: str = "") -> Response:
        pairs = tuple((name, value) for name, _, value in (each.partition("=") for each in query.split("&")) if name)
        return self._answer(Request("GET", path, pairs, {"accept": accept} if accept else {}))

    def fail(self, after: float = LONG) -> None:
        """So many seconds later the store fails."""
        self.seconds += after
        calls = ("prefixes", "record", "records", "superseded", "public_keys")
        self.reader.reader = FailingStore(self.store, "before", *calls)


@pytest.fixture
def service() -> Service:
    return Service()


def is_unavailable(answer: Response) -> bool:
    return (
        answer.status == 503
        and answer.headers["Cache-Control"] == "no-store"
        and int(answer.headers["Retry-After"]) > 0
        and "ETag" not in answer.headers
    )


class TestRemembered:
    @pytest.mark.parametrize(
        ("path", "accept", "query"),
        [
            (PATH, None, ""),
            (PATH, BROWSER, ""),
            (PATH, "application/linkid+json", ""),
            (PATH, None, "info"),
            (PATH + "/chapter.pdf", None, ""),
            ("/MP/TWOT-YWDJ-94", None, ""),
            (f"/{BASE_URL}{PATH}", None, ""),
            ("/mp", None, ""),
            ("/go:7", None, ""),
            ("/go", BROWSER, ""),
        ],
    )
    def test_a_stale_answer_is_the_same_but_for_its_mark(
        self, service: Service, path: str, accept: str | None, query: str
    ) -> None:
        fresh = service.get(path, accept, query)
        assert fresh.status in (200, 302)
        service.fail()
        stale = service.get(path, accept, query)
        headers = dict(stale.headers)
        assert re.fullmatch(r"coolid; fwd=stale; ttl=-\d+; detail=store-unavailable", headers.pop("Cache-Status"))
        assert headers == fresh.headers
        assert (stale.status, stale.body) == (fresh.status, fresh.body)

    def test_a_stale_result_about_a_linkid_is_not_authoritative(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ResolutionEndpoint, "_require_integrity", lambda *_: None)
        owner = repository("9y1q-hgzk-70", rules=UuidRules(version=4), canonical="linkid")
        service.store.repositories[owner.id] = owner
        service.store.put_prefix(namespace("linkid", owner), None)
        service.store.create_record(record(UUID, owner.id, id=UUID, pid=f"{BASE_URL}/{LINKID}"))
        assert loads(str(service.get(f"/{LINKID}", "application/json").body))["authoritative"] is True
        service.fail()
        stale = loads(str(service.get(f"/{LINKID}", "application/json").body))
        assert (stale["status"], stale["authoritative"]) == ("active", False)

    def test_tombstones_and_choices_are_cached_too(self, service: Service) -> None:
        service.store.records_by_key[OWNER, KEY] = record(status=WITHDRAWN, withdrawn=Withdrawal(LATER, "It was wrong"))
        other = record("tw0tywdj94", records=(Location(PLACE), Location(PLACE + "/2")))
        service.store.records_by_key[OWNER, "zzzzzzzz90"] = other
        fresh = {path: service.get(path) for path in (PATH, "/mp:zzzz-zzzz-90")}
        assert [answer.status for answer in fresh.values()] == [410, 300]
        service.fail()
        for path, answer in fresh.items():
            stale = service.get(path)
            assert "fwd=stale" in stale.headers["Cache-Status"]
            assert (stale.status, stale.headers["ETag"]) == (answer.status, answer.headers["ETag"])

    def test_the_mark_has_the_seconds_since_the_oldest_row_expired(self, service: Service) -> None:
        service.get(PATH)
        service.fail(RECORD_TTL + 5)
        assert service.get(PATH).headers["Cache-Status"] == "coolid; fwd=stale; ttl=-5; detail=store-unavailable"

    def test_what_is_not_due_yet_has_no_mark(self, service: Service) -> None:
        service.get(PATH)
        service.fail(RECORD_TTL - 1)
        assert "Cache-Status" not in service.get(PATH).headers

    def test_a_conditional_request_gets_304_with_the_mark(self, service: Service) -> None:
        tag = service.get(PATH).headers["ETag"]
        service.fail()
        answer = service._answer(Request("GET", PATH, (), {"if-none-match": tag}))
        assert (answer.status, "fwd=stale" in answer.headers["Cache-Status"]) == (304, True)

    def test_all_is_as_usual_when_the_store_is_back(self, service: Service) -> None:
        fresh = service.get(PATH)
        service.fail()
        service.get(PATH)
        service.reader.reader = service.store
        service.seconds += 60
        assert service.get(PATH) == fresh

    def test_after_a_day_nothing_serves_any_more(self, service: Service) -> None:
        service.get(PATH)
        service.fail(MAX_STALE_SECONDS + 1)
        assert is_unavailable(service.get(PATH))


def forget(service: Service) -> None:
    service.reader.clear()


def reserve(service: Service) -> None:
    service.store.records_by_key[OWNER, KEY] = record(status=RESERVED)
    assert service.get(PATH).status == 404


def expire(service: Service) -> None:
    over = Location(PLACE, valid_until="2025-01-01T00:00:00Z")
    service.store.records_by_key[OWNER, KEY] = record(records=(over,))
    assert service.get(PATH).status == 404


def absent(service: Service) -> None:
    del service.store.records_by_key[OWNER, KEY]
    assert service.get(PATH).status == 404


class TestRefusals:
    @pytest.mark.parametrize("happened", [forget, reserve, expire, absent])
    @pytest.mark.parametrize("accept", [None, BROWSER])
    def test_nothing_is_refused_on_what_is_out_of_date(
        self, service: Service, happened: Callable[[Service], None], accept: str | None
    ) -> None:
        happened(service)
        service.fail()
        answer = service.get(PATH, accept)
        assert is_unavailable(answer)
        assert "Cache-Status" not in answer.headers

    @pytest.mark.parametrize("path", ["/nobodys:1", "/mp:tw0t-ywdj-95", "/mp:zzzz-zzzz-90", "/resolve/short", "/go:7"])
    def test_rows_that_were_never_read_are_503(self, path: str) -> None:
        service = Service()
        service.fail()
        assert is_unavailable(service.get(path))

    def test_a_version_of_a_stale_record_that_is_not_cached_is_503(self, service: Service) -> None:
        service.get(PATH)
        service.fail()
        assert service.get(PATH, query="format=linkid&version=1").status == 200
        for number in ("2", "x"):
            assert is_unavailable(service.get(PATH, query=f"format=linkid&version={number}"))

    def test_an_absence_is_used_while_it_is_fresh(self, service: Service) -> None:
        assert service.get("/mp:zzzz-zzzz-90").status == 404
        service.fail(ABSENCE_TTL - 1)
        assert service.get("/mp:zzzz-zzzz-90").status == 404
        service.seconds += 2
        assert is_unavailable(service.get("/mp:zzzz-zzzz-90"))

    @pytest.mark.parametrize("path", ["/%zz", "/%00"])
    def test_what_cannot_be_read_needs_no_store(self, service: Service, path: str) -> None:
        service.fail()
        assert service.get(path).status == 400

"""Health: 200 if the store can be read, else 503, without the cache; and the parts one by one."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import coolid
from coolid.deadlines import Deadline, current_deadline, limited
from coolid.errors import SignerUnavailable
from coolid.http.application import Application
from coolid.http.management.diagnostics import DIAGNOSTICS, DiagnosticsEndpoint
from coolid.http.message import Request, Response
from coolid.http.public.health import HEALTH, HealthEndpoint
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.model.clients import ADMIN, issue_client
from coolid.resolution.caching_reader import MAX_WAIT_SECONDS, CachingReader
from tests.support.builders.samples import BASE_URL, provider_prefix
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
CALLS = ("prefixes", "record", "records", "superseded", "public_keys")


def unforeseen(error: Exception, _request: Request) -> None:
    raise error


def public(store: Any, tick: Callable[[], float] = lambda: 0.0) -> Callable[..., Response]:
    """What asks a function that resolves."""
    reader, clock = CachingReader(store, tick), FixedClock()
    routes = (*HealthEndpoint(reader, clock, BASE_URL).routes(), *ResolutionEndpoint(reader, clock, BASE_URL).routes())
    application = Application(routes, BASE_URL, unforeseen, public=True)

    def ask(path: str = HEALTH, method: str = "GET", accept: str | None = None) -> Response:
        return application(Request(method, path, headers={"accept": accept} if accept else {}))

    return ask


class TestForEverybody:
    def test_it_returns_its_state_the_release_and_the_time(self, store: MemoryStore) -> None:
        answer = public(store)()
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
        assert json.loads(answer.body) == {
            "healthy": True,
            "release": coolid.__version__,
            "time": "2025-07-10T14:22:30Z",
            "checks": [{"name": "prefixes", "state": "ok"}, {"name": "records", "state": "ok"}],
        }

    @pytest.mark.parametrize(("accepts", "state", "words"), [(True, "ok", "works"), (False, "read-only", "not work")])
    def test_a_database_has_a_state_of_its_own(self, store: MemoryStore, accepts: bool, state: str, words: str) -> None:
        endpoint = HealthEndpoint(CachingReader(store, lambda: 0.0), FixedClock(), BASE_URL, lambda: accepts)
        report = json.loads(endpoint.get(Request("GET", HEALTH), "").body)
        assert report["healthy"]  # identifiers resolve
        assert report["checks"][2:] == [{"name": "database", "state": state}]
        page = str(endpoint.get(Request("GET", HEALTH, headers={"accept": BROWSER}), "").body)
        assert re.search(f"Changing records: <[^>]*>[a-z ]*{words}<", page)

    def test_browsers_get_a_page(self, store: MemoryStore) -> None:
        answer = public(store)(accept=BROWSER)
        assert answer.headers["Content-Type"].startswith("text/html")
        assert "The service works" in answer.body
        assert coolid.__version__ in answer.body

    def test_its_form_describes_an_identifier(self, store: MemoryStore) -> None:
        body = str(public(store)(accept=BROWSER).body)
        assert "See the page of the identifier:" in body
        assert '<input type="hidden" name="info" value="1">' in body

    def test_head_has_no_body(self, store: MemoryStore) -> None:
        answer = public(store)(method="HEAD")
        assert (answer.status, answer.body) == (200, "")

    @pytest.mark.parametrize("accept", [None, BROWSER])
    @pytest.mark.parametrize("broken", [(), CALLS], ids=["well", "ill"])
    def test_no_cache_stores_it(self, store: MemoryStore, broken: tuple[str, ...], accept: str | None) -> None:
        answer = public(FailingStore(store, "before", *broken))(accept=accept)
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Vary"] == ("Accept" if accept is None else "Accept, Accept-Language")

    def test_each_time_it_requests_one_row_of_each_table(self, store: MemoryStore) -> None:
        ask = public(store)
        for times in (1, 2, 3):
            ask()
            assert store.calls == {"prefixes": times, "record": times}

    @pytest.mark.parametrize(("broken", "states"), [("prefixes", ["failed", "untried"]), ("record", ["ok", "failed"])])
    def test_it_is_503_where_a_table_cannot_be_read(self, store: MemoryStore, broken: str, states: list[str]) -> None:
        answer = public(FailingStore(store, "before", broken))()
        problem = json.loads(answer.body)
        assert (answer.status, answer.headers["Content-Type"]) == (503, "application/problem+json")
        assert int(answer.headers["Retry-After"]) > 0
        assert (problem["type"], problem["status"]) == (f"{BASE_URL}/problems/unhealthy", 503)
        assert problem["healthy"] is False
        assert [check["state"] for check in problem["checks"]] == states

    def test_people_get_a_page(self, store: MemoryStore) -> None:
        answer = public(FailingStore(store, "before", *CALLS))(accept=BROWSER)
        assert answer.status == 503
        assert "Not everything works: prefixes." in answer.body

    def test_it_is_503_even_where_memory_still_serves(self, store: MemoryStore) -> None:
        store.put_prefix(provider_prefix("go", "https://go.example/{$id}"), None)
        reader = CachingReader(store, lambda: 0.0)
        routes = (
            *HealthEndpoint(reader, FixedClock(), BASE_URL).routes(),
            *ResolutionEndpoint(reader, FixedClock(), BASE_URL).routes(),
        )
        application = Application(routes, BASE_URL, unforeseen)
        assert application(Request("GET", "/go:7")).status == 302
        assert application(Request("GET", HEALTH)).status == 200
        reader.reader = FailingStore(store, "before", *CALLS)
        assert application(Request("GET", "/go:7")).status == 302
        assert application(Request("GET", HEALTH)).status == 503

    def test_a_store_that_takes_its_time_is_waited_for_no_longer_than_for_any_request(self, store: MemoryStore) -> None:
        ticks = iter(range(100))
        answer = public(store, lambda: next(ticks) * (MAX_WAIT_SECONDS + 0.1))()
        assert answer.status == 503
        assert store.calls == {"prefixes": 1}

    def test_what_is_below_it_is_no_identifier(self, store: MemoryStore) -> None:
        for path in ("/health/", "/health/x", "/health:x", "/HEALTH"):
            assert public(store)(path).status == 404

    def test_it_answers_reads_and_nothing_else(self, store: MemoryStore) -> None:
        answer = public(store)(method="POST")
        assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")


def explode() -> str:
    raise ZeroDivisionError("a secret")


def refuse() -> str:
    raise SignerUnavailable("the key service refused: DisabledException")


class TestForAdministrators:
    @staticmethod
    def call(
        store: Any, trials: dict[str, Any], scope: str = ADMIN, reported: list[Exception] | None = None
    ) -> Response:
        clock = FixedClock()
        client, key = issue_client((scope,), clock, SeededEntropy())
        if isinstance(store, MemoryStore):
            store.put_client(client)
            store.calls.clear()
        noted = [] if reported is None else reported
        examining = DiagnosticsEndpoint(store, trials, clock, lambda error, _: noted.append(error))
        application = Application(examining.routes(), BASE_URL, unforeseen)
        return application(Request("GET", DIAGNOSTICS, headers={"authorization": f"Bearer {key}"}))

    def test_every_part_has_its_duration(self, store: MemoryStore) -> None:
        answer = self.call(store, {"records": lambda: "", "key set": lambda: "published, one of 2"})
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-store")
        assert json.loads(answer.body)["checks"] == [
            {"name": "records", "state": "ok", "milliseconds": 0},
            {"name": "key set", "state": "ok", "milliseconds": 0, "detail": "published, one of 2"},
        ]

    def test_the_deadline_of_the_request_holds_for_each_part(self, store: MemoryStore) -> None:
        deadline = Deadline(25, lambda: 0.0)
        found: list[Deadline | None] = []

        def note() -> str:
            found.append(current_deadline())
            return ""

        with limited(deadline):
            assert self.call(store, {"a": note, "b": note}).status == 200
        assert found == [deadline] * 2

    def test_a_failing_part_does_not_hide_the_others(self, store: MemoryStore) -> None:
        reported: list[Exception] = []
        answer = self.call(store, {"a": explode, "b": refuse, "c": lambda: ""}, reported=reported)
        checks = json.loads(answer.body)["checks"]
        assert answer.status == 503
        assert [check["state"] for check in checks] == ["failed", "failed", "ok"]
        assert checks[1]["detail"] == "the key service refused: DisabledException"
        assert [type(error) for error in reported] == [ZeroDivisionError]
        assert "secret" not in answer.body

    @pytest.mark.parametrize("scope", ["mint:mp", "update:mp"])
    def test_others_get_no_details(self, store: MemoryStore, scope: str) -> None:
        reported: list[Exception] = []
        assert self.call(store, {"a": explode}, scope, reported).status == 403
        assert reported == []

    def test_where_no_client_can_be_known_it_is_503_too(self, store: MemoryStore) -> None:
        answer = self.call(FailingStore(store, "before", "client"), {"a": lambda: ""})
        assert answer.status == 503
        assert json.loads(answer.body)["type"] == f"{BASE_URL}/problems/store-unavailable"

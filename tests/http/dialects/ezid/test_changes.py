"""Changes through EZID's API over failing stores and with concurrent writers: each is complete, or it is refused."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.deadlines import Deadline, limited
from coolid.http.application import Application
from coolid.http.dialects.ezid.anvl import format_elements, parse_elements
from coolid.http.dialects.ezid.changes import IdentifierChanges
from coolid.http.dialects.ezid.endpoint import EzidEndpoint
from coolid.http.dialects.ezid.sessions import LIFETIME, SessionEndpoint
from coolid.http.message import Request, Response
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.model.clients import ADMIN, issue_client
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter
from coolid.records.overtaken_changes import MAX_ATTEMPTS
from coolid.records.quotas import Quotas
from tests.support.builders.samples import BASE_URL, namespace, repository
from tests.support.fixtures.ports import FixedClock, KeySigner, SeededEntropy, prover
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore, Interfering

IDENTIFIER = "ark:/99999/x"
PATH = f"/id/{IDENTIFIER}"
HERE = "https://content.example.org/here"
BUSY = (503, "error: concurrency limit exceeded")
DOWN = (503, "error: server unavailable")


class Bench:
    """EZID's API over `store`, which a request may see through another one."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.clock = FixedClock()
        self.signer = KeySigner()
        self.reports: list[Exception] = []
        self.evicted: list[str] = []
        owner = repository(rules=ChosenRules(ignores_hyphens=True))
        self.store.create_repository(owner)
        self.store.put_prefix(namespace("ark:99999", replace(owner, canonical="ark:99999")), None)
        client, self.key = issue_client((ADMIN,), self.clock, SeededEntropy())
        self.store.put_client(client)

    def send(self, method: str, path: str = PATH, store: Any = None, cookie: str = "", **elements: str) -> Response:
        through = store or self.store
        signing = prover(through, self.clock, self.signer)
        entropy = SeededEntropy()
        minter = Minter(
            through, through, through, clock=self.clock, entropy=entropy, prover=signing, base_url=BASE_URL
        )  # fmt: skip
        changes = IdentifierChanges(
            through,
            through,
            minter,
            RecordAmender(through, self.clock, signing),
            Quotas(through, self.clock),
            lambda record: None,
            lambda owner, key: self.evicted.append(key),
        )
        sessions = SessionEndpoint(through, through, self.clock, entropy, BASE_URL)
        endpoint = EzidEndpoint(sessions.client, through, through, changes, BASE_URL)
        routes = (*endpoint.routes(), *sessions.routes())
        application = Application(routes, BASE_URL, lambda error, _: self.reports.append(error))
        path, _, query = path.partition("?")
        headers = {"cookie": cookie} if cookie else {"authorization": f"Bearer {self.key}"}
        pairs = tuple(each.split("=") for each in query.split("&") if each)
        body = format_elements(elements).encode()
        return application(Request(method, path, tuple((name, value) for name, value in pairs), headers, body))

    def elements(self) -> Mapping[str, str]:
        return parse_elements(str(self.send("GET").body).partition("\n")[2])


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    assert bench.send("PUT", _target=HERE).status == 201
    return bench


def line(response: Response) -> tuple[int, str]:
    return response.status, str(response.body).partition("\n")[0]


def test_a_change_that_another_one_overtook_is_made_on_top_of_it(bench: Bench) -> None:
    others = [lambda: bench.send("POST", one="1"), lambda: bench.send("POST", two="2")]
    assert bench.send("POST", store=Interfering(bench.store, "replace_record", others), three="3").status == 200
    assert bench.elements().items() >= {"one": "1", "two": "2", "three": "3"}.items()


@pytest.mark.parametrize(
    ("method", "path", "elements"),
    [
        ("POST", PATH, {"a": "b"}),
        ("PUT", f"{PATH}?update_if_exists=yes", {"a": "b"}),
        ("POST", PATH, {"_status": "unavailable"}),
    ],
)
def test_one_that_is_overtaken_again_and_again_is_refused(
    bench: Bench, method: str, path: str, elements: dict[str, str]
) -> None:
    others = [lambda at=at: bench.send("POST", n=str(at)) for at in range(MAX_ATTEMPTS)]
    refused = bench.send(method, path, Interfering(bench.store, "replace_record", others), **elements)
    assert line(refused) == BUSY
    assert bench.elements()["n"] == str(MAX_ATTEMPTS - 1)
    assert not bench.reports


def test_one_that_is_overtaken_at_the_end_of_its_time_is_refused(bench: Bench) -> None:
    others = [lambda at=at: bench.send("POST", n=str(at)) for at in range(MAX_ATTEMPTS)]
    with limited(Deadline(5, lambda: 0)):
        refused = bench.send("POST", store=Interfering(bench.store, "replace_record", others), a="b")
    assert (line(refused), bench.elements()["n"]) == (BUSY, "1")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (400, "error: bad request - identifier already exists")),
        ("?update_if_exists=yes", (200, f"success: {IDENTIFIER}2")),
    ],
)
def test_of_two_that_create_an_identifier_one_is_first(bench: Bench, query: str, expected: tuple[int, str]) -> None:
    others = [lambda: bench.send("PUT", f"{PATH}2", one="1")]
    second = bench.send("PUT", f"{PATH}2{query}", Interfering(bench.store, "create_record", others), two="2")
    assert line(second) == expected


def test_a_withdrawal_with_changes_is_repeated_as_a_whole(bench: Bench) -> None:
    others = [None, lambda: bench.send("POST", one="1")]
    changes = {"_status": "unavailable | sold", "two": "2"}
    assert bench.send("POST", store=Interfering(bench.store, "replace_record", others), **changes).status == 200
    assert bench.elements().items() >= {**changes, "one": "1"}.items()


def test_a_withdrawal_that_fails_after_its_first_version_is_not_cached(bench: Bench) -> None:
    store = FailingStore(bench.store, "after", "replace_record")
    assert line(bench.send("POST", store=store, _status="unavailable", a="b")) == DOWN
    assert (bench.elements()["_status"], bench.elements()["a"], bench.evicted) == ("public", "b", ["x"])
    assert bench.send("POST", _status="unavailable", a="b").status == 200


@pytest.mark.parametrize("reason", ["a" * 501, "a\nb", "\u200b"])
def test_a_reason_is_a_visible_line(bench: Bench, reason: str) -> None:
    refused = line(bench.send("POST", _status=f"unavailable | {reason}", a="b"))
    assert refused[0] == 400
    assert refused[1].startswith("error: bad request - _status: ")
    assert "a" not in bench.elements()


@pytest.mark.parametrize("name", ["prefixes", "record", "client", "replace_record"])
def test_where_the_store_fails_nothing_is_said_of_the_identifier(bench: Bench, name: str) -> None:
    answer = bench.send("POST", store=FailingStore(bench.store, "before", name), a="b")
    assert (line(answer), answer.headers["Retry-After"]) == (DOWN, "5")
    assert "a" not in bench.elements()


def test_without_a_signature_nothing_is_written_and_other_errors_are_reported(bench: Bench) -> None:
    bench.signer.broken = True
    assert line(bench.send("POST", a="b")) == DOWN
    assert not bench.reports
    broken = Interfering(bench.store, "record", [lambda: 1 / 0])
    answer = bench.send("POST", store=broken, a="b")
    assert line(answer) == (500, "error: internal server error")
    assert [type(each) for each in bench.reports] == [ZeroDivisionError]


def test_a_session_expires_and_is_stored_without_its_secret(bench: Bench) -> None:
    opened = bench.send("GET", "/login")
    assert len(opened.cookies) == 4
    cookie = opened.cookies[0].partition(";")[0]
    assert cookie.partition("=")[2] not in bench.store.sessions
    assert bench.send("POST", cookie=cookie, a="b").status == 200
    assert bench.send("POST", cookie=f"sessionid=\ud800; sessionid=; {cookie}", a="b").status == 200
    assert bench.send("POST", cookie="sessionid=\ud800", a="c").status == 401
    bench.clock.moment += LIFETIME
    assert line(bench.send("POST", cookie=cookie, a="c")) == (401, "error: unauthorized")
    assert bench.send("GET", cookie=cookie).status == 200

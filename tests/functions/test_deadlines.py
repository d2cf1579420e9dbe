"""The functions that write answer within the time for a request, however slow the store is.

The store and the deadlines use one clock, which the store moves, so no test waits.
"""

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from coolid.http.management.mint_batch import MIN_SECONDS_LEFT
from coolid.local.stack import find_template
from coolid.model.clients import ADMIN, issue_client
from coolid.wiring.write_components import REQUEST_SECONDS
from tests.aws.dynamodb_client.connections import environment
from tests.support.fixtures.events import to_event
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.fixtures.system import Answer, answer_of, environment_for, table_names
from tests.support.servers.scripted_server import Connection, answer, scripted_server

FUNCTIONS = find_template().parent / "functions"
RECORD = "/api/v1/records/demo:tw0t-ywdj-94"
MINT = {"prefix": "demo", "uri": "https://content.example.org/"}
EMPTY: dict[str, Any] = {"ConsumedCapacity": {}, "Responses": {}, "Items": []}
BUSY = {"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException"}

REQUESTS: dict[str, tuple[str, str, Any]] = {
    "read": ("GET", RECORD, None),
    "change": ("PATCH", RECORD, {"metadata": {"what": "x"}}),
    "withdraw": ("DELETE", RECORD, {"reason": "x"}),
    "mint": ("POST", "/api/v1/records", MINT),
    "register a prefix": ("PUT", "/api/v1/prefixes/go", {"kind": "namespace", "repository": "r4k2-9m3x-62"}),
    "read a prefix": ("GET", "/api/v1/prefixes/2021/06/demo", None),
    "list prefixes": ("GET", "/api/v1/prefixes", None),
    "create a repository": ("POST", "/api/v1/repositories", {"title": "x", "scheme": "lui"}),
    "revoke a client": ("DELETE", "/api/v1/clients/abcdefgh", None),
}


ATTEMPT = 8.5
"""Seconds; a little less than an attempt may take."""


class SlowStore:
    """Has the row of a client and no other, and throttles calls behind the first `busy_from`.

    `takes` is how many seconds of its clock `now` each answer takes.
    """

    def __init__(self) -> None:
        self.now = 1000.0
        self.takes = 0.0
        self.busy_from = 1000
        self.operations: list[str] = []
        client, self.key = issue_client((ADMIN,), FixedClock(), SeededEntropy())
        self._client = {
            "id": {"S": client.id},
            "digest": {"S": client.digest},
            "scopes": {"SS": [ADMIN]},
            "created": {"S": "2026-01-01T00:00:00Z"},
        }

    def __call__(self, connection: Connection) -> None:
        while True:
            _, headers, question = connection.request()
            self.operations.append(headers["x-amz-target"].rpartition(".")[2])
            self.now += self.takes
            if len(self.operations) > self.busy_from:
                connection.say(answer(BUSY, b"400 Bad Request"))
            elif question.get("Key") == {"id": self._client["id"]}:
                connection.say(answer({"Item": self._client, "ConsumedCapacity": {}}))
            else:
                tables: dict[str, list[Any]] = {table: [] for table in question.get("RequestItems", ())}
                connection.say(answer({**EMPTY, "Responses": tables}))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    store = SlowStore()
    monkeypatch.setattr("coolid.wiring.write_components.monotonic", lambda: store.now, raising=False)
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))
    with scripted_server(store) as port:
        for name, value in (environment(port) | environment_for(table_names())).items():
            monkeypatch.setenv(name, value)
        yield store


@pytest.fixture
def ask(store: SlowStore) -> Callable[..., Answer]:
    handlers = {name: load_handler(FUNCTIONS / name) for name in ("mint", "manage")}

    def ask(method: str, path: str, document: Any = None) -> Answer:
        headers = [("Authorization", f"Bearer {store.key}"), ("If-Match", "*")]
        body = b"" if document is None else json.dumps(document).encode()
        mints = method == "POST" and path.startswith("/api/v1/records")
        event = to_event(method, path, "", headers=headers, body=body, request_id="1")
        return answer_of(handlers["mint" if mints else "manage"](event, None))

    return ask


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_slow_store_is_given_up_in_time(
    store: SlowStore, ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, request_: Any
) -> None:
    """With less time than there is, because where nothing exists some requests have only two calls."""
    monkeypatch.setattr("coolid.wiring.write_components.REQUEST_SECONDS", ATTEMPT - 0.5, raising=False)
    store.takes = ATTEMPT
    answered = ask(*request_)
    assert answered.is_problem(503, "store-unavailable")
    assert int(answered.headers["retry-after"]) > 0
    assert answered.headers["cache-control"] == "no-store"
    assert store.operations == ["GetItem"]


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_busy_store_is_given_up_in_time(store: SlowStore, ask: Callable[..., Answer], request_: Any) -> None:
    store.takes = ATTEMPT
    store.busy_from = 0
    assert ask(*request_).is_problem(503, "store-unavailable")
    assert store.operations == ["GetItem"] * 3


def test_each_request_has_its_own_time(store: SlowStore, ask: Callable[..., Answer]) -> None:
    store.takes = ATTEMPT
    for _ in range(3):
        assert ask("GET", "/api/v1/prefixes/go").is_problem(404)
        store.now += 3600


def test_the_time_is_less_than_api_gateway_waits() -> None:
    assert REQUEST_SECONDS <= 25


class TestThreads:
    """The deadline holds in the threads that a request starts."""

    @pytest.fixture(autouse=True)
    def one_thread(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("coolid.http.management.mint_batch.AT_ONCE", 1)

    def results(self, answered: Answer) -> list[str]:
        assert answered.status == 200
        return [each["problem"]["type"].rpartition("/")[2] for each in answered.json()]

    def test_a_line_of_a_batch_ends_with_it_and_none_begins_shortly_before(
        self, store: SlowStore, ask: Callable[..., Answer]
    ) -> None:
        store.takes, store.busy_from = ATTEMPT, 2
        results = self.results(ask("POST", "/api/v1/records/batch", [MINT] * 4))
        assert results == ["invalid-input", "store-unavailable", "line-not-tried", "line-not-tried"]
        assert len(store.operations) == 3

    def test_lines_begin_while_there_is_time_for_one(self, store: SlowStore, ask: Callable[..., Answer]) -> None:
        store.takes = MIN_SECONDS_LEFT - 0.1
        results = self.results(ask("POST", "/api/v1/records/batch", [MINT] * 6))
        assert results == ["invalid-input"] * 4 + ["line-not-tried"] * 2

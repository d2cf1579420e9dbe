"""Management operations send only valid keys to the store: no empty key, none of more than 2,048 bytes."""

import json

import pytest

from coolid.http.application import Application
from coolid.http.management.clients import ClientEndpoint
from coolid.http.management.idempotent_requests import IdempotentPosts
from coolid.http.management.lists import ListEndpoint
from coolid.http.management.prefixes import PrefixEndpoint
from coolid.http.management.records import RecordEndpoint
from coolid.http.management.repositories import RepositoryEndpoint
from coolid.http.message import Request
from coolid.model.clients import issue_client
from coolid.records.amendment import RecordAmender
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.ports import FixedClock, SeededEntropy, prover
from tests.support.stores.memory_store import MemoryStore


@pytest.mark.parametrize(
    "name", ["a" * 2_049, "%61" * 3_000, "%C3%A9" * 1_025, "a/" * 1_500, "%E2%80%8B" * 700], ids=len
)
@pytest.mark.parametrize(
    ("method", "address"),
    [
        ("GET", "prefixes"),
        ("PUT", "prefixes"),
        ("GET", "repositories"),
        ("GET", "records"),
        ("GET", "history"),
        ("DELETE", "records"),
    ],
)
def test_a_name_that_no_key_can_hold_is_refused(store: MemoryStore, method: str, address: str, name: str) -> None:
    def unforeseen(error: Exception, _: Request) -> None:
        raise AssertionError("nobody foresaw this") from error

    client, key = issue_client(("admin",), FixedClock(), SeededEntropy())
    store.put_client(client)
    clock, entropy = FixedClock(), SeededEntropy()
    posts = IdempotentPosts(store, clock)
    routes = (
        *RecordEndpoint(
            store, store, store, RecordAmender(store, clock, prover(store)), BASE_URL, lambda *_: None
        ).routes(),
        *PrefixEndpoint(store, store, store, clock, BASE_URL, lambda: None).routes(),
        *RepositoryEndpoint(store, posts, store, store, store, clock, entropy, BASE_URL, lambda: None).routes(),
        *ClientEndpoint(store, posts, clock, entropy, BASE_URL).routes(),
        *ListEndpoint(store, store, store, BASE_URL).routes(),
    )
    application = Application(routes, BASE_URL, unforeseen)
    body = json.dumps({"kind": "provider"}).encode()
    headers = {"authorization": f"Bearer {key}"}
    answer = application(Request(method, f"/api/v1/{address}/{name}", headers=headers, body=body))
    assert 400 <= answer.status < 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert store.rows == {}

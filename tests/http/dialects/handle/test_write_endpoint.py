"""Handle writes over failing stores and with concurrent writers: a change is complete, or it is refused."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import CoolidError, SignerUnavailable, StoreUnavailable
from coolid.http.dialects.handle.addresses import HANDLES
from coolid.http.dialects.handle.handle_search import HandleSearchEndpoint
from coolid.http.dialects.handle.read_endpoint import HandleReadEndpoint
from coolid.http.dialects.handle.write_endpoint import HandleWriteEndpoint
from coolid.http.message import Request, Response
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.model.clients import ADMIN, issue_client
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter
from coolid.records.overtaken_changes import MAX_ATTEMPTS
from coolid.records.quotas import Quotas
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.samples import BASE_URL, namespace, provider_prefix, repository
from tests.support.fixtures.ports import FixedClock, KeySigner, SeededEntropy, prover
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore, Interfering

PREFIX = "10.5072"
HANDLE = f"{PREFIX}/x"
HERE = "https://content.example.org/here"
URL = {"index": 1, "type": "URL", "data": HERE}


class Bench:
    """Writing and reading of handles over `store`, which they may see through another one."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.clock = FixedClock()
        self.signer = KeySigner()
        self.heard: list[CoolidError] = []
        owner = repository(rules=ChosenRules(folds_case=True))
        self.store.create_repository(owner)
        self.store.put_prefix(namespace(PREFIX, replace(owner, canonical=PREFIX)), None)
        client, self.key = issue_client((ADMIN,), self.clock, SeededEntropy())
        self.store.put_client(client)

    def writing(self, store: Any = None) -> HandleWriteEndpoint:
        through = store or self.store
        signing = prover(through, self.clock, self.signer)
        return HandleWriteEndpoint(
            through,
            through,
            through,
            Minter(
                through, through, through, clock=self.clock, entropy=SeededEntropy(), prover=signing, base_url=BASE_URL
            ),
            RecordAmender(through, self.clock, signing),
            Quotas(through, self.clock),
            self.clock,
            lambda record: None,
            lambda owner, key: None,
            self.heard.append,
        )

    def put(self, values: Iterable[Any], query: tuple[tuple[str, str], ...] = (), store: Any = None) -> Response:
        body = json.dumps(list(values)).encode()
        headers = {"authorization": f"Bearer {self.key}"}
        return respond(self.writing(store), Request("PUT", HANDLES + HANDLE, query, headers, body))

    def delete(self, store: Any = None, query: tuple[tuple[str, str], ...] = ()) -> Response:
        headers = {"authorization": f"Bearer {self.key}"}
        return respond(self.writing(store), Request("DELETE", HANDLES + HANDLE, query, headers))

    def get(self, store: Any = None, query: tuple[tuple[str, str], ...] = ()) -> Response:
        memory = CachingReader(store or self.store, lambda: self.clock.milliseconds() / 1000)
        return respond(HandleReadEndpoint(memory, self.clock, BASE_URL, self.heard.append), Request("GET", "/", query))

    def search(self, most: int) -> Response:
        request = Request("GET", "/hrls/handles", (("URL", "*"),), {"authorization": f"Bearer {self.key}"})
        return respond(HandleSearchEndpoint(self.store, self.store, self.store, self.clock, max_records=most), request)

    def indexes(self) -> list[int]:
        values = json.loads(self.get().body)["values"]
        return sorted(value["index"] for value in values if value["type"] != "HS_ADMIN")


@pytest.fixture
def bench() -> Bench:
    return Bench()


def respond(endpoint: Any, request: Request) -> Response:
    (route,) = endpoint.routes()
    response: Response = route.endpoints[request.method](request, HANDLE)
    return response


def code(response: Response) -> tuple[int, int]:
    assert isinstance(response.body, str)
    document = json.loads(response.body)
    assert document["handle"] == HANDLE
    return response.status, document["responseCode"]


def value(index: int) -> dict[str, Any]:
    return {"index": index, "type": "EMAIL", "data": str(index)}


def test_a_change_that_another_one_overtook_is_made_on_top_of_it(bench: Bench) -> None:
    assert code(bench.put([URL])) == (201, 1)
    others = [lambda: bench.put([value(7)], (("index", "7"),)), lambda: bench.put([value(8)], (("index", "8"),))]
    answer = bench.put([value(2)], (("index", "2"),), Interfering(bench.store, "replace_record", others))
    assert code(answer) == (201, 1)
    assert bench.indexes() == [1, 2, 7, 8]


def test_one_that_is_overtaken_again_and_again_is_refused(bench: Bench) -> None:
    assert code(bench.put([URL])) == (201, 1)
    changes: tuple[Callable[[Any], Response], ...] = (
        lambda store: bench.put([value(2)], (("index", "2"),), store),
        lambda store: bench.put([value(2)], (("overwrite", "true"),), store),
        bench.delete,
    )
    for change in changes:
        others = [
            lambda index=index: bench.put([value(index)], (("index", str(index)),))
            for index in range(10, 10 + MAX_ATTEMPTS)
        ]
        assert code(change(Interfering(bench.store, "replace_record", others))) == (409, 2)
        bench.store.records_by_key.clear()
        assert code(bench.put([URL])) == (201, 1)
        assert bench.indexes() == [1]


@pytest.mark.parametrize(("overwrite", "expected"), [("true", (200, 1)), ("false", (409, 101))])
def test_of_two_that_create_a_handle_one_is_first(bench: Bench, overwrite: str, expected: tuple[int, int]) -> None:
    others = [lambda: bench.put([value(7)])]
    answer = bench.put([URL], (("overwrite", overwrite),), Interfering(bench.store, "create_record", others))
    assert code(answer) == expected
    assert bench.indexes() == ([1] if overwrite == "true" else [7])


def test_a_concurrent_withdrawal_wins(bench: Bench) -> None:
    assert code(bench.put([URL])) == (201, 1)
    answer = bench.put([value(2)], (), Interfering(bench.store, "replace_record", [bench.delete]))
    assert code(answer) == (409, 101)
    assert code(bench.get()) == (404, 100)


def test_a_handle_that_another_client_made_alike_is_there_already(bench: Bench) -> None:
    client, key = issue_client((ADMIN,), bench.clock, SeededEntropy(2))
    bench.store.put_client(client)
    own, bench.key = bench.key, key

    def other() -> None:
        bench.key = key
        bench.put([URL])

    bench.key = own
    query = (("overwrite", "false"),)
    assert code(bench.put([URL], query, Interfering(bench.store, "create_record", [other]))) == (409, 101)
    (record,) = bench.store.records_by_key.values()
    assert record.author == client.id


@pytest.mark.parametrize("name", ["prefixes", "record", "create_record", "client"])
def test_where_the_store_fails_nothing_is_said_of_the_handle(bench: Bench, name: str) -> None:
    answer = bench.put([URL], store=FailingStore(bench.store, "before", name))
    assert code(answer) == (503, 2)
    assert answer.headers["Retry-After"] == "5"
    assert isinstance(bench.heard[-1], StoreUnavailable)
    assert not bench.store.records_by_key
    if name in ("prefixes", "record"):
        answer = bench.get(FailingStore(bench.store, "before", name))
        assert (code(answer), answer.headers["Cache-Control"]) == ((503, 2), "no-store")


def test_without_a_signature_nothing_is_written(bench: Bench) -> None:
    bench.signer.broken = True
    assert code(bench.put([URL])) == (503, 2)
    assert isinstance(bench.heard[-1], SignerUnavailable)
    assert not bench.store.records_by_key


def test_auth_bypasses_the_cache(bench: Bench) -> None:
    memory = CachingReader(bench.store, lambda: bench.clock.milliseconds() / 1000)
    reading = HandleReadEndpoint(memory, bench.clock, BASE_URL)
    assert code(reading.get(Request("GET", "/"), HANDLE)) == (404, 100)
    assert code(bench.put([URL])) == (201, 1)
    assert code(reading.get(Request("GET", "/"), HANDLE)) == (404, 100)
    fresh = reading.get(Request("GET", "/", (("auth", "true"),)), HANDLE)
    assert (code(fresh), fresh.headers["Cache-Control"]) == ((200, 1), "no-store")


def test_in_an_outage_values_come_from_the_cache_and_are_marked_stale(bench: Bench) -> None:
    assert code(bench.put([URL])) == (201, 1)
    # A Handle may be one of others', too; that `hdl` is absent would not be told out of old memory.
    bench.store.put_prefix(provider_prefix("hdl", "https://hdl.handle.net/{$id}"), None)
    memory = CachingReader(bench.store, lambda: bench.clock.milliseconds() / 1000)
    reading = HandleReadEndpoint(memory, bench.clock, BASE_URL)
    assert "Cache-Status" not in reading.get(Request("GET", "/"), HANDLE).headers
    bench.clock.pause(3_600_000)
    memory.reader = FailingStore(bench.store, "before", "prefixes", "record")
    stale = reading.get(Request("GET", "/"), HANDLE)
    assert (code(stale), "fwd=stale" in stale.headers["Cache-Status"]) == ((200, 1), True)


def test_a_search_through_too_many_is_refused_rather_than_answered_in_part(bench: Bench) -> None:
    assert code(bench.put([URL])) == (201, 1)
    found = bench.search(most=1)
    assert (found.status, found.body) == (200, f'["{HANDLE}"]')
    refused = bench.search(most=0)
    assert refused.status == 400
    assert "more than 0 records" in json.loads(refused.body)["message"]


def test_values_are_cached_no_longer_than_their_locations_are_good(bench: Bench) -> None:
    assert code(bench.put([URL])) == (201, 1)
    (place,) = bench.store.records_by_key
    whole = bench.store.records_by_key[place]
    passing = replace(whole.records[0], valid_until="2025-07-10T14:22:50Z")
    bench.store.records_by_key[place] = replace(whole, records=(passing,))
    assert "max-age=20," in bench.get().headers["Cache-Control"]
    bench.clock.pause(20_000)
    assert bench.indexes() == []

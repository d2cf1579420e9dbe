"""Batches of rows: how they are split and repeated, and what becomes of rows that fail."""

import asyncio
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import orjson
import pytest

from coolid.client.async_client import AsyncClient
from coolid.client.client import Client
from coolid.client.errors import (
    AlreadyExists,
    BadAnswer,
    InvalidKey,
    MintQuotaExceeded,
    PayloadTooLarge,
    RefusedByClient,
    ServiceUnavailable,
    ValidationFailed,
)
from coolid.strict_json import MAX_BYTES
from tests.support.servers.http_server import KEY, RECORD, Behaviour, Host, give, host, problem

Row = dict[str, object]
Line = dict[str, Any]

DONE: Line = {"status": 201, "record": RECORD}


def refused(status: int, kind: str, **members: Any) -> Line:
    document = {"type": f"https://id.example.org/problems/{kind}", "title": kind, "status": status, "detail": kind}
    return {"status": status, "problem": document, **members}


LATER = refused(503, "line-not-tried", retryAfter=2)


def lines(*results: Line) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/x-ndjson"}, b"".join(orjson.dumps(each) + b"\n" for each in results)


def minted(site: Host) -> Behaviour:
    """Mint every line of the latest request."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        give(lines(*[DONE] * len(site.requests[-1].body.splitlines())), handler)

    return answer


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        running.will(minted(running))
        yield running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(site: Host, waits: list[float]) -> Iterator[Client]:
    with Client(site.url, KEY, wait=waits.append) as running:
        yield running


def rows(number: int, **members: object) -> list[Row]:
    return [{"prefix": "demo", "uri": f"https://content.example.org/{each}", **members} for each in range(number)]


class TestSplits:
    def test_a_batch_has_at_most_a_thousand_lines(self, site: Host, client: Client) -> None:
        results = list(client.mint_many(rows(2_001)))
        assert [result.index for result in results] == list(range(2_001))
        assert [len(sent.body.splitlines()) for sent in site.requests] == [1_000, 1_000, 1]
        assert {sent.target for sent in site.requests} == {"/api/v1/records/batch"}

    def test_a_batch_has_at_most_a_megabyte(self, site: Host, client: Client) -> None:
        results = list(client.mint_many(rows(10, metadata={"what": "é" * 150_000})))
        assert [result.row["uri"] for result in results] == [row["uri"] for row in rows(10)]
        assert [len(sent.body.splitlines()) for sent in site.requests] == [3, 3, 3, 1]
        assert max(len(sent.body) for sent in site.requests) <= MAX_BYTES

    def test_every_batch_has_an_idempotency_key_of_its_own_which_a_second_run_repeats(
        self, site: Host, client: Client
    ) -> None:
        for _ in range(2):
            list(client.mint_many(rows(5), idempotency_key="import", batch_size=2))
        keys = [sent.headers["idempotency-key"] for sent in site.requests]
        assert keys == ["import/0", "import/2", "import/4"] * 2
        list(client.mint_many(rows(1)))
        list(client.mint_many(rows(1)))
        assert len({sent.headers["idempotency-key"] for sent in site.requests}) == 5

    def test_rows_are_taken_as_they_are_needed(self, client: Client) -> None:
        taken: list[int] = []

        def arriving() -> Iterator[Row]:
            for number, row in enumerate(rows(10)):
                taken.append(number)
                yield row

        results = client.mint_many(arriving(), batch_size=3)
        assert taken == []
        assert (next(results).index, len(taken)) == (0, 4)

    def test_no_rows_need_no_request(self, site: Host, client: Client) -> None:
        assert list(client.mint_many([])) == []
        assert site.requests == []

    @pytest.mark.parametrize("size", [0, -1, 1_001])
    def test_an_impossible_size_is_refused(self, client: Client, size: int) -> None:
        with pytest.raises(ValueError, match="1 to 1000"):
            list(client.mint_many(rows(1), batch_size=size))


class TestRowsThatFail:
    def test_they_are_results_in_their_places(self, site: Host, client: Client) -> None:
        taken, broken = refused(409, "identifier-taken"), refused(422, "invalid-input", errors=[])
        broken["problem"]["errors"] = [{"pointer": "/uri", "detail": "it is no URL"}]
        site.will(lines(DONE, taken, DONE | {"warnings": [{"pointer": "/records/0/uri", "detail": "odd"}]}, broken))
        first, second, third, fourth = client.mint_many(rows(4))
        assert (first.error, second.record, third.warnings) == (None, None, (("/records/0/uri", "odd"),))
        assert first.record is not None
        assert first.record.pid == RECORD["pid"]
        assert isinstance(second.error, AlreadyExists)
        assert isinstance(fourth.error, ValidationFailed)
        assert fourth.error.violations == (("/uri", "it is no URL"),)
        assert len(site.requests) == 1

    @pytest.mark.parametrize(
        ("row", "kind"),
        [
            ({"prefix": "demo", "metadata": {"what": "x" * MAX_BYTES}}, PayloadTooLarge),
            ({"prefix": "demo", "uri": "\ud800"}, RefusedByClient),
            ({"prefix": object()}, RefusedByClient),
        ],
    )
    def test_a_row_that_cannot_be_sent_stops_no_other(
        self, site: Host, client: Client, row: Row, kind: type[Exception]
    ) -> None:
        before, wrong, after = client.mint_many([*rows(1), row, *rows(1)])
        assert isinstance(wrong.error, kind)
        assert [result.error for result in (before, after)] == [None, None]
        assert len(site.requests) == 1
        assert [result.error is None for result in client.mint_many([row])] == [False]
        assert len(site.requests) == 1


class TestRepeats:
    @pytest.mark.parametrize("line", [LATER, refused(409, "request-under-way"), refused(409, "contended")])
    def test_a_line_that_was_not_tried_is_tried_again_with_its_whole_batch(
        self, site: Host, client: Client, waits: list[float], line: Line
    ) -> None:
        site.will(lines(DONE, line), lines(DONE, DONE))
        assert [result.error for result in client.mint_many(rows(2))] == [None, None]
        first, second = site.requests
        assert (first.body, first.headers["idempotency-key"]) == (second.body, second.headers["idempotency-key"])
        assert waits == [max(0.5, line.get("retryAfter", 0))]

    def test_it_is_tried_as_long_as_others_succeed(self, site: Host, client: Client, waits: list[float]) -> None:
        site.will(*[lines(*[DONE] * done, *[LATER] * (10 - done)) for done in range(11)])
        assert [result.error for result in client.mint_many(rows(10))] == [None] * 10
        assert waits == [2] * 10

    def test_in_the_end_it_is_a_result_with_an_error(self, site: Host, client: Client, waits: list[float]) -> None:
        site.will(lines(DONE, LATER))
        first, second = client.mint_many(rows(2))
        assert first.error is None
        assert isinstance(second.error, ServiceUnavailable)
        assert (len(site.requests), len(waits)) == (4, 3)

    def test_a_quota_of_a_minute_is_waited_for_and_one_of_a_day_is_not(
        self, site: Host, client: Client, waits: list[float]
    ) -> None:
        site.will(lines(refused(429, "quota-exceeded", retryAfter=60)), lines(DONE))
        assert [result.error for result in client.mint_many(rows(1))] == [None]
        assert waits == [60]
        site.will(lines(refused(429, "quota-exceeded", retryAfter=61)))
        (result,) = client.mint_many(rows(1))
        assert isinstance(result.error, MintQuotaExceeded)
        assert (result.error.retry_after, waits) == (61, [60])

    def test_a_busy_service_gets_the_batch_again(self, site: Host, client: Client, waits: list[float]) -> None:
        site.will(problem(503, retry_after=3), lines(DONE))
        assert [result.error for result in client.mint_many(rows(1))] == [None]
        assert waits == [3]

    def test_what_refuses_the_whole_request_is_raised_after_the_results_before_it(
        self, site: Host, client: Client
    ) -> None:
        site.will(lines(DONE), problem(401))
        results = client.mint_many(rows(2), batch_size=1)
        assert next(results).error is None
        with pytest.raises(InvalidKey):
            next(results)


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"5", b"{", b'{"status":201}', b'{"status":201,"record":{}}', b'{"status":400}', b'{"problem":{}}'],
)
@pytest.mark.parametrize("media_type", ["application/x-ndjson", "text/html"])
def test_another_answer_is_no_result(site: Host, client: Client, body: bytes, media_type: str) -> None:
    site.will((200, {"Content-Type": media_type}, body))
    with pytest.raises(BadAnswer):
        list(client.mint_many(rows(1)))


def test_an_answer_of_other_lines_is_no_result(site: Host, client: Client) -> None:
    site.will(lines(DONE, DONE, DONE))
    with pytest.raises(BadAnswer, match="3 results to a batch of 2"):
        list(client.mint_many(rows(2)))


@pytest.mark.parametrize("source", [iter, list])
def test_the_asynchronous_client_splits_alike(site: Host, source: Callable[[list[Row]], Any]) -> None:
    async def mint() -> list[int]:
        async with AsyncClient(site.url, KEY) as client:
            return [result.index async for result in client.mint_many(source(rows(5)), batch_size=2)]

    assert asyncio.run(mint()) == list(range(5))
    assert [len(sent.body.splitlines()) for sent in site.requests] == [2, 2, 1]

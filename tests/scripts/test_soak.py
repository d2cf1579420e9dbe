"""The soak: its mix fits the product, its checks detect errors, and its statistics detect leaks and nothing else.

Locust and the long run are for `make soak`; here the same clients use a system in this process.
"""

import doctest
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import count
from random import Random
from typing import Any
from unittest.mock import patch

import boto3
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.identifiers.schemes import lui
from scripts.soak import expecting, reading, report, results, spellings, steadiness
from scripts.soak.kept import Edition, Foreign, Kept, Owner, World
from scripts.soak.messages import Ask, Expectation, Reply, Row, ask
from scripts.soak.report import PLOTS
from scripts.soak.results import Setting
from scripts.soak.store import quick_queries
from scripts.soak.visitor import Operation, Visitor, mix
from scripts.soak.watching import Inside, Sample
from tests.support.builders.samples import BASE_URL, ROOT
from tests.support.fixtures.system import System
from tests.support.stores import moto_store
from tests.support.stores.moto_store import CREDENTIALS

SOAK = ROOT / "docs" / "explanation" / "evidence" / "soak"
WITH_EXAMPLES = (
    "expecting",
    "kept",
    "messages",
    "report",
    "results",
    "served",
    "spellings",
    "steadiness",
    "warming",
    "watching",
)
OPERATIONS = tuple(mix())
OF_ANY_RECORD = (
    reading.redirect,
    reading.conditional,
    reading.head,
    reading.metadata,
    reading.page,
    reading.parse,
    reading.bulk,
    reading.memento,
)
SETTING = Setting(1000, 2, "1", 1.0, "a machine", "3.11", "2.47", 0.0)
MIB = 1 << 20

Tamper = Callable[[Reply], Reply]


def names(operation: Operation) -> str:
    return operation.__name__


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_in_its_modules_are_right(name: str) -> None:
    failed, tried = doctest.testmod(import_module(f"scripts.soak.{name}"))
    assert (failed, tried > 0) == (0, True)


class TestReport:
    def test_the_page_is_what_the_results_make(self) -> None:
        found = results.read(SOAK / report.RESULTS)
        assert (SOAK / report.PAGE).read_text(encoding="utf-8") == report.page(found)
        assert all((SOAK / name).exists() for name in PLOTS)

    def test_only_complete_and_successful_runs_are_stored(self) -> None:
        found = results.read(SOAK / report.RESULTS)
        assert found.setting.requests >= steadiness.HOUR
        assert sum(kind.requests for kind in found.kinds) == found.setting.requests
        assert found.passed


class Town:
    """A system with clients of it, in this process; `rows` are what was kept, `tamper` comes before the judge."""

    def __init__(self, system: System) -> None:
        self.rows: list[Row] = []
        self.tamper: Tamper = lambda reply: reply
        self._system = system
        self._now = count()
        owners = [self._owner(number) for number in range(2)]
        self.world = World(BASE_URL, owners, [self._foreign(number) for number in range(18)], [], self._absent(), 1)
        self.visitors = [Visitor(self.world, owner, Random(1), self.tell, self.clock) for owner in owners]

    def clock(self) -> float:
        return float(next(self._now))

    def tell(self, kind: str, ask: Ask, expected: Expectation) -> Reply:
        begun, reply = self.clock(), self.send(ask)
        tampered = self.tamper(reply)
        returned = expected(tampered, begun, self.clock())
        self.rows.append(Row(kind, begun, 1.0, tampered.status, tuple(returned)))
        return reply

    def send(self, ask: Ask) -> Reply:
        path, _, query = ask.path.partition("?")
        answer = self._system.request(
            ask.method, path, query=query, headers=list(ask.headers.items()), body=ask.body or b""
        )
        return Reply(answer.status, answer.headers, answer.content or answer.body.encode())

    def _owner(self, number: int) -> Owner:
        short, dated = f"soak{number}", f"2026/11/soak{number}"
        made = self._system.admin("POST", "/api/v1/repositories", {"title": short, "scheme": "lui"}).json()
        for prefix in (dated, short):
            document = {"kind": "namespace", "repository": made["id"]}
            assert self._system.admin("PUT", f"/api/v1/prefixes/{prefix}", document).status == 201
        key = self._system.key_with(*(f"{verb}:{prefix}" for verb in ("mint", "update") for prefix in (short, dated)))
        return Owner(key, made["id"], short, dated)

    def _foreign(self, number: int) -> Foreign:
        found = Foreign(f"others{number}", f"https://others{number}.example.org/{{$id}}", 5)
        document = {"kind": "provider", "providers": [{"code": "them", "url": found.url}]}
        assert self._system.admin("PUT", f"/api/v1/prefixes/{found.prefix}", document).status == 201
        return found

    def _absent(self) -> Sequence[str]:
        return [lui.format(lui.encode(number)) for number in range(9)]


@pytest.fixture(scope="module")
def town(untouched: System) -> Town:
    """Clients with some records each, one of which is withdrawn, and others changed."""
    town = Town(untouched.copied())
    operations = {operation.__name__: operation for operation in OPERATIONS}
    for visitor in town.visitors:
        for name in ("batch", "update", "withdraw"):
            operations[name](visitor)
    return town


@pytest.fixture
def quiet(town: Town) -> Iterator[Town]:
    """The same with nothing kept yet, and nobody who tampers."""
    town.rows.clear()
    yield town
    town.tamper = lambda reply: reply


def failing(reply: Reply) -> Reply:
    return Reply(500, reply.headers, reply.body)


def mistaken(reply: Reply) -> Reply:
    """The same status with what belongs to something else."""
    elsewhere = {"location": "https://elsewhere.example.org/", "link": "", "etag": '"x"', "content-type": "text/html"}
    return Reply(reply.status, {**reply.headers, **elsewhere}, b'{"pid": "https://elsewhere.example.org/"}')


class TestJudge:
    @pytest.mark.parametrize("operation", OPERATIONS, ids=names)
    def test_it_has_nothing_against_what_the_product_answers(self, quiet: Town, operation: Operation) -> None:
        for _ in range(1 if operation.__module__.endswith("writing") else 4):
            operation(quiet.visitors[0])
        assert quiet.rows
        assert [row for row in quiet.rows if row.objections] == []

    @pytest.mark.parametrize("operation", OF_ANY_RECORD, ids=names)
    def test_it_has_nothing_against_what_the_product_answers_of_a_withdrawn_record(
        self, quiet: Town, operation: Operation
    ) -> None:
        withdrawn = next(each for each in quiet.world.records if each.now.target is None)
        owner = quiet.world.owners[0]
        world = msgspec.structs.replace(quiet.world, records=[withdrawn])
        visitor = Visitor(world, owner, Random(1), quiet.tell, quiet.clock)
        for _ in range(6):
            operation(visitor)
        assert [row for row in quiet.rows if row.objections] == []

    @pytest.mark.parametrize("tamper", [failing, mistaken])
    @pytest.mark.parametrize("operation", OPERATIONS, ids=names)
    def test_it_objects_to_another_status_and_to_another_content(
        self, quiet: Town, operation: Operation, tamper: Tamper
    ) -> None:
        quiet.tamper = tamper
        for _ in range(1 if operation.__module__.endswith("writing") else 12):  # each draws what it asks for
            operation(quiet.visitors[0])
        assert quiet.rows
        assert all(row.objections for row in quiet.rows), quiet.rows

    def test_it_objects_to_what_was_before_an_acknowledged_change_and_not_to_it_during_the_change(self) -> None:
        stored = Kept("n", "n/1", "http://x/n/1", "1", "w", [Edition(1, "https://a/", 0, 0)])
        stored.editions.append(Edition(2, "https://b/", begun=5, acknowledged=6))
        old = Reply(302, {"location": "https://a/", "link": '<http://x/n/1>; rel="canonical"'})
        assert expecting.redirects(stored)(old, 5.5, 7) == []
        assert expecting.redirects(stored)(old, 6, 7) == ["it does not lead to https://b/"]

    def test_a_withdrawn_record_never_redirects(self) -> None:
        stored = Kept("n", "n/1", "http://x/n/1", "1", "w", [Edition(1, "https://a/", 0, 0), Edition(2, None, 5, 6)])
        old = Reply(302, {"location": "https://a/", "link": '<http://x/n/1>; rel="canonical"'})
        assert expecting.redirects(stored)(old, 7, 8)
        stone = Reply(410, {"link": '<http://x/n/1>; rel="canonical"'})
        assert expecting.redirects(stored)(stone, 7, 8) == []
        assert expecting.redirects(stored)(Reply(410, {**stone.headers, "location": "https://a/"}), 7, 8)

    def test_only_reads_may_get_a_valid_503(self) -> None:
        good, bad = Reply(503, {"retry-after": "1", "cache-control": "no-store"}), Reply(503)
        assert expecting.is_delayed(Ask("GET", "/x"), good)
        assert not expecting.is_delayed(Ask("GET", "/x"), bad)
        assert not expecting.is_delayed(ask("POST", "/api/v1/records", document={}), good)

    @given(st.integers(0, 32**8 - 1), st.randoms(use_true_random=False))
    def test_every_spelling_is_of_the_same_identifier(self, number: int, rng: Random) -> None:
        compact = lui.encode(number)
        assert lui.compact(spellings.misread(lui.format(compact), rng)) == compact


def series(seed: int, per_request: float, restless: float = 1.0) -> list[tuple[float, float]]:
    """A process of 450 MiB over an hour's worth of requests: some noise, garbage that comes and goes, and a leak."""
    rng, drift = Random(seed), 0.0
    found = []
    for at in range(400):
        requests = at * steadiness.HOUR / 400
        drift = 0.9 * drift + rng.gauss(0, 0.1 * MIB) * restless
        garbage = (requests % 3000) / 3000 * MIB * restless
        found.append((requests, 450 * MIB + drift + garbage + per_request * requests))
    return found


class TestStatistics:
    @pytest.mark.parametrize("seed", range(5))
    def test_memory_that_comes_and_goes_is_steady(self, seed: int) -> None:
        assert all(verdict.met for verdict in steadiness.verdicts(series(seed, 0), "memory"))

    @pytest.mark.parametrize("seed", range(5))
    def test_a_leak_of_two_hundred_bytes_a_request_is_found(self, seed: int) -> None:
        growth, _ = steadiness.verdicts(series(seed, 200), "memory")
        assert not growth.met

    def test_memory_with_too_much_noise_does_not_pass(self) -> None:
        assert not all(verdict.met for verdict in steadiness.verdicts(series(3, 0, restless=20), "memory"))

    @given(st.floats(-1000, 1000), st.floats(1, 1e9))
    def test_a_straight_line_has_its_own_slope(self, slope: float, begun: float) -> None:
        found = steadiness.growth([(float(at), begun + slope * at) for at in range(60)])
        assert found.lower <= found.middle <= found.upper
        assert found.middle == pytest.approx(slope, rel=1e-3, abs=1e-3)

    def test_too_few_samples_are_not_judged(self) -> None:
        with pytest.raises(ValueError, match="too few"):
            steadiness.growth([(1.0, 1.0)] * 5)


def gathered(rows: Sequence[Row], said: Sequence[str] = (), leak: int = 0) -> results.Results:
    samples = [Sample(at / 2, 450 * MIB + leak * at * 5, 440 * MIB, 34, 90) for at in range(220)]
    inside = [Inside(at / 2, 3_000_000, 90 * MIB) for at in range(220)]
    return results.gather(SETTING, rows, samples, inside, begun=0.0, said=said)


def rows_of(number: int, **others: Any) -> list[Row]:
    rows = [Row("redirect", at / 10, 0.01, 302) for at in range(number)]
    rows[-1] = msgspec.structs.replace(rows[-1], **others)
    return rows


class TestResults:
    @pytest.fixture(autouse=True)
    def few(self) -> Iterator[None]:
        """A thousand requests are enough to judge by."""
        with patch.object(results, "FEWEST", 1000):
            yield

    def test_memory_is_not_judged_by_too_few_requests(self) -> None:
        with patch.object(results, "FEWEST", 1001):
            assert gathered(rows_of(1000), leak=1000).passed

    def test_a_run_in_which_everything_held_passes(self) -> None:
        assert gathered(rows_of(1000)).passed

    @pytest.mark.parametrize(
        "found",
        [
            lambda: gathered(rows_of(999)),
            lambda: gathered(rows_of(1000, objections=("it leads elsewhere",))),
            lambda: gathered(rows_of(1000), said=["Traceback"]),
            lambda: gathered(rows_of(1000), leak=1000),
            lambda: gathered([*rows_of(998), *rows_of(1, delayed=True), *rows_of(1, delayed=True)]),
        ],
        ids=["cut short", "wrong answer", "complaint", "leak", "too often too late"],
    )
    def test_one_in_which_something_did_not_fails_and_its_page_says_so(
        self, found: Callable[[], results.Results]
    ) -> None:
        returned = found()
        assert not returned.passed
        assert "**no**" in report.page(returned)

    def test_what_is_written_is_read_again(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        path = tmp_path_factory.mktemp("soak") / report.RESULTS
        found = gathered(rows_of(1000, objections=("x",)), said=["y"])
        results.write(path, found)
        assert results.read(path) == found


def test_a_quick_query_finds_what_a_slow_one_does_and_in_the_same_order() -> None:
    keys = [{"AttributeName": "of", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]
    index = {
        "IndexName": "ByKind",
        "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    with patch.dict(os.environ, CREDENTIALS), moto_store.running():
        client: Any = boto3.client("dynamodb")
        client.create_table(
            TableName="soaked",
            KeySchema=keys,
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("of", "at", "kind")],
            GlobalSecondaryIndexes=[index],
            BillingMode="PAY_PER_REQUEST",
        )
        for number in (3, 1, 4, 5, 9, 2, 6):
            names = {"of": f"o{number % 2}", "at": f"a{number}", "kind": f"k{number % 3 % 2}"}
            client.put_item(TableName="soaked", Item={name: {"S": value} for name, value in names.items()})

        def pages(by: str, value: str, **more: Any) -> list[Mapping[str, Any]]:
            requested = {"KeyConditionExpression": f"#{by} = :v", "ExpressionAttributeNames": {f"#{by}": by}} | more
            pager = client.get_paginator("query").paginate(
                TableName="soaked", ExpressionAttributeValues={":v": {"S": value}}, **requested
            )
            return [item for page in pager for item in page["Items"]]

        def all_of_them() -> list[list[Mapping[str, Any]]]:
            both = [{"ScanIndexForward": forward, "Limit": 2} for forward in (True, False)]
            plain = [pages("of", value, **more) for value in ("o0", "o1", "o2") for more in both]
            return plain + [pages("kind", value, IndexName="ByKind", **more) for value in ("k0", "k1") for more in both]

        slow = all_of_them()
        with quick_queries():
            assert all_of_them() == slow
        assert sum(map(len, slow)) == 4 * 7

"""The benchmark: the form of its results, its page, and the correctness of its tools."""

import doctest
import http.client
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.identifiers.schemes import lui
from scripts.benchmark import canned, report, results, rows
from scripts.benchmark.canned import Canned
from scripts.benchmark.handlers import demand, event, own_path, resolving
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.identifiers import NAMESPACE, suffix
from scripts.benchmark.results import Goal, entries, figure, ratio_at_least
from scripts.benchmark.rows import Rows, merged, named
from scripts.benchmark.runtime import RuntimeApi
from scripts.benchmark.tables import STEM, Tables
from tests.support.builders.samples import ROOT
from tests.support.fixtures.system import TablesSystem

BENCH = ROOT / "docs" / "explanation" / "evidence" / "bench"
MEMBERS = {
    "name": str,
    "unit": str,
    "median": float | int,
    "min": float | int,
    "max": float | int,
    "ratio_to": str | None,
    "ratio": float | int | None,
    "goal": str | None,
    "met": bool | None,
}
WITH_EXAMPLES = ("cliffs", "harness", "http_load", "identifiers", "report", "results", "tables")


@pytest.fixture(autouse=True)
def _no_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the harness the collection of all tests' objects, which takes longer than what it measures here."""
    for name in ("collect", "freeze", "unfreeze"):
        monkeypatch.setattr(f"gc.{name}", lambda: None)


samples = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=9)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_in_its_modules_are_right(name: str) -> None:
    failed, tried = doctest.testmod(import_module(f"scripts.benchmark.{name}"))
    assert (failed, tried > 0) == (0, True)


class TestWhatWasFound:
    @pytest.fixture
    def found(self) -> list[dict[str, Any]]:
        results: list[dict[str, Any]] = json.loads((BENCH / report.RESULTS).read_text(encoding="utf-8"))
        return results

    def test_every_line_of_the_results_has_the_members_and_no_others(self, found: list[dict[str, Any]]) -> None:
        assert found
        for line in found:
            assert line.keys() == MEMBERS.keys()
            assert all(isinstance(line[member], kind) for member, kind in MEMBERS.items()), line

    def test_a_ratio_is_that_of_two_medians_within_their_digits(self, found: list[dict[str, Any]]) -> None:
        medians = {line["name"]: line["median"] for line in found}
        assert len(medians) == len(found)
        for line in found:
            assert line["min"] <= line["median"] <= line["max"]
            if line["ratio"] is not None:
                assert line["ratio"] == pytest.approx(line["median"] / medians[line["ratio_to"]], rel=0.002)

    def test_a_goal_is_judged_and_nothing_is_judged_without_one(self, found: list[dict[str, Any]]) -> None:
        assert any(line["goal"] for line in found)
        assert all((line["goal"] is None) == (line["met"] is None) for line in found)

    def test_the_page_has_the_tables_that_the_results_make(self) -> None:
        page = (BENCH / report.PAGE).read_text(encoding="utf-8")
        assert report.tables(results.read(BENCH / report.RESULTS)) in page
        pictures = {path.name for path in BENCH.glob("*.png")}
        assert pictures
        assert all(f"({name})" in page for name in pictures)

    def test_another_page_has_the_goals_of_the_same_results(self) -> None:
        page = (ROOT / "docs" / "explanation" / "evidence" / "performance.md").read_text(encoding="utf-8")
        assert report.with_goals(page, results.read(BENCH / report.RESULTS)) == page


class TestResults:
    @given(samples, samples, st.floats(0.01, 100))
    def test_a_ratio_goal_is_met_exactly_where_the_medians_say_so(
        self, ours: list[float], theirs: list[float], least: float
    ) -> None:
        mine = figure("x: ours", "µs", ours)
        one, other = entries([mine, figure("x: theirs", "µs", theirs).beside("x: ours", ratio_at_least(least))])
        assert one.min <= one.median <= one.max
        assert other.met is not None
        if abs(other.median / one.median - least) > 0.01 * least:
            assert other.met == (other.median / one.median > least)

    def test_what_has_nothing_to_be_compared_with_is_not_judged(self) -> None:
        (line,) = entries([figure("x: theirs", "µs", [1.0]).beside("x: ours", ratio_at_least(1))])
        assert (line.ratio, line.met) == (None, None)

    @given(samples, st.floats(0.001, 1e6))
    def test_what_is_written_is_read_again(
        self, tmp_path_factory: pytest.TempPathFactory, some: list[float], most: float
    ) -> None:
        path = tmp_path_factory.mktemp("results") / "results.json"
        lines = entries([figure("a: µ", "ms", some).aiming(Goal("few", "median", most=most)), figure("b", "MB", [0])])
        results.write(path, lines)
        assert results.read(path) == lines


class TestHarness:
    def test_every_case_has_a_turn_in_every_round_and_a_figure_for_one_thing(self) -> None:
        now, calls = 0.0, 0

        def work() -> None:  # takes a second of this clock
            nonlocal now, calls
            now, calls = now + 1, calls + 1

        cases = [Case("one", work), Case("ten", work, things=10)]
        returned = measured(cases, 4, seconds=8, clock=lambda: now)
        assert returned == {"one": [1e6] * 4, "ten": [1e5] * 4}
        assert calls >= 8 * 4 * 2

    @given(st.floats(0.001, 1), st.integers(1, 100))
    def test_less_effort_is_fewer_rounds_but_never_fewer_than_three(self, share: float, usual: int) -> None:
        assert 3 <= Effort(share).rounds(usual) <= max(3, usual)
        assert 1 <= Effort(share).number(usual) <= usual


@pytest.fixture(scope="module")
def held(light_tables: TablesSystem) -> Rows:
    """What a system holds into which a record was minted."""
    system = light_tables.copied()
    return rows.gather(system.invoke, system.admin_key, system.environment)


@pytest.fixture(scope="module")
def store(held: Rows, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canned]:
    """A canned store that holds the same."""
    folder = tmp_path_factory.mktemp("canned")
    (folder / canned.ROWS).write_bytes(msgspec.json.encode(held))
    canned.vouch(folder)
    with canned.running(folder) as running:
        yield running


class TestStore:
    @pytest.mark.parametrize("client", ["own", "boto3"])
    @pytest.mark.parametrize("tls", [False, True])
    def test_the_function_resolves_over_it_with_either_client(self, store: Canned, client: str, tls: bool) -> None:
        view = f"{client}-{tls}"
        returned = store.environment(tls=tls, prefixes=f"prefixes.{view}", luis=f"luis-3.{view}", client=client)
        store.counts()
        handler = resolving(returned)
        assert store.counts() == {"BatchGetItem": 1, "GetItem": 1, "ReadUnits": 2.5}
        answer = demand(handler(event(own_path(2)), None), 302)
        assert answer["multiValueHeaders"]["Location"] == [rows.MINTED["uri"]]
        assert f"/{NAMESPACE}/{lui.format(suffix(2))}>" in answer["multiValueHeaders"]["Link"][0]
        assert store.counts() == {"GetItem": 1, "ReadUnits": 0.5}
        demand(handler(event(own_path(3)), None), 404)

    def test_what_fails_is_never_taken_for_quick(self) -> None:
        with pytest.raises(AssertionError, match="503 instead of 302"):
            demand({"statusCode": 503, "body": ""}, 302)

    @given(st.integers(0, 10**6), st.integers(0, 10**6))
    def test_no_two_records_of_it_have_the_same_identifier(self, one: int, other: int) -> None:
        assert lui.is_valid(suffix(one))
        assert (suffix(one) == suffix(other)) == (one == other)

    def test_more_records_differ_from_the_first_in_nothing_but_identifier_and_key(self, held: Rows) -> None:
        ((pid, row),) = held.records([5])
        changed = msgspec.json.decode(row.replace(suffix(5).encode(), held.key.encode()))
        assert pid.endswith(f"/{suffix(5)}")
        assert changed["pid"] == held.pattern["pid"]
        body = changed["body"]["S"].replace(lui.format(suffix(5)), held.identifier)
        assert changed | {"body": {"S": body}} == held.pattern

    def test_a_stem_names_every_prefix_below_it_and_those_that_were_there(self, held: Rows) -> None:
        tables = Tables(held)
        names = {row["name"]["S"]: row for row in merged(tables.demonstration(), named(3, STEM))}
        assert set(names["2021/06"]["longer"]["SS"]) == {NAMESPACE, *(f"{STEM}p{number:06}" for number in range(3))}
        assert set(tables.content("prefixes-nested-3")) == set(names)


class Client:
    """Lambda's runtime client, as far as a stub of its API can tell."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=10)

    def next(self) -> tuple[str, Any]:
        """The id of the next event, and the event."""
        self._connection.request("GET", "/2018-06-01/runtime/invocation/next")
        answer = self._connection.getresponse()
        return answer.headers["Lambda-Runtime-Aws-Request-Id"], json.loads(answer.read())

    def respond(self, identifier: str, answer: Any) -> int:
        """The status of handing over an answer."""
        body = json.dumps(answer).encode()
        self._connection.request("POST", f"/2018-06-01/runtime/invocation/{identifier}/response", body)
        returned = self._connection.getresponse()
        returned.read()
        return returned.status

    def close(self) -> None:
        """Go."""
        self._connection.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the clock of another process is Linux's")
def test_the_runtime_api_gives_events_in_turn_and_keeps_what_is_answered() -> None:
    requested: list[dict[str, Any]] = [{"number": number} for number in range(3)]
    with RuntimeApi(requested) as api:
        itself: Any = SimpleNamespace(pid=os.getpid(), poll=lambda: None)
        api.process = itself
        client = Client(api.address)
        for number in range(3):
            identifier, given = client.next()
            assert given == {"number": number}
            assert client.respond(identifier, {"answer": number}) == 202
        api.wait()
        client.close()
    assert [json.loads(answer) for answer in api.answers] == [{"answer": number} for number in range(3)]
    assert api.moments == sorted(api.moments)
    assert api.processor == sorted(api.processor)

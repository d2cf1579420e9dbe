"""Many identifiers in one request: each resolves as in a single request, and unknown states are never refusals.

The cost of one request is limited; identifiers over the limit are to be sent again.
"""

import json
from typing import Any

import pytest

from coolid.identifiers.rules.cooldoi import CoolDoiRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes.lui import encode
from coolid.resolution.request_budget import (
    MAX_KEYS,
    MAX_MILLISECONDS,
    MAX_PROCESSOR_SECONDS,
    MAX_REFUSALS_WITH_SUGGESTIONS,
    MAX_SUGGESTION_KEYS,
)
from tests.support.builders.samples import BASE_URL, namespace, repository
from tests.support.fixtures.application import HERE, MINT, RECORDS, InMemoryApplication
from tests.support.fixtures.system import System
from tests.support.stores.store_wrappers import CountedReads, FailingStore

BULK = "/api/v1/resolve"
NOBODYS = "demo:zzzz-zzzz-90"


def requested(app: Any, ids: Any) -> list[Any]:
    answer = app.request("POST", BULK, body=json.dumps({"ids": ids}).encode(), key=None)
    assert answer.status == 200, answer.body
    results: list[Any] = answer.json()["results"]
    assert [each["id"] for each in results] == ids
    return results


@pytest.fixture
def app() -> InMemoryApplication:
    """With a record, a tombstone, one that leads nowhere, one that is reserved, and a choice."""
    app = InMemoryApplication()
    owner = repository("zzzz-zzzz-90", choices=True)
    app.store.create_repository(owner)
    app.store.put_prefix(namespace("choice", owner), None)
    records: dict[str, dict[str, Any]] = {
        "tw0t-ywdj-94": {"uri": HERE},
        "0000-0001-95": {"metadata": {"what": "A thing"}},
        "0000-0002-92": {"uri": HERE, "status": "reserved"},
        "0000-0003-89": {"uri": HERE},
        "0000-0004-86": {"records": [{"uri": HERE, "status": "inactive"}]},
    }
    for lui, members in records.items():
        assert app.mint({"prefix": "demo", "id": lui, **members}).status == 201, lui
    two = [{"uri": f"{HERE}/{at}"} for at in range(2)]
    assert app.mint({"prefix": "choice", "id": "0000-0001-95", "records": two}).status == 201
    assert app.change("DELETE", f"{RECORDS}/demo:0000-0003-89", {"reason": "It was wrong"}).status == 200
    return app


class TestResults:
    @pytest.mark.parametrize(
        "written",
        [
            "demo:tw0t-ywdj-94", "DEMO/TWOTYWDJ94", "2021/06/demo/tw0tywdj94", f"{BASE_URL}/demo:tw0t-ywdj-94",
            f"<{BASE_URL}/2021/06/demo/tw0t-ywdj-94>", " demo:tw0t-ywdj-94 ", f"{BASE_URL}/resolve/demo:tw0t-ywdj-94",
        ],
    )  # fmt: skip
    def test_any_form_that_people_write_leads_there(self, app: InMemoryApplication, written: str) -> None:
        assert requested(app, [written]) == [{"id": written, "status": 302, "location": HERE}]

    def test_each_is_what_it_would_be_alone(self, app: InMemoryApplication) -> None:
        ids = {
            "demo:tw0t-ywdj-94": (302, "location"), "go:0006915": (302, "location"),
            "demo:0000-0001-95": (200, "document"), "2021/06/demo": (200, "document"), "go:": (200, "document"),
            "choice:0000-0001-95": (300, "document"), "demo:0000-0003-89": (410, "document"),
            NOBODYS: (404, "problem"), "demo:0000-0002-92": (404, "problem"), "demo:0000-0004-86": (404, "problem"),
            "nobodys:1": (404, "problem"), "2021/06": (404, "problem"), "demo:tw0t-ywdj-95": (400, "problem"),
            "demo:x y": (400, "problem"), "demo:\x00": (400, "problem"),
            "demo:" + "a" * 3_000: (414, "problem"), "demo": (400, "problem"), "b2f6f0d7c7d34e3e": (400, "problem"),
            "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14": (404, "problem"),
        }  # fmt: skip
        for result, (text, (status, member)) in zip(requested(app, [*ids]), ids.items(), strict=True):
            assert (result["status"], result.keys()) == (status, {"id", "status", member}), text
            path = "/resolve/" + text.replace(" ", "%20").replace("\x00", "%00")
            alone = app.get(path, headers=[("Accept", "*/*")])
            assert alone.status == status
            assert result[member] == (alone.headers["location"] if member == "location" else alone.json())

    def test_what_is_written_in_percent_signs_is_no_escape_outside_of_urls(self, app: InMemoryApplication) -> None:
        coded, plain = requested(app, [f"{BASE_URL}/demo:tw0t%2Dywdj-94", "go:a%2Fb"])
        assert coded["location"] == HERE
        assert plain["location"] == "https://go.example/a%2Fb"

    def test_a_repeated_identifier_gets_the_same_result(self, app: InMemoryApplication) -> None:
        assert [each["status"] for each in requested(app, ["demo:tw0t-ywdj-94", NOBODYS] * 3)] == [302, 404] * 3

    def test_nothing_is_answered_with_nothing(self, app: InMemoryApplication) -> None:
        assert requested(app, []) == []

    def test_a_thousand_at_once(self, light: System) -> None:
        lines = [MINT | {"uri": f"{HERE}/{at}"} for at in range(40)]
        made = light.request("POST", "/api/v1/records/batch", document=lines, key=light.admin_key).json()
        ids = [f"demo:{made[at % 40]['record']['id']}" for at in range(1_000)]
        results = requested(light, ids)
        assert [each["location"] for each in results] == [f"{HERE}/{at % 40}" for at in range(1_000)]

    def test_the_response_is_uncacheable_json(self, app: InMemoryApplication) -> None:
        answer = app.request("POST", BULK, {"ids": ["demo"]}, key=None)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"

    def test_large_records_are_returned_up_to_the_size_of_a_response(self) -> None:
        app = InMemoryApplication()
        minted = app.mint({"prefix": "demo", "metadata": {"what": "x" * 300_000}}).json()
        results = requested(app, [f"demo:{minted['id']}"] * 100 + ["demo:tw0t-ywdj-95"])
        returned = [each for each in results if each["status"] == 200]
        assert len(returned) >= 10
        assert {each["status"] for each in results[len(returned) : 100]} == {503}
        assert len(json.dumps(results)) < 5_500_000


class TestRefusals:
    @pytest.mark.parametrize(
        ("document", "pointer"),
        [
            ({}, ""), ([], ""), ("demo", ""), (None, ""), ({"ids": "demo"}, ""), ({"ids": None}, ""),
            ({"ids": {"a": 1}}, ""), ({"ids": ["demo"], "format": "html"}, ""), ({"ids": ["demo"] * 1_001}, ""),
            ({"ids": [1]}, "/ids/0"), ({"ids": ["demo", None]}, "/ids/1"), ({"ids": ["demo", ["demo"]]}, "/ids/1"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_is_refused_with_its_place(
        self, app: InMemoryApplication, document: Any, pointer: str
    ) -> None:
        answer = app.request("POST", BULK, body=json.dumps(document).encode(), key=None)
        assert answer.is_problem(422, "invalid-input")
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]

    @pytest.mark.parametrize(
        ("body", "status"),
        [(b"", 400), (b"{", 400), (b'{"ids": [], "ids": []}', 400), (b'{"ids": ["\\ud800"]}', 400),
         (b'{"ids": [NaN]}', 400), (b"[" * 10_000 + b"]" * 10_000, 400), (b" " * 1_000_001, 413)],
    )  # fmt: skip
    def test_what_is_not_json_is_refused(self, app: InMemoryApplication, body: bytes, status: int) -> None:
        assert app.request("POST", BULK, body=body, key=None).is_problem(status)

    def test_it_is_requested_with_post(self, light: System) -> None:
        assert light.get(BULK).is_problem(405)


class TestAFailingStore:
    @pytest.mark.parametrize("calls", [("record", "records"), ("prefixes",), ("record", "records", "prefixes")])
    def test_nothing_is_refused_for_what_cannot_be_known(
        self, app: InMemoryApplication, calls: tuple[str, ...]
    ) -> None:
        ids = ["demo:tw0t-ywdj-94", NOBODYS, "nobodys:1", "go:0006915", "demo:0000-0003-89"]
        app.use_store(FailingStore(app.store, "before", *calls))
        answer = app.request("POST", BULK, {"ids": ids}, key=None)
        results = {each["id"]: each for each in answer.json()["results"]}
        assert answer.status == 200
        for text in ("demo:tw0t-ywdj-94", NOBODYS, "demo:0000-0003-89"):
            assert results[text]["status"] == results[text]["problem"]["status"] == 503
        if "prefixes" in calls:
            assert {each["status"] for each in results.values()} == {503}

    def test_a_failure_in_the_middle_keeps_the_earlier_results(self, app: InMemoryApplication) -> None:
        assert requested(app, ["demo:tw0t-ywdj-94"])[0]["status"] == 302

        class Tiring(FailingStore):
            requested = 0

            def __getattr__(self, name: str) -> Any:
                if name == "record":
                    Tiring.requested += 1
                    if Tiring.requested <= 2:
                        return getattr(self._store, name)
                return super().__getattr__(name)

        app.use_store(Tiring(app.store, "before", "record"))
        ids = ["demo:tw0t-ywdj-94", "demo:0000-0003-89", "demo:0000-0001-95", NOBODYS, "demo:tw0t-ywdj-94"]
        assert [each["status"] for each in requested(app, ids)] == [302, 410, 503, 503, 302]


PARSE = "/api/v1/parse"
TOO_MANY = 900
"""Identifiers of a request that has to read more than it may."""


def luis(count: int) -> list[str]:
    """Valid identifiers below `demo`, none of them registered."""
    return [f"demo:{LuiRules().display(encode(number))}" for number in range(count)]


def is_not_tried(result: Any, wanting: str) -> bool:
    """Whether a result says that there was none of this left, and nothing else."""
    problem = result.get("problem", {})
    return (
        result.get("status", problem.get("status")) == problem.get("status") == 503
        and problem["type"] == f"{BASE_URL}/problems/line-not-tried"
        and f"no {wanting} left" in problem["detail"]
        and result.get("location") is None
    )


class Counts:
    """Keys that a app's public side has read."""

    def __init__(self, app: InMemoryApplication) -> None:
        self.keys = 0
        app.use_store(CountedReads(app.store, self.add))

    def add(self, keys: int) -> None:
        self.keys += keys


def parsed(app: Any, ids: list[str]) -> list[Any]:
    answer = app.request("POST", PARSE, {"ids": ids}, key=None)
    assert answer.status == 200, answer.body
    results: list[Any] = answer.json()["results"]
    assert [each["text"] for each in results] == ids
    return results


class TestBudget:
    @pytest.mark.parametrize("ask", [requested, parsed])
    def test_five_hundred_keys_are_read_at_most_and_the_rest_is_not_tried(
        self, app: InMemoryApplication, ask: Any
    ) -> None:
        counts = Counts(app)
        results = ask(app, luis(TOO_MANY))
        assert counts.keys == MAX_KEYS
        tried = [each for each in results if not is_not_tried(each, "read capacity")]
        assert 450 < len(tried) <= MAX_KEYS
        assert all(is_not_tried(each, "read capacity") for each in results[len(tried) :])

    def test_what_was_not_tried_is_resolved_when_it_is_sent_again(self) -> None:
        app, texts = InMemoryApplication(), luis(700)
        for text in texts[3:]:
            assert app.mint(MINT | {"id": text.removeprefix("demo:")}).status == 201
        app.use_store(app.store)
        left, requests = texts, 0
        statuses: dict[str, int] = {}
        while left:
            results = requested(app, left)
            statuses |= {each["id"]: each["status"] for each in results if each["status"] != 503}
            left = [each["id"] for each in results if each["status"] == 503]
            requests += 1
        assert requests == 2
        assert [statuses[text] for text in texts] == [404] * 3 + [302] * 697

    def test_a_cached_identifier_is_answered_even_when_no_more_keys_may_be_read(self, app: InMemoryApplication) -> None:
        known = ["demo:tw0t-ywdj-94", "go:0006915"]
        requested(app, known)
        results = requested(app, [*luis(TOO_MANY), *known])
        assert [each["status"] for each in results[-3:]] == [503, 302, 302]

    @pytest.mark.parametrize("ask", [requested, parsed])
    def test_many_of_one_foreign_prefix_or_of_none_need_few_keys(self, app: InMemoryApplication, ask: Any) -> None:
        counts = Counts(app)
        foreign = [f"go:{number:07}" for number in range(300)]
        dois = [f"doi:10.5281/zenodo.{number}" for number in range(300)]
        results = ask(app, foreign + dois + [f"https://nobodys.example/{number}" for number in range(300)])
        assert not any(is_not_tried(each, "") for each in results)
        assert counts.keys < 20

    @pytest.mark.parametrize("ask", [requested, parsed])
    def test_wall_time_ends_it(self, app: InMemoryApplication, ask: Any) -> None:
        app.use_store(CountedReads(app.store, lambda _: app.clock.pause(100)))
        results = ask(app, luis(200))
        tried = [each for each in results if not is_not_tried(each, "time")]
        assert MAX_MILLISECONDS // 100 - 10 < len(tried) <= MAX_MILLISECONDS // 100
        assert all(is_not_tried(each, "time") for each in results[len(tried) :])

    @pytest.mark.parametrize("ask", [requested, parsed])
    def test_processor_time_ends_it(self, app: InMemoryApplication, ask: Any) -> None:
        def work(_: int) -> None:
            app.processor.used += MAX_PROCESSOR_SECONDS / 100

        app.use_store(CountedReads(app.store, work))
        results = ask(app, luis(200))
        tried = [each for each in results if not is_not_tried(each, "time")]
        assert 90 < len(tried) <= 100
        assert all(is_not_tried(each, "time") for each in results[len(tried) :])

    @pytest.mark.parametrize("ask", [requested, parsed])
    def test_a_new_request_begins_with_a_new_budget(self, app: InMemoryApplication, ask: Any) -> None:
        ask(app, luis(TOO_MANY))
        app.clock.pause(60_000)
        app.processor.used += 60
        assert not any(is_not_tried(each, "") for each in ask(app, luis(100)))

    @pytest.mark.parametrize("ask", [requested, parsed])
    def test_the_same_identifier_is_resolved_once(
        self, app: InMemoryApplication, ask: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        validated: list[str] = []
        validate = LuiRules.validate

        def noted(self: LuiRules, text: str) -> str:
            validated.append(text)
            return validate(self, text)

        monkeypatch.setattr(LuiRules, "validate", noted)
        (once,) = ask(app, [NOBODYS])
        alone = len(validated)
        app.clock.pause(60_000)
        validated.clear()
        assert ask(app, [NOBODYS] * 1_000) == [once] * 1_000
        assert len(validated) == alone

    @pytest.mark.parametrize("ask", [requested, parsed])
    def test_the_first_refusals_have_suggestions_and_the_others_cost_one_key_each(
        self, app: InMemoryApplication, ask: Any
    ) -> None:
        owner = repository("0000-0004-86", rules=CoolDoiRules())
        app.store.create_repository(owner)
        app.store.put_prefix(namespace("cool", owner), None)
        assert app.mint({"prefix": "cool", "id": "tw0t-ywdj", "uri": HERE}).status == 201
        counts = Counts(app)
        results = ask(app, [f"cool:tw0t-yw{end}" for end in ("jd", "bj", "cj", "ej", "fj", "gj", "hj", "kj")])
        suggested = [each.get("problem", each)["suggestions"] for each in results]
        assert suggested[0] == ["tw0t-ywdj"]
        assert not any(suggested[MAX_REFUSALS_WITH_SUGGESTIONS:])
        assert counts.keys <= 2 + len(results) + MAX_REFUSALS_WITH_SUGGESTIONS * MAX_SUGGESTION_KEYS

    @pytest.mark.parametrize(
        "text", ["a" * 9_000, "https://doi.org/" + "/" * 900_000, " " * 9_000 + "demo", "%41" * 3_000]
    )
    def test_an_over_long_text_is_refused_before_anything_else(
        self, app: InMemoryApplication, text: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def never(*_: Any) -> Any:
            raise AssertionError("an over-long text was unwrapped")

        counts = Counts(app)
        monkeypatch.setattr("coolid.http.public.bulk_resolution.unwrap_any_url", never)
        (result,) = requested(app, [text])
        assert (result["status"], result["problem"]["type"]) == (414, f"{BASE_URL}/problems/identifier-too-long")
        assert counts.keys == 0

    def test_results_that_fill_the_response_end_it(self, app: InMemoryApplication) -> None:
        """What is explained is several times as long as the text."""
        results = parsed(app, [f"https://nobodys.example/{at:03}{'x' * 8_000}" for at in range(115)] + ["demo"] * 800)
        size = len(json.dumps(results))
        assert size < 5_500_000

"""Many mints in one request: each line is answered in its place, and one that fails, fails alone."""

import json
from datetime import timedelta
from typing import Any

import pytest

from coolid.http.management.mint_batch import MAX_LINES
from coolid.identifiers.schemes import lui
from coolid.model.clients import Quota
from tests.support.fixtures.application import BATCH, HERE, MINT, RECORDS, InMemoryApplication
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import Answer, System
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore


def lines_of(answer: Answer) -> list[Any]:
    """The documents of JSON Lines."""
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.body.encode().splitlines()]


def post(app: InMemoryApplication, body: bytes, **headers: str) -> Answer:
    sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return app.request("POST", BATCH, body=body, headers=sent)


def slugs(results: list[Any]) -> list[str]:
    """What became of each line, in a word."""
    return [str(each["status"]) if "record" in each else each["problem"]["type"].rpartition("/")[2] for each in results]


MIXED: list[tuple[Any, str]] = [
    (MINT, "201"),
    (MINT | {"uri": "javascript:alert(1)"}, "invalid-input"),
    (MINT | {"prefix": "nobodys"}, "invalid-input"),
    (MINT | {"prefix": "go"}, "invalid-input"),
    (MINT | {"prefix": "other"}, "invalid-input"),
    (MINT | {"id": "0000-0001-95"}, "201"),
    (MINT | {"id": "0000000195"}, "identifier-taken"),
    (MINT | {"id": "0000-0001-96"}, "invalid-input"),
    (MINT | {"color": "red"}, "invalid-input"),
    ({}, "invalid-input"),
    ([], "invalid-input"),
    ("demo", "invalid-input"),
    (None, "invalid-input"),
    (MINT | {"metadata": {"what": "x" * 300_000}}, "201"),
    (MINT | {"status": "reserved"}, "201"),
    (MINT, "201"),
]


def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Line by line, where the order of their doing is told."""
    monkeypatch.setattr("coolid.http.management.mint_batch.AT_ONCE", 1)


class TestLines:
    def test_each_is_answered_in_its_place_as_it_would_be_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one_thread(monkeypatch)  # the two that choose one identifier
        app = InMemoryApplication()
        answer = app.batch([line for line, _ in MIXED])
        assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
        assert answer.headers["cache-control"] == "no-store"
        assert slugs(answer.json()) == [returned for _, returned in MIXED]
        assert app.records() == sum(returned == "201" for _, returned in MIXED)
        for line, result in zip((line for line, _ in MIXED), answer.json(), strict=True):
            if "record" in result:
                assert app.request("GET", f"{RECORDS}/demo:{result['record']['id']}").json() == result["record"]
                assert result["record"]["metadata"] == line.get("metadata", {})
            else:
                assert result["status"] == result["problem"]["status"]
                assert {"type", "title", "status", "detail"} <= result["problem"].keys()

    def test_json_lines_are_answered_with_json_lines(self) -> None:
        app = InMemoryApplication()
        body = b"\n".join(json.dumps(MINT | {"metadata": {"n": at}}).encode() for at in range(5))
        results = lines_of(post(app, body))
        assert [result["record"]["metadata"]["n"] for result in results] == [0, 1, 2, 3, 4]
        assert [result["status"] for result in results] == [201] * 5

    def test_lines_end_as_they_may_and_empty_ones_do_not_count(self) -> None:
        body = b"\n\r\n" + b"\r\n \t\n".join(json.dumps(MINT).encode() for _ in range(3)) + b"\n\n"
        assert slugs(lines_of(post(InMemoryApplication(), body))) == ["201"] * 3

    def test_a_line_separator_inside_a_text_is_no_end_of_a_line(self) -> None:
        document = MINT | {"metadata": {"what": "a\u2028b\u0085c"}}
        (result,) = lines_of(post(InMemoryApplication(), json.dumps(document, ensure_ascii=False).encode()))
        assert result["record"]["metadata"]["what"] == "a\u2028b\u0085c"

    def test_a_line_that_is_not_json_fails_alone(self) -> None:
        bad = [b"{", b'{"prefix": "demo", "prefix": "demo"}', b'{"prefix": "demo", "metadata": {"n": NaN}}',
               b"\xff", b'{"prefix": "\\ud800"}', b"[" * 10_000 + b"]" * 10_000,
               b'{"prefix": "demo", "metadata": {"n": 9007199254740993}}', b"\xef\xbb\xbf{}"]  # fmt: skip
        good = json.dumps(MINT).encode()
        app = InMemoryApplication()
        results = lines_of(post(app, good + b"\n" + b"\n".join(bad) + b"\n" + good))
        assert slugs(results) == ["201", *["malformed-body"] * len(bad), "201"]
        assert app.records() == 2

    def test_lines_that_begin_with_an_array_are_lines_if_the_request_says_so(self) -> None:
        body = b"[]\n" + json.dumps(MINT).encode()
        assert post(InMemoryApplication(), body).is_problem(400, "malformed-body")
        assert post(InMemoryApplication(), body, Content_Type="application/json").is_problem(400, "malformed-body")
        for said in ("application/x-ndjson", "application/jsonl; charset=utf-8"):
            assert slugs(lines_of(post(InMemoryApplication(), body, Content_Type=said))) == ["invalid-input", "201"]

    def test_nothing_is_answered_with_nothing(self) -> None:
        assert InMemoryApplication().batch([]).json() == []
        assert lines_of(post(InMemoryApplication(), b"")) == []
        assert lines_of(post(InMemoryApplication(), b"\n \n")) == []

    def test_of_one_identifier_that_many_lines_choose_one_gets_it(self) -> None:
        app = InMemoryApplication()
        spellings = ["0000-0001-95", "0000000195", "OOOO-OOO1-95", "oooo-oool-95"]
        results = app.batch([MINT | {"id": spellings[at % 4], "metadata": {"n": at}} for at in range(100)]).json()
        assert sorted(slugs(results)) == ["201", *["identifier-taken"] * 99]
        (winner,) = [result["record"] for result in results if result["status"] == 201]
        assert app.request("GET", f"{RECORDS}/demo:0000-0001-95").json() == winner

    def test_a_tombstone_is_not_minted_again_by_a_line(self) -> None:
        app = InMemoryApplication()
        minted = app.mint().json()
        app.change("DELETE", f"{RECORDS}/demo:{minted['id']}", {"reason": "It was wrong"})
        assert slugs(app.batch([MINT | {"id": minted["id"]}], again="k").json()) == ["identifier-taken"]
        assert app.get(f"/demo:{minted['id']}").status == 410


class TestLimits:
    def test_a_thousand_are_minted_in_their_order(self) -> None:
        app = InMemoryApplication()
        results = app.batch([MINT | {"uri": f"{HERE}/{at}"} for at in range(MAX_LINES)]).json()
        assert slugs(results) == ["201"] * MAX_LINES
        records = [result["record"] for result in results]
        assert [record["records"][0]["uri"] for record in records] == [f"{HERE}/{at}" for at in range(MAX_LINES)]
        assert len({record["id"] for record in records}) == app.records() == MAX_LINES

    @pytest.mark.parametrize("form", ["array", "lines"])
    def test_one_more_is_refused_as_a_whole(self, form: str) -> None:
        app = InMemoryApplication()
        lines = [json.dumps(MINT)] * (MAX_LINES + 1)
        body = f"[{','.join(lines)}]" if form == "array" else "\n".join(lines)
        assert post(app, body.encode()).is_problem(422, "invalid-input")
        assert app.records() == 0

    @pytest.mark.parametrize("body", [b" " * 1_000_001, b"[" + b" " * 1_000_000 + b"]"])
    def test_more_than_a_megabyte_is_refused(self, body: bytes) -> None:
        assert post(InMemoryApplication(), body).is_problem(413, "body-too-large")

    @pytest.mark.parametrize("body", [b"[", b"[{]", b"[NaN]", b'[{"a":1,"a":1}]', b"[" * 10_000 + b"]" * 10_000])
    def test_an_array_that_is_not_json_is_refused_as_a_whole(self, body: bytes) -> None:
        app = InMemoryApplication()
        assert post(app, body).is_problem(400, "malformed-body")
        assert app.records() == 0

    def test_lines_that_were_not_started_in_time_are_503(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one_thread(monkeypatch)

        class Running(FixedClock):
            """A clock that goes on by two seconds with every record."""

            def now(self) -> Any:
                self.moment += timedelta(seconds=1)
                return super().now()

        app = InMemoryApplication()
        app.clock = Running()
        app.use_store(app.store)
        results = app.batch([MINT] * 30, again="k").json()
        minted = slugs(results).count("201")
        assert 1 <= minted < 30
        assert slugs(results) == ["201"] * minted + ["line-not-tried"] * (30 - minted)
        assert app.records() == minted
        assert {result["status"] for result in results[minted:]} == {503}
        app.clock = FixedClock(app.clock.moment)
        app.use_store(app.store)
        again = app.batch([MINT] * 30, again="k").json()
        assert slugs(again) == ["201"] * 30
        assert again[:minted] == results[:minted]
        assert app.records() == 30


class TestReceipts:
    def test_a_batch_that_is_sent_again_is_answered_the_same_and_mints_nothing(self) -> None:
        app = InMemoryApplication()
        lines = [MINT | {"metadata": {"n": at}} for at in range(20)] + [{}]
        first = app.batch(lines, again="k")
        app.use_store(app.store)
        assert app.batch(lines, again="k").json() == first.json()
        assert app.records() == 20

    def test_equal_lines_are_different_mints(self) -> None:
        app = InMemoryApplication()
        first = app.batch([MINT] * 5, again="k").json()
        assert len({result["record"]["id"] for result in first}) == 5
        assert app.batch([MINT] * 5, again="k").json() == first

    def test_a_repeated_batch_mints_only_the_missing_lines(self) -> None:
        app = InMemoryApplication()
        app.use_store(FailingStore(app.store, "before", "create_record", times=3))
        lines = [MINT | {"metadata": {"n": at}} for at in range(12)]
        first = app.batch(lines, again="k").json()
        assert slugs(first).count("store-unavailable") == 3
        again = app.batch(lines, again="k").json()
        assert slugs(again) == ["201"] * 12
        assert all(one == other for one, other in zip(first, again, strict=True) if one["status"] == 201)
        assert app.records() == 12

    def test_responses_that_were_lost_after_the_write_are_returned_the_second_time(self) -> None:
        app = InMemoryApplication()
        app.use_store(FailingStore(app.store, "after", "create_record", times=5))
        lines = [MINT | {"metadata": {"n": at}} for at in range(12)]
        assert slugs(app.batch(lines, again="k").json()).count("store-unavailable") == 5
        results = app.batch(lines, again="k").json()
        assert [result["record"]["metadata"]["n"] for result in results] == list(range(12))
        assert app.records() == 12

    def test_a_line_that_changed_is_refused_alone(self) -> None:
        app = InMemoryApplication()
        first = app.batch([MINT, MINT], again="k").json()
        again = app.batch([MINT, MINT | {"ttl": 5}, MINT], again="k").json()
        assert slugs(again) == ["201", "idempotency-key-reused", "201"]
        assert again[0] == first[0]
        assert app.records() == 3


class TestWhoMay:
    def test_without_a_key_nothing_is_reported(self) -> None:
        app = InMemoryApplication()
        answer = app.request("POST", BATCH, [MINT], key=None)
        assert answer.is_problem(401, "unauthenticated")
        assert app.records() == 0

    def test_lines_outside_the_scope_are_refused_alone(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:2021/06")
        lines = [MINT | {"prefix": prefix} for prefix in ("2021/06/demo", "demo", "2021/06/DEMO", "nobodys")]
        assert slugs(app.batch(lines, key).json()) == ["201", "forbidden", "201", "invalid-input"]
        assert app.records() == 2

    def test_each_line_counts_in_the_quota(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one_thread(monkeypatch)
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=5))
        results = app.batch([MINT] * 4 + [{}] + [MINT] * 4, key).json()
        assert slugs(results) == ["201"] * 4 + ["invalid-input", "201", *["quota-exceeded"] * 3]
        assert [0 < each.get("retryAfter", 0) <= 60 for each in results] == [False] * 6 + [True] * 3
        assert app.mint(key=key).is_problem(429)

    def test_of_the_lines_of_a_large_batch_as_many_as_the_quota_allows_are_minted(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=10, day=40))
        assert slugs(app.batch([MINT] * 50, key).json()).count("201") == app.records() == 10


class TestWhatNobodyForesaw:
    def test_an_error_in_one_line_leaves_the_others_and_is_reported(self) -> None:
        class Odd(MemoryStore):
            def create_record(self, record: Any, receipt: Any = None) -> None:
                if record.metadata.get("n") == 3:
                    raise RuntimeError("a secret of ours")
                super().create_record(record, receipt)

        app = InMemoryApplication(Odd())
        answer = app.batch([MINT | {"metadata": {"n": at}} for at in range(6)])
        results = answer.json()
        assert slugs(results) == ["201", "201", "201", "internal-error", "201", "201"]
        assert "secret" not in answer.body
        assert results[3]["status"] == 500
        assert [str(error) for error in app.reported] == ["a secret of ours"]


class TestTheRealStore:
    def test_a_batch_is_minted_and_resolves_and_one_sent_again_is_not(self, light: System) -> None:
        lines = [MINT | {"uri": f"{HERE}/{at}"} for at in range(30)] + [{"prefix": "nobodys"}]
        chosen = [MINT | {"id": lui.encode(4_711)}] * 3
        headers = [("Idempotency-Key", "a batch")]
        answers = [
            light.request("POST", BATCH, document=lines + chosen, headers=headers, key=light.admin_key)
            for _ in range(2)
        ]
        results = answers[0].json()
        assert slugs(results[:31]) == ["201"] * 30 + ["invalid-input"]
        assert sorted(slugs(results[31:])) == ["201", "identifier-taken", "identifier-taken"]
        for at, result in enumerate(results[:30]):
            assert light.get(f"/demo:{result['record']['id']}").headers["location"] == f"{HERE}/{at}"
        assert answers[1].json() == results

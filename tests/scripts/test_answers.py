"""Recordings of responses: two of the same code are equal byte for byte, and a comparison separates wording from the
rest.
"""

import doctest
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from scripts.answers.__main__ import main
from scripts.answers.comparison import Report, compare, read
from scripts.answers.determinism import START, Clock, Entropy, InlineExecutor, install
from scripts.answers.event import Answer
from scripts.answers.session import Recording
from scripts.answers.stack import read_stack
from tests.support.builders.samples import ROOT

WITH_EXAMPLES = ("event", "markup", "session", "stack")
PROBLEM = '{"type": "https://id.example.org/problems/x", "title": "T", "status": 404, "detail": "D", "prefix": "p"}'
PAGE = '<!doctype html><h1 id="top" title="Hint">Words</h1><link href="/static/0123456789abcdef/a.css">'


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_its_modules_are_right(name: str) -> None:
    failed, tried = doctest.testmod(import_module(f"scripts.answers.{name}"))
    assert (failed, tried > 0) == (0, True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two recordings, by processes in which texts have other hashes."""
    folder = tmp_path_factory.mktemp("recordings")

    def run(seed: str) -> Path:
        path = folder / f"{seed}.jsonl.gz"
        command = [sys.executable, "-m", "tests.scripts.short_recording", str(path)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
        return path

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(run, ("0", "1")))


class TestRecordings:
    def test_two_recordings_of_the_same_code_are_equal_byte_for_byte(self, recorded: list[Path]) -> None:
        first, second = recorded
        assert first.read_bytes() == second.read_bytes()
        assert not compare(first, second).differs

    def test_every_response_is_complete(self, recorded: list[Path]) -> None:
        by_group: dict[str, list[Any]] = {}
        for line in read(recorded[0]):
            by_group.setdefault(line["group"], []).append(line)
        assert {line["status"] for line in by_group["writes"]} == {200, 201}
        minted = by_group["writes"][6]
        assert minted["request"]["path"] == "/api/v1/records"
        assert minted["headers"]["etag"]
        assert '"created":"2025-07-' in minted["body"]
        assert [line["status"] for line in by_group["reads"]] == [302, 200, 200, 200, 302]
        assert by_group["reads"][3]["body"].keys() == {"sha256", "bytes"}
        assert [line["status"] for line in by_group["outage"]] == [302, 503]

    def test_a_transaction_that_is_cancelled_leaves_nothing(self, recorded: list[Path]) -> None:
        """The first mint fails, so that its idempotency key is free for the second; the third repeats the second."""
        lines = [line for line in read(recorded[0]) if line["group"] == "cancelled"]
        assert [line["status"] for line in lines] == [409, 201, 201]
        assert lines[1]["body"] == lines[2]["body"]


class TestDeterminism:
    def test_a_pause_moves_its_own_request_only(self) -> None:
        clock = Clock()
        clock.advance(1)
        clock.pause(0.3)
        assert clock.seconds() == START + 1.3
        clock.advance(1)
        assert clock.seconds() == START + 2

    def test_random_numbers_depend_on_the_request_only(self) -> None:
        entropy = Entropy()

        def draws(request: str) -> list[bytes]:
            entropy.begin(request)
            return [entropy.draw(5), entropy.draw(5)]

        first, second = draws("a"), draws("b")
        assert len({*first, *second}) == 4
        assert draws("a") == first

    def test_calls_of_an_executor_run_in_order(self) -> None:
        order: list[int] = []
        with InlineExecutor(8) as threads:
            list(threads.map(order.append, range(5)))
            assert isinstance(threads.submit(int, "x").exception(), ValueError)
        assert order == [0, 1, 2, 3, 4]

    def test_a_clock_cannot_be_replaced_too_late(self) -> None:
        assert "coolid" in sys.modules
        with pytest.raises(RuntimeError, match="was imported"):
            install(Clock(), Entropy())


def test_requests_go_to_the_functions_of_the_template() -> None:
    stack = read_stack()
    sent = {("GET", "/"), ("GET", "/a/b"), ("PUT", "/api/handles/10.1/x"), ("POST", "/api/v1/records/batch")}
    assert {stack.function_for(*each) for each in sent} == {"resolve", "manage", "mint"}
    assert stack.variables.keys() >= {"PREFIX_TABLE", "LUI_TABLE", "PULSE_TABLE"}
    assert set(stack.variables.values()) == set(stack.tables)


def answer(body: str = "{}", status: int = 200, media_type: str = "application/json", **headers: str) -> Answer:
    named = {name.replace("_", "-"): [value] for name, value in headers.items()}
    return Answer(status, {"content-type": [media_type], **named}, body.encode())


def problem(body: str = PROBLEM) -> Answer:
    return answer(body, 404, "application/problem+json")


def page(body: str = PAGE, **headers: str) -> Answer:
    return answer(body, 200, "text/html; charset=utf-8", **headers)


@pytest.fixture
def compared(tmp_path: Path) -> Any:
    """Compare two recordings of these answers, each with its path, in one group."""

    def run(old: Mapping[str, Answer], new: Mapping[str, Answer]) -> Report:
        for name, answers in (("old", old), ("new", new)):
            recording = Recording(tmp_path / name)
            for number, (path, each) in enumerate(answers.items()):
                recording.write(number, "a group", {"httpMethod": "GET", "path": path}, each)
            recording.close()
        return compare(tmp_path / "old", tmp_path / "new")

    return run


class TestComparison:
    @pytest.mark.parametrize(
        ("old", "new", "kind"),
        [
            (answer(), answer(status=201), "status 200 → 201"),
            (answer(vary="Accept"), answer(vary="*"), "header vary"),
            (answer(), answer(vary="*"), "header vary added"),
            (answer(vary="*"), answer(), "header vary removed"),
            (answer(media_type="text/a"), answer(media_type="text/b"), "header content-type"),
            (answer('{"a": 1}'), answer('{"a": 2}'), "body application/json/a"),
            (answer('{"a": [{"b": 1}]}'), answer('{"a": [{}]}'), "body application/json/a/*/b: removed"),
            (answer('{"a": null}'), answer('{"a": 0}'), "body application/json/a: type"),
            (answer('{"a": 1, "b": 2}'), answer('{"b": 2, "a": 1}'), "body application/json: order of members"),
            (answer('{"title": "A"}'), answer('{"title": "B"}'), "body application/json/title"),
            (
                answer('{"withdrawn": {"reason": "A"}}'),
                answer('{"withdrawn": {"reason": "B"}}'),
                "body application/json/withdrawn/reason",
            ),
            (problem(), problem(PROBLEM.replace("problems/x", "problems/y")), "body application/problem+json/type"),
            (page(), page(PAGE.replace("top", "end")), "body text/html: elements"),
            (answer("a", media_type="text/plain"), answer("b", media_type="text/plain"), "body text/plain"),
            (answer(etag='"a"'), answer(etag='"b"'), "header etag"),
        ],
    )
    def test_what_a_program_would_notice_counts(self, compared: Any, old: Answer, new: Answer, kind: str) -> None:
        report = compared({"/x": old}, {"/x": new})
        assert kind in report.found
        assert kind in report.text()
        assert (report.differs, report.prose) == (True, {})

    @pytest.mark.parametrize(
        ("old", "new", "kind"),
        [
            (problem(), problem(PROBLEM.replace('"T"', '"New"')), "body application/problem+json/title"),
            (problem(), problem(PROBLEM.replace('"D"', '"New"')), "body application/problem+json/detail"),
            (answer('[{"reason": "A"}]'), answer('[{"reason": "B"}]'), "body application/json/*/reason"),
            (page(), page(PAGE.replace("Words", "Others")), "body text/html: words"),
            (page(), page(PAGE.replace("Hint", "Other")), "body text/html: words"),
            (answer(target_warning="a"), answer(target_warning="b"), "header target-warning"),
        ],
    )
    def test_wording_is_listed_apart(self, compared: Any, old: Answer, new: Answer, kind: str) -> None:
        report = compared({"/x": old}, {"/x": new})
        assert kind in report.prose
        assert kind in report.text()
        assert not report.differs

    def test_an_entity_tag_of_other_words_is_wording_wherever_it_occurs(self, compared: Any) -> None:
        old, new = page(etag='"a"'), page(PAGE.replace("Words", "Others"), etag='"b"')
        report = compared(
            {"/x": old, "/head": answer("", 304, etag='"a"')}, {"/x": new, "/head": answer("", 304, etag='"b"')}
        )
        assert (report.differs, len(report.prose["header etag"])) == (False, 2)

    def test_the_digest_of_all_assets_is_masked(self, compared: Any) -> None:
        other = PAGE.replace("0123456789abcdef", "fedcba9876543210")
        report = compared({"/x": page(etag='"a"')}, {"/x": page(other, etag='"b"')})
        assert (report.differs, [*report.prose]) == (False, ["header etag"])

    def test_a_request_more_does_not_move_the_others(self, compared: Any) -> None:
        report = compared(
            {"/a": answer("1"), "/c": answer("3")}, {"/a": answer("1"), "/b": answer("2"), "/c": answer("3")}
        )
        assert {kind: len(found) for kind, found in report.found.items()} == {"request of one recording only": 1}

    @pytest.mark.parametrize(("new", "status"), [(answer("1"), 0), (answer("2"), 1)])
    def test_the_exit_status_says_whether_anything_differs(
        self, compared: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], new: Answer, status: int
    ) -> None:
        compared({"/x": answer("1")}, {"/x": new})
        assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == status
        assert "1 requests compared" in capsys.readouterr().out

    def test_a_response_with_a_forbidden_text_is_refused(self, tmp_path: Path) -> None:
        recording = Recording(tmp_path / "a", "2026-01-01")
        with pytest.raises(RuntimeError, match="2026-01-01"):
            recording.write(1, "a group", {}, answer('"2026-01-01T00:00:00Z"'))
        recording.close()

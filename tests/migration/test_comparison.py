"""Comparisons of two services: each difference, and nothing else."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from coolid.cli import app
from coolid.client.errors import ServiceUnavailable, Unreachable
from coolid.client.flows import Flow, run
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.migration.comparison import identifier_comparison
from coolid.migration.comparison.identifier_comparison import AnswerDifference, Comparison
from coolid.migration.comparison.service_answers import ServiceAnswer, answer_at, answer_within
from coolid.migration.source_identifiers import Entry, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.model.records import Location
from tests.support.servers.loopback import loopback_server

Answer = tuple[int, str | None]


@contextmanager
def service(answers: dict[str, Answer]) -> Iterator[str]:
    """A service with these answers by path. Yield its URL."""

    def handle(handler: BaseHTTPRequestHandler) -> None:
        status, location = answers.get(handler.path, (404, None))
        handler.send_response(status)
        if location is not None:
            handler.send_header("Location", location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with loopback_server(handle, "HEAD", "GET") as port:
        yield f"http://127.0.0.1:{port}"


def entry(at: int, *uris: str, status: str = "active") -> SourceIdentifier:
    return SourceIdentifier(
        at, f"ark:/99999/fk4x{at}", (SourceVersion(locations=tuple(map(Location, uris)), status=status),)
    )


def compare(new: str, entries: list[Entry], old: str | None = None) -> list[AnswerDifference]:
    return [*Comparison(new, old, lambda identifier: identifier, parallel=4).differences(entries)]


def path(at: int) -> str:
    return f"/ark:/99999/fk4x{at}"


def test_each_difference_is_found_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifier_comparison, "_BLOCK", 16)
    answers: dict[str, Answer] = {path(at): (302, f"https://a.example/{at}") for at in range(60)}
    answers |= {path(60): (200, None), path(61): (410, None), path(62): (404, None), path(63): (200, None)}
    answers[f"{path(63)}?format=target"] = (302, "https://a.example/63")
    answers[path(64)] = (302, "https://a.example/%C3%A9")
    entries: list[Entry] = [entry(at, f"https://a.example/{at}") for at in range(60)]
    entries += [entry(60), entry(61, status="withdrawn"), entry(62, "https://a.example/", status="reserved")]
    entries += [entry(63, "https://a.example/63"), entry(64, "https://a.example/é"), UnreadableEntry(65, "no")]
    with service(answers) as new:
        assert compare(new, entries) == []
        answers |= {path(at): (302, "https://b.example/") for at in range(0, 60, 13)}
        answers |= {path(at): (302, "https://a.example/") for at in range(60, 65)}
        found = compare(new, entries)
    assert [each.position for each in found] == [*range(0, 60, 13), *range(60, 65)]
    assert found[0] == AnswerDifference(0, "ark:/99999/fk4x0", "https://a.example/0", "https://b.example/")
    assert found[-4] == AnswerDifference(61, "ark:/99999/fk4x61", "status 410", "https://a.example/")


def test_a_target_that_was_left_out_is_a_difference_with_its_reason() -> None:
    with service({path(1): (200, None)}) as new:
        [found] = compare(new, [entry(1, "javascript:alert(1)")])
    assert (found.found, found.reason[:26]) == ("status 200", "the target policy refuses ")


def test_the_old_service_decides_if_it_is_named() -> None:
    old_answers: dict[str, Answer] = {
        path(1): (301, "/a/1"), "/a/1": (302, "https://b.example/1"), path(2): (302, "https://a.example/2"),
        path(3): (200, None), path(4): (302, "/tombstone"),
    }  # fmt: skip
    new_answers: dict[str, Answer] = {
        path(1): (302, "https://b.example/1"), path(2): (302, "https://b.example/2"), path(3): (200, None),
        path(4): (410, None),
    }  # fmt: skip
    entries: list[Entry] = [entry(at, "https://a.example/") for at in (1, 2, 3)]
    with service(old_answers) as old, service(new_answers) as new:
        for address in (old, f"{old}/{{$id}}"):
            [found] = compare(new, [*entries, entry(4, status="withdrawn")], address)
            assert (found.position, found.expected, found.found) == (2, "https://a.example/2", "https://b.example/2")


def answered(flow: Flow[ServiceAnswer], *answers: HttpAnswer | Unreachable) -> tuple[ServiceAnswer, list[str]]:
    """Return the result of a flow with these answers, and the methods of its requests."""
    remaining, methods = iter(answers), []

    def send(request: HttpRequest) -> HttpAnswer:
        methods.append(request.method)
        answer = next(remaining)
        if isinstance(answer, Unreachable):
            raise answer
        return answer

    return run(flow, send, lambda seconds: None), methods


def test_temporary_failures_are_retried_and_a_service_without_head_gets_get() -> None:
    final = HttpAnswer("", 302, {"location": "https://a.example/"})
    answers = (HttpAnswer("", 503), Unreachable("no"), HttpAnswer("", 429), HttpAnswer("", 405), final)
    expected = (ServiceAnswer(302, "https://a.example/"), ["HEAD"] * 4 + ["GET"])
    assert answered(answer_at("https://new.example/a"), *answers) == expected
    with pytest.raises(ServiceUnavailable):
        answered(answer_at("https://new.example/a"), *[HttpAnswer("", 503)] * 4)
    with pytest.raises(Unreachable):
        answered(answer_at("https://new.example/a"), *[Unreachable("no")] * 4)


@pytest.mark.parametrize("location", ["https://[", "//other.example/", "https://old.example.org/"])
def test_redirects_are_followed_only_within_the_old_service(location: str) -> None:
    answer = HttpAnswer("", 302, {"location": location})
    assert answered(answer_within("https://old.example/a"), answer)[0] == ServiceAnswer(302, location)


def test_a_circle_of_redirects_ends() -> None:
    answers = [HttpAnswer("", 302, {"location": "/a"})] * 20
    assert answered(answer_within("https://old.example/a"), *answers)[0] == ServiceAnswer(302, "/a")


def command(*arguments: Any) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["import", *map(str, arguments)], catch_exceptions=True)
    return result.exit_code, result.stdout.splitlines()


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    (tmp_path / "dump.csv").write_text("identifier,uri\nark:/99999/fk4x1,https://a.example/\nabc,https://a.example/\n")
    return tmp_path / "dump.csv"


def test_the_command_prints_differences_and_ends_with_1(dump: Path, tmp_path: Path) -> None:
    answers: dict[str, Answer] = {path(1): (302, "https://a.example/"), "/mp:abc": (302, "https://a.example/")}
    report = tmp_path / "report.jsonl"
    with service(answers) as new:
        arguments = ("--from", "csv", dump, "--check", "--prefix", "mp", "--url", new)
        assert command(*arguments) == (0, [])
        answers["/mp:abc"] = (404, None)
        code, [line] = command(*arguments, "--json", "--report", report)
    assert code == 1
    assert json.loads(line) == json.loads(report.read_bytes())
    assert json.loads(line)["found"] == "status 404"

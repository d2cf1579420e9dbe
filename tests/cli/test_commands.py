"""The console commands: exit codes, output for people and programs, valid and invalid files."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from coolid import __version__
from coolid.cli import app
from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import noid
from coolid.recognition.detection import detect
from coolid.recognition.parsed_text import validate
from tests.support.builders.large_files import measure_peak
from tests.support.fixtures.ports import SeededEntropy
from tests.support.servers import http_server as hosts
from tests.support.servers.http_server import Host, host, page

runner = CliRunner()

RIGHT = ["tw0t-ywdj-94", "ark:/12148/bpt6k97497t", "10.5281/zenodo.31780", "https://ror.org/03yrm5c26"]
WRONG = ["tw0t-ywdj-95", "https://ror.org/03yrm5c27", "nonsense, really"]


def run(*arguments: str) -> Result:
    """Run a command; a traceback is a failure of the test."""
    result = runner.invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def written(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        yield running


def rows(result: Result) -> list[list[str]]:
    return [line.split("\t") for line in result.stdout.splitlines()]


class TestTheProgram:
    def test_it_says_its_version_and_its_commands(self) -> None:
        assert run("--version").stdout.strip() == f"coolid {__version__}"
        returned = run("--help").stdout
        for command in ("parse", "validate", "generate", "serve"):
            assert command in returned

    @pytest.mark.parametrize(
        "arguments", [["nothing"], ["parse"], ["generate"], ["validate"], ["parse", "--nothing", "x"]]
    )
    def test_what_it_does_not_understand_is_wrong_usage(self, arguments: list[str]) -> None:
        assert run(*arguments).exit_code == 2


class TestParse:
    @pytest.mark.parametrize("text", RIGHT)
    def test_a_valid_text_is_reported_and_done(self, text: str) -> None:
        result = run("parse", text)
        assert result.exit_code == 0
        assert "valid, " in result.stdout

    @pytest.mark.parametrize("text", [*WRONG, "", "https://doi.org/%zz", "x" * 100_000, "é", "[bold]", "\x1b[31m"])
    def test_an_invalid_text_is_reported_with_exit_code_1(self, text: str) -> None:
        result = run("parse", text)
        assert result.exit_code == 1
        assert result.stdout

    def test_the_reason_is_printed(self) -> None:
        assert "check digits are 95, but the other symbols call for 94" in run("parse", "tw0t-ywdj-95").stdout

    @pytest.mark.parametrize(
        ("text", "code"), [("tw0t-ywdj-94", 0), ("tw0t-ywdj-95", 1), ("https://doi.org/%zz", 1), ("\udcff", 1)]
    )
    def test_json_is_one_document(self, text: str, code: int) -> None:
        result = run("parse", "--json", text)
        document = json.loads(result.stdout)
        assert result.exit_code == code
        assert any(candidate["valid"] for candidate in document["candidates"]) is (code == 0)

    def test_with_a_resolver_every_step_is_printed(self, site: Host) -> None:
        answer = {
            "text": "demo:x",
            "candidates": [{"scheme": "lui", "valid": False, "canonical": None, "reason": "no"}],
            "steps": [{"step": "prefix", "detail": "it is demo"}],
            "suggestions": ["tw0t-ywdj-94"],
        }
        site.answers["/api/v1/parse?id=demo%3Ax"] = hosts.json(answer)
        result = run("parse", "demo:x", "--url", f"{site.url}/")
        assert result.exit_code == 1
        assert "prefix: it is demo" in result.stdout
        assert "tw0t-ywdj-94" in result.stdout
        assert json.loads(run("parse", "demo:x", "--url", site.url, "--json").stdout) == answer

    def test_nothing_that_a_resolver_says_steers_the_terminal(self, site: Host) -> None:
        evil = "\x1b]0;owned\x07\x9b31m\u202e\r\x7f"
        candidate = {"scheme": evil, "valid": True, "canonical": evil, "reason": None}
        answer = {"candidates": [candidate], "steps": [{"step": evil, "detail": evil}], "suggestions": [evil]}
        site.answers["/api/v1/parse?id=x%26y"] = hosts.json(answer)
        for options in ([], ["--json"]):
            output = run("parse", "x&y", "--url", site.url, *options).output
            assert all(symbol.isprintable() for symbol in output.replace("\n", ""))
        assert json.loads(run("parse", "x&y", "--url", site.url, "--json").stdout) == answer

    @pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nonsense", "http://[", "ftp://127.0.0.1", "http://"])
    def test_a_resolver_that_cannot_be_reached_is_reported(self, url: str) -> None:
        result = run("parse", "tw0t-ywdj-94", "--url", url)
        assert result.exit_code in (2, 3)
        assert url != "http://127.0.0.1:1" or result.exit_code == 3
        assert result.stderr
        assert "Traceback" not in result.output

    @pytest.mark.parametrize(
        "body",
        [
            "", "<html>", "{}", "[]", "null", '{"candidates": 5}', '{"candidates": [{}]}',
            '{"candidates": [], "steps": null}', '{"candidates": [], "steps": [1]}',
            '{"candidates": [], "steps": {"a": 1}}', '{"candidates": [], "steps": [{"step": "x"}]}',
            '{"candidates": [], "suggestions": 5}',
            '{"candidates": [], "suggestions": [null]}',
        ],
    )  # fmt: skip
    def test_something_that_answers_unlike_a_resolver_is_reported(self, site: Host, body: str) -> None:
        site.answers["/api/v1/parse?id=x"] = page(body.encode(), "application/json")
        assert run("parse", "x", "--url", site.url).exit_code == 3

    def test_a_refusal_is_no_result(self, site: Host) -> None:
        site.answers["/api/v1/parse?id=x"] = hosts.json({"candidates": []}, 404)
        assert run("parse", "x", "--url", site.url).exit_code == 3


class TestValidate:
    def test_a_verdict_is_reported_for_each_row(self, tmp_path: Path) -> None:
        result = run("validate", written(tmp_path, "a.csv", "id\n" + "\n".join([*RIGHT, "tw0t-ywdj-95"]) + "\n"))
        assert result.exit_code == 1
        returned = rows(result)
        assert [row[:2] for row in returned] == [[str(at), text] for at, text in enumerate([*RIGHT, "tw0t-ywdj-95"], 1)]
        assert [row[3] for row in returned] == ["valid"] * 4 + ["wrong"]
        assert returned[1][4] == "ark:12148/bpt6k97497t"
        assert "call for 94" in returned[4][4]
        assert "5 rows, 1 invalid" in result.stderr

    def test_a_linkid_is_neither_corrected_nor_found_in_a_url(self, tmp_path: Path) -> None:
        name = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
        texts = [name, name.upper(), f"<{name}>", f"https://id.example.org/{name}", "LinkId: 4711", name[7:]]
        result = run("validate", "--scheme", "linkid", written(tmp_path, "a.csv", "\n".join(["id", *texts])))
        assert [row[3] for row in rows(result)] == ["valid"] * 2 + ["wrong"] * 4
        with pytest.raises(InvalidIdentifier, match="it does not begin with linkid:"):
            validate(texts[3], "linkid")

    def test_where_all_are_right_it_is_done(self, tmp_path: Path) -> None:
        assert run("validate", written(tmp_path, "a.csv", "\n".join(RIGHT))).exit_code == 0

    @pytest.mark.parametrize("ending", ["\n", "\r\n"])
    @pytest.mark.parametrize("bom", ["", "\ufeff"])
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("a.csv", "tw0t-ywdj-94\nY35XYS0QH\n"),
            ("a.csv", "id\ntw0t-ywdj-94\nY35XYS0QH\n"),
            ("a.csv", "name,id\nx,tw0t-ywdj-94\n\ny,Y35XYS0QH"),
            ("a.CSV", '"id"\n"tw0t-ywdj-94"\n"Y35XYS0QH"\n'),
            ("a.tsv", "tw0t-ywdj-94\tmore\nY35XYS0QH\n"),
            ("a.tsv", "name\tid\nx\ttw0t-ywdj-94\ny\tY35XYS0QH\n"),
            ("a.txt", "tw0t-ywdj-94\n\n\nY35XYS0QH"),
            ("a.txt", "\ntw0t-ywdj-94\nY35XYS0QH"),
            ("a.jsonl", '{"id": "tw0t-ywdj-94"}\n\n{"id": "Y35XYS0QH", "more": [1]}\n'),
            ("a.ndjson", '"tw0t-ywdj-94"\n"Y35XYS0QH"'),
        ],
    )
    def test_files_of_each_kind_are_read_with_or_without_header(
        self, tmp_path: Path, name: str, content: str, bom: str, ending: str
    ) -> None:
        result = run("validate", written(tmp_path, name, bom + content.replace("\n", ending)))
        assert result.exit_code == 0, result.output
        assert [row[1:] for row in rows(result)] == [
            ["tw0t-ywdj-94", "lui", "valid", "tw0t-ywdj-94"], ["Y35XYS0QH", "pilin", "valid", "Y35XYS0QH"]
        ]  # fmt: skip

    def test_a_column_can_be_named(self, tmp_path: Path) -> None:
        table = written(tmp_path, "a.csv", "id,pid\nx,tw0t-ywdj-94\ny\n")
        result = run("validate", "--column", "pid", table)
        assert [row[1] for row in rows(result)] == ["tw0t-ywdj-94", ""]
        assert result.exit_code == 1
        assert run("validate", "--column", "nothing", table).exit_code == 2
        lines = written(tmp_path, "a.jsonl", '{"pid": "tw0t-ywdj-94"}')
        assert run("validate", "--column", "pid", lines).exit_code == 0
        assert run("validate", lines).exit_code == 2

    def test_json_is_an_object_for_each_row(self, tmp_path: Path) -> None:
        result = run("validate", "--json", written(tmp_path, "a.txt", "tw0t-ywdj-94\ntw0t-ywdj-95\n"))
        returned = [json.loads(line) for line in result.stdout.splitlines()]
        assert returned[0] == {
            "row": 1,
            "text": "tw0t-ywdj-94",
            "scheme": "lui",
            "valid": True,
            "canonical": "tw0t-ywdj-94",
            "reason": None,
        }
        assert (returned[1]["valid"], returned[1]["canonical"]) == (False, None)
        assert result.exit_code == 1

    @pytest.mark.parametrize(
        ("scheme", "text", "right"),
        [
            ("lui", "tw0t-ywdj-94", True),
            ("lui", "03yrm5c26", True),
            ("pilin", "03yrm5c26", True),
            ("orcid", "0000000218250097", True),
            ("issn", "18650473", True),
            ("handle", "10.1002/asi.23256", True),
            ("isbn", "tw0t-ywdj-94", False),
            ("ror", "03yrm5c27", False),
        ],
    )
    def test_all_can_be_taken_for_one_scheme(self, tmp_path: Path, scheme: str, text: str, right: bool) -> None:
        result = run("validate", "--scheme", scheme, written(tmp_path, "a.txt", text))
        assert [row[2:4] for row in rows(result)] == [[scheme, "valid" if right else "wrong"]]
        assert result.exit_code == (0 if right else 1)

    @pytest.mark.parametrize(
        ("scheme", "text", "reason"),
        [
            ("ror", "03yrm5c27", "call for 26"),
            ("noid", "13030/xf93gt2r", "call for q"),
            ("lui", "079jxh43", "call for 42"),
        ],
    )
    def test_a_text_with_a_given_scheme_gets_the_reason_for_that_scheme(
        self, tmp_path: Path, scheme: str, text: str, reason: str
    ) -> None:
        result = run("validate", "--scheme", scheme, written(tmp_path, "a.txt", text))
        assert reason in result.stdout

    def test_a_scheme_that_there_is_not_is_wrong_usage(self, tmp_path: Path) -> None:
        assert run("validate", "--scheme", "nothing", written(tmp_path, "a.txt", "x")).exit_code == 2

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("a.xml", b"x"),
            ("a", b"x"),
            ("a.jsonl", b"{"),
            ("a.jsonl", b"5"),
            ("a.jsonl", b'{"id": 5}'),
            ("a.jsonl", b'{"other": "x"}'),
            ("a.csv", b"\xff\xfe"),
            ("a.txt", b"tw0t-ywdj-94\n\xff\n"),
        ],
    )
    def test_a_file_with_the_wrong_name_is_reported(self, tmp_path: Path, name: str, content: bytes) -> None:
        result = run("validate", written(tmp_path, name, content))
        assert result.exit_code == 2
        assert name in result.stderr

    def test_rows_before_a_bad_one_are_judged_and_the_bad_one_is_reported(self, tmp_path: Path) -> None:
        result = run("validate", written(tmp_path, "a.jsonl", '"tw0t-ywdj-94"\n{bad\n'))
        assert result.exit_code == 2
        assert len(rows(result)) == 1
        assert "after row 1" in result.stderr

    @pytest.mark.parametrize("content", ["", "\n", "id\n", "\ufeff"])
    def test_a_file_without_rows_has_nothing_wrong(self, tmp_path: Path, content: str) -> None:
        result = run("validate", written(tmp_path, "a.csv", content))
        assert (result.exit_code, result.stdout) == (0, "")

    def test_a_file_that_does_not_exist_is_wrong_usage(self, tmp_path: Path) -> None:
        assert run("validate", str(tmp_path / "nothing.csv")).exit_code == 2
        assert run("validate", str(tmp_path)).exit_code == 2

    @pytest.mark.parametrize("name", ["a.tsv", "a.txt"])
    def test_a_quotation_mark_in_tab_separated_values_is_a_symbol_like_others(self, tmp_path: Path, name: str) -> None:
        result = run("validate", written(tmp_path, name, 'tw0t-ywdj-94\n"tw0t-ywdj-94\ntw0t-ywdj-94\n'))
        assert [row[3] for row in rows(result)] == ["valid", "wrong", "valid"]

    def test_a_huge_row_is_one_wrong_row_among_others(self, tmp_path: Path) -> None:
        result = run("validate", written(tmp_path, "a.txt", "tw0t-ywdj-94\n" + "a" * 1_000_000 + "\ntw0t-ywdj-94\n"))
        assert result.exit_code == 1
        assert "3 rows, 1 invalid" in result.stderr

    @pytest.mark.parametrize(
        ("name", "long"),
        [
            ("a.txt", "x" * 1_000_001),
            ("a.tsv", "x\t" * 500_001),
            ("a.csv", '"' + "tw0t-ywdj-94\n" * 80_000 + '"'),
            ("a.csv", "x," * 500_001),
            ("a.jsonl", '"' + "x" * 1_000_000 + '"'),
        ],
        ids=["text", "cells between tabs", "lines in a cell", "cells between commas", "JSON"],
    )
    def test_a_row_that_is_too_long_is_one_wrong_row_among_others(self, tmp_path: Path, name: str, long: str) -> None:
        good = '"tw0t-ywdj-94"\n' if name == "a.jsonl" else "tw0t-ywdj-94\n"
        result = run("validate", written(tmp_path, name, good + long + "\n" + good))
        assert result.exit_code == 1
        assert "3 rows, 1 invalid" in result.stderr
        assert rows(result)[1] == ["2", "", "none", "wrong", "the row is longer than 1,000,000 bytes"]
        first = run("validate", "--scheme", "lui", written(tmp_path, name, long + "\n" + good))
        assert [row[2:4] for row in rows(first)] == [["lui", "wrong"], ["lui", "valid"]]

    def test_a_column_is_not_found_in_a_first_row_that_is_too_long(self, tmp_path: Path) -> None:
        result = run("validate", "--column", "id", written(tmp_path, "a.csv", "id," + "x" * 1_000_000 + "\n"))
        assert result.exit_code == 2
        assert "no column id; the first row is longer" in result.stderr

    @pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
    def test_a_row_of_any_length_is_not_held_in_memory(self, tmp_path: Path, name: str) -> None:
        good = b'"tw0t-ywdj-94"\n'
        path = tmp_path / name
        with path.open("wb") as content:
            content.write(good + b'"')
            content.seek(50_000_000)
            content.write(b'"\n' + good)
        results: list[Result] = []
        assert measure_peak(lambda: results.append(run("validate", "--scheme", "lui", str(path)))) < 10_000_000
        assert [row[0] for row in rows(results[0])] == ["1", "2", "3"]
        assert rows(results[0])[1][4] == "the row is longer than 1,000,000 bytes"

    @pytest.mark.parametrize(
        ("content", "line"), [('tw0t-ywdj-94\n"tw0t-ywdj-94\nx\n', 2), ('tw0t-ywdj-94\n"a\nb"c\nx\n', 2)]
    )
    def test_where_the_next_row_cannot_be_found_judging_stops(self, tmp_path: Path, content: str, line: int) -> None:
        result = run("validate", written(tmp_path, "a.csv", content))
        assert result.exit_code == 2
        assert [row[1] for row in rows(result)] == ["tw0t-ywdj-94"]
        assert f"after row 1: line {line}: " in result.stderr

    @pytest.mark.parametrize("name", ["a.csv", "a.txt"])
    def test_rows_may_end_with_carriage_returns(self, tmp_path: Path, name: str) -> None:
        result = run("validate", written(tmp_path, name, "id\rtw0t-ywdj-94\r\rY35XYS0QH\r"))
        assert [row[1] for row in rows(result)] == ["tw0t-ywdj-94", "Y35XYS0QH"]

    def test_what_is_printed_stays_one_line_a_row(self, tmp_path: Path) -> None:
        odd = ["a\tb", "a\nb", "a\rb", "a\u2028b", "a,b", '"']
        text = io.StringIO()
        csv.writer(text).writerows([[each] for each in odd])
        result = run("validate", written(tmp_path, "a.csv", "id\n" + text.getvalue()))
        lines = result.stdout.removesuffix("\n").split("\n")
        assert len(lines) == len(odd)
        assert all(line.count("\t") == 4 and "\r" not in line for line in lines)


class TestGenerate:
    @pytest.fixture(autouse=True)
    def _loaded_dice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Draws that are the same in every run, and so never collide by chance."""
        monkeypatch.setattr(sys.modules["coolid.cli.commands.generate"], "SystemEntropy", SeededEntropy)

    @pytest.mark.parametrize(
        ("arguments", "scheme"),
        [
            (["lui"], "lui"),
            (["lui", "--symbols", "6"], "lui"),
            (["lui", "--symbols", "12"], "lui"),
            (["cooldoi"], "cooldoi"),
            (["cooldoi", "--prefix", "10.5072"], "doi"),
            (["pilin"], "pilin"),
            (["pilin", "--prefix", "102.100.272"], "handle"),
            (["uuid"], "uuid"),
            (["linkid"], "linkid"),
            (["ror"], "ror"),
            (["noid", "--prefix", "ark:99999"], "ark"),
            (["noid", "--template", ".zeek", "--prefix", "ark:99999"], "ark"),
            (["contextual", "--prefix", "fabio"], "contextual"),
            (["contextual", "--prefix", "fabio", "--object-type", "Image"], "contextual"),
        ],
        ids=" ".join,
    )
    def test_the_requested_number_is_generated_all_different_and_valid(self, arguments: list[str], scheme: str) -> None:
        result = run("generate", *arguments, "-n", "1200")
        lines = result.stdout.splitlines()
        assert result.exit_code == 0
        assert len(lines) == len(set(lines)) == 1200
        for line in lines:
            assert {verdict.scheme: verdict.valid for verdict in detect(line)}.get(scheme), line

    def test_the_default_number_is_one_and_zero_generates_none(self) -> None:
        assert len(run("generate", "lui").stdout.splitlines()) == 1
        assert run("generate", "lui", "-n", "0").stdout == ""

    @pytest.mark.parametrize(
        ("arguments", "start"),
        [
            (["lui", "--prefix", "mp"], "mp:"),
            (["lui", "--prefix", "2021/06/mp"], "2021/06/mp/"),
            (["lui", "--prefix", "2021/06/mp/"], "2021/06/mp/"),
            (["cooldoi", "--prefix", "10.5072"], "10.5072/"),
            (["pilin", "--prefix", "102.100.272"], "102.100.272/"),
            (["noid", "--prefix", "ark:99999"], "ark:99999/"),
            (["noid", "--prefix", "ark:99999/fk4"], "ark:99999/fk4"),
            (["cooldoi", "--prefix", "10.5072", "--proxy"], "https://doi.org/10.5072/"),
            (["pilin", "--prefix", "102.100.272", "--proxy"], "https://hdl.handle.net/102.100.272/"),
            (["noid", "--prefix", "ark:99999", "--proxy"], "https://n2t.net/ark:99999/"),
            (["lui", "--prefix", "mp", "--proxy"], "https://n2t.net/mp:"),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else value,
    )
    def test_they_stand_under_their_prefix(self, arguments: list[str], start: str) -> None:
        lines = run("generate", *arguments, "-n", "3").stdout.splitlines()
        assert len(lines) == 3
        assert all(line.startswith(start) and len(line) > len(start) for line in lines)

    @pytest.mark.parametrize("prefix", ["ark:99999", "ark:99999/fk4"])
    def test_the_check_characters_of_noids_cover_the_shoulder_that_they_stand_behind(self, prefix: str) -> None:
        lines = run("generate", "noid", "--prefix", prefix, "--naan", "99999", "-n", "20").stdout.splitlines()
        assert all(noid.is_valid(line.removeprefix("ark:")) for line in lines)

    def test_noids_of_a_small_template_are_all_of_them(self) -> None:
        result = run("generate", "noid", "--template", "f5.rdd", "-n", "100")
        assert sorted(result.stdout.splitlines()) == [f"f5{number:02d}" for number in range(100)]

    @pytest.mark.parametrize(
        "arguments",
        [
            ["nothing"],
            ["lui", "-n", "-1"],
            ["lui", "-n", "many"],
            ["lui", "--symbols", "13"],
            ["lui", "--proxy"],
            ["noid", "--template", "nonsense"],
            ["noid", "--template", ".rdd", "-n", "101"],
            ["noid", "--naan", "AEIOU"],
            ["contextual"],
            ["contextual", "--prefix", "a.b"],
            ["contextual", "--prefix", "fabio", "--object-type", "a b"],
            ["contextual", "--prefix", "fabio", "--object-type", "a.b"],
            ["contextual", "--prefix", "fabio", "--object-type", ""],
            ["pilin", "-n", "99999999999999"],
        ],
        ids=" ".join,
    )
    def test_a_failed_generation_is_wrong_usage_and_prints_nothing(self, arguments: list[str]) -> None:
        result = run("generate", *arguments)
        assert result.exit_code == 2
        assert result.stderr
        assert result.stdout == ""

    def test_json_is_printed_if_requested(self) -> None:
        """As every command that prints data does."""
        result = run("generate", "lui", "-n", "2", "--json")
        assert result.exit_code == 0
        assert result.stdout.strip()
        for line in result.stdout.splitlines():
            json.loads(line)

    def test_the_check_character_of_a_noid_covers_the_naan_that_is_given(self) -> None:
        lines = run("generate", "noid", "--naan", "13030", "--template", ".reedeedk", "-n", "20").stdout.splitlines()
        for line in lines:
            assert {verdict.scheme: verdict.valid for verdict in detect(f"13030/{line}")}["noid"]


class TestPipes:
    """Real processes: a pipe that the reader closes is no error."""

    @pytest.mark.parametrize("command", ["generate", "validate"])
    def test_head_gets_its_line_and_nobody_complains(self, tmp_path: Path, command: str) -> None:
        file = written(tmp_path, "a.txt", "tw0t-ywdj-94\n" * 20_000)
        arguments = ["generate", "lui", "-n", "100000"] if command == "generate" else ["validate", file]
        program = [sys.executable, "-c", "from coolid.cli import main; main()", *arguments]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline().strip()
            process.stdout.close()
            complaint = process.stderr.read().decode()
        assert "Traceback" not in complaint
        assert "BrokenPipe" not in complaint
        assert process.returncode in (0, -13, 141)

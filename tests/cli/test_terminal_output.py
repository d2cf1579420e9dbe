"""The command line for people: help, tables, progress, completion, and advice."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
import typer.main
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.cli.commands.records import _Refusals
from coolid.cli.commands.serve import _show_panel as show_panel
from coolid.cli.help_pages import run as run_to_end
from coolid.cli.help_text import EXAMPLE
from coolid.cli.output import out
from coolid.cli.progress import progress
from coolid.local.system import LocalSettings
from coolid.transfer.progress import Refusal
from tests.cli.terminals import COLUMNS, at_terminal
from tests.support.builders.signed_documents import Key, document, key_set
from tests.support.servers import http_server as hosts
from tests.support.servers.coolid_server import COMMAND
from tests.support.servers.http_server import KEY, RECORD, Host, host, problem, stored
from tests.support.servers.loopback import nobody


def walk(command: Any, path: str = "coolid") -> Iterator[tuple[str, Any]]:
    """Every command and group, with the words that run it."""
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from walk(each, f"{path} {name}")


ALL = dict(walk(typer.main.get_command(app)))
COMMANDS = [path for path, command in ALL.items() if not hasattr(command, "commands")]
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
STYLES = re.compile(r"\x1b\[[\d;]*m")
ODD = "\x1b]0;owned\x07\x9b31m\u202e[bold]no markup[/bold]:smile:"

runner = CliRunner()


def run(*arguments: str, **environment: str) -> Result:
    """Run a command; a traceback is a failure of the test."""
    returned = {"COOLID_URL": "", "COOLID_KEY": "", "COOLID_STACK": "", "COLUMNS": str(COLUMNS)} | environment
    result = runner.invoke(app, list(arguments), env=returned)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def site() -> Iterator[Host]:
    with host(replies=[stored()]) as running:
        yield running


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are for a person, in a process that has no terminal."""
    monkeypatch.setattr("coolid.cli.output.on_screen", lambda _console: True)
    monkeypatch.setattr("coolid.cli.commands.records.on_screen", lambda _console: True)


class TestHelp:
    @pytest.mark.parametrize("path", ALL)
    def test_a_page_fits_80_columns_and_is_plain_text(self, path: str) -> None:
        result = run(*path.split()[1:], "--help")
        assert result.exit_code == 0
        assert result.stdout.isascii()
        assert not UNSAFE.search(result.stdout)
        assert max(map(len, result.stdout.splitlines())) <= COLUMNS

    @pytest.mark.parametrize("path", COMMANDS)
    def test_every_command_describes_itself_and_its_parameters_and_has_examples(self, path: str) -> None:
        examples = EXAMPLE.findall(run(*path.split()[1:], "--help").stdout)
        assert re.search(r"[^.]\.$", ALL[path].get_short_help_str()), "lists show a whole sentence"
        assert examples
        assert all(path in each for each in examples)
        assert [each.name for each in ALL[path].params if not each.help and not each.hidden] == []
        assert examples == EXAMPLE.findall(ALL[path].help), "each example has a line of its own"

    def test_the_first_help_page_groups_the_commands_and_explains_common_rules(self) -> None:
        returned = run("--help").stdout
        headings = ["Options:", "Try it:", "Look up and check:", "Mint and keep:", "Operate:", "Exit codes:"]
        assert [each for each in returned.splitlines() if each in headings] == headings
        for each in ("COOLID_URL", "COOLID_KEY", "COOLID_STACK", "NO_COLOR", "--install-completion"):
            assert each in returned

    def test_a_program_without_arguments_shows_its_page_and_is_wrong_usage(self) -> None:
        result = run()
        assert (result.exit_code, result.stdout) == (2, "")
        assert "Look up and check" in result.stderr

    def test_a_narrow_terminal_gets_a_narrow_page(self) -> None:
        lines = [each for each in run("keys", "--help", COLUMNS="50").stdout.splitlines() if "coolid" not in each]
        assert max(map(len, lines)) <= 50

    @pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_without_colours_there_is_no_escape_code(self, name: str, value: str) -> None:
        code, returned = at_terminal("parse", "tw0t-ywdj-95", environment={name: value})
        assert code == 1
        assert "✗" in returned
        assert "\x1b" not in returned


class TestTables:
    def test_at_a_terminal_a_record_is_a_table_that_nothing_in_it_steers(self, site: Host) -> None:
        long = "https://content.example.org/" + "x" * 100
        site.will(stored(RECORD | {"metadata": {"what": ODD}, "records": [{"uri": long}]}))
        code, returned = at_terminal("show", "demo:x", environment={"COOLID_URL": site.url, "COOLID_KEY": KEY})
        assert code == 0
        assert STYLES.search(returned)
        plain = STYLES.sub("", returned)
        assert not UNSAFE.search(plain)
        assert "[bold]no markup[/bold]:smile:" in plain
        assert max(map(len, plain.splitlines())) <= COLUMNS
        assert long in re.sub(r"\s", "", plain)

    def test_in_a_pipe_it_is_lines_as_usual(self, site: Host) -> None:
        returned = run("show", "demo:x", COOLID_URL=site.url, COOLID_KEY=KEY).stdout
        assert "what        Spectra\n" in returned

    @pytest.mark.usefixtures("screen")
    def test_versions_are_a_table_with_headings(self, site: Host) -> None:
        version = {"version": 1, "author": ODD, "record": RECORD | {"updated": ODD}}
        site.will(stored(RECORD | {"versions": [version]}))
        returned = run("history", "demo:x", COOLID_URL=site.url, COOLID_KEY=KEY).stdout
        assert re.match(r"version +updated +author +status +changed *\n", returned)
        assert not UNSAFE.search(returned)

    @pytest.mark.usefixtures("screen")
    def test_the_explanation_of_a_text_has_marks(self) -> None:
        evil = {"scheme": ODD, "valid": True, "canonical": ODD, "reason": None}
        answer = {"candidates": [evil], "steps": [{"step": ODD, "detail": ODD}], "suggestions": [ODD]}
        with host() as requested:
            requested.answers["/api/v1/parse?id=x"] = hosts.json(answer)
            returned = run("parse", "x", "--url", requested.url).stdout
        assert returned.startswith("✓ ")
        assert returned.count("[bold]") == 5
        assert not UNSAFE.search(returned)
        assert "no scheme has this form" in run("parse", "nonsense, really").stdout

    @pytest.mark.usefixtures("screen")
    def test_hops_are_printed_one_below_the_other(self) -> None:
        with host() as requested:
            requested.answers["/resolve/x"] = hosts.to("https://content.example.org/")
            returned = run(
                "resolve", "lid:x", "--resolver", requested.url, "--no-follow", "--default-resolver", ""
            ).stdout
        assert re.search(r"302 +request +http://\S+/resolve/x", returned)
        assert re.search(r"redirect +https://content\.example\.org/", returned)

    @pytest.mark.usefixtures("screen")
    def test_checks_are_printed_with_marks(self, tmp_path: Path) -> None:
        key = Key()
        (tmp_path / "keys.json").write_text(json.dumps(key_set(key)))
        record = key.sign(document())
        (tmp_path / "record.json").write_text(json.dumps(record))
        (tmp_path / "many.jsonl").write_text(json.dumps(record) + "\n" + json.dumps(record | {"ttl": 1}) + "\n")
        keys = ("--jwks", str(tmp_path / "keys.json"), "--offline")
        one = run("verify", str(tmp_path / "record.json"), *keys)
        assert (one.exit_code, "verified, with all versions" in one.stdout) == (0, True)
        assert re.search(r"^  ✓ +signature +the signature", one.stdout, re.MULTILINE)
        many = run("verify", str(tmp_path / "many.jsonl"), *keys)
        assert many.exit_code == 1
        assert "✓ line 1: " in many.stdout
        assert "✗ line 2: " in many.stdout

    @pytest.mark.usefixtures("screen")
    def test_public_keys_are_a_table(self, monkeypatch: pytest.MonkeyPatch) -> None:
        keys = key_set(Key())["keys"]

        store = SimpleNamespace(public_keys=SimpleNamespace(public_keys=lambda: keys))
        monkeypatch.setattr("coolid.cli.commands.keys._open_store", lambda *_: nullcontext(store))
        returned = run("keys", "list", LUI_TABLE="luis").stdout
        assert re.match(r"key +algorithm +type +curve *\n", returned)
        assert re.search(rf"^{keys[0]['kid']} +ES256 +EC +P-256 *$", returned, re.MULTILINE)

    @pytest.mark.usefixtures("screen")
    def test_rows_that_were_refused_are_a_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        refusals = _Refusals(None)
        for row in (Refusal(3, "/uri", ODD), Refusal(4, "", "no prefix")):
            refusals.add(row)
        refusals.print(refused=2)
        returned = capsys.readouterr().err
        assert re.search(r"^4 +the whole row +no prefix *$", returned, re.MULTILINE)
        assert not UNSAFE.search(returned)

    def test_where_there_are_no_such_forms_marks_are_words(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from coolid.cli.output import mark

        monkeypatch.setattr(type(out), "encoding", "ascii")
        assert [mark(good=each).plain for each in (True, False)] == ["ok", "NO"]


class TestProgress:
    def test_progress_is_shown_at_the_terminal_and_output_goes_to_its_destination(self, tmp_path: Path) -> None:
        rows = 80_000  # a second's worth: the time left is told once there is a rate
        (tmp_path / "a.txt").write_text("tw0t-ywdj-94\n" * rows)
        with (tmp_path / "verdicts").open("wb") as verdicts:
            code, returned = at_terminal("validate", "a.txt", folder=tmp_path, stdout=verdicts)
        assert code == 0
        assert re.search(r"Validating .*[\d,]+ rows, [\d,]+ a second", returned)
        assert " left" in returned
        assert len((tmp_path / "verdicts").read_bytes().splitlines()) == rows
        assert "ywdj" not in returned

    @pytest.mark.usefixtures("terminal")
    @pytest.mark.parametrize("total", [None, 5, 50])
    def test_a_total_may_be_unknown_or_an_estimate(
        self, total: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("coolid.cli.progress._SECONDS", 0.0)
        with progress("Exporting", total, "lines") as show:
            for done in range(1, 11):
                show(done, done)
        assert "Exporting" in capsys.readouterr().err

    @pytest.mark.usefixtures("terminal")
    def test_answers_that_run_down_the_same_terminal_are_progress_enough(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("coolid.cli.progress.on_screen", lambda _console: True)
        with progress("Judging", 10, on_stdout=True) as show:
            show(1, 1)
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize("forced", ["", "1"])
    def test_in_a_pipe_there_is_none_even_if_colours_are_forced(self, forced: str) -> None:
        result = run("generate", "lui", "-n", "20000", FORCE_COLOR=forced, TERM="xterm")
        assert (result.exit_code, result.stderr, len(result.stdout.splitlines())) == (0, "", 20_000)


class TestCompletion:
    def test_bash_completes_once_it_is_installed(self, tmp_path: Path) -> None:
        script = """
            coolid --install-completion >/dev/null && source "$HOME/.bashrc" || exit 1
            COMP_WORDS=(coolid re) COMP_CWORD=1; _coolid_completion coolid; echo "${COMPREPLY[@]}"
            COMP_WORDS=(coolid generate pi) COMP_CWORD=2; _coolid_completion coolid; echo "${COMPREPLY[@]}"
            complete -p coolid
        """
        environment = dict(os.environ) | {"HOME": str(tmp_path), "PATH": f"{COMMAND.parent}:{os.environ['PATH']}"}
        bash = ["bash", "--norc", "-c", script]
        done = subprocess.run(bash, env=environment, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        commands, schemes, how = done.stdout.splitlines()
        assert (set(commands.split()), schemes) == ({"registry", "resolve", "records", "repositories"}, "pilin")
        assert "-o default" in how, "files complete where nothing else does"

    @pytest.mark.parametrize(
        ("typed", "found"),
        [
            ("coolid mi", ["mint", "mirror"]),
            ("coolid keys ", ["rotate", "list", "create", "revoke"]),
            ("coolid mint --pre", ["--prefix"]),
            ("coolid generate coo", ["cooldoi"]),
            ("coolid validate a.csv --scheme ro", ["ror"]),
            ("coolid validate ", []),
        ],
    )
    @pytest.mark.parametrize("shell", ["fish", "zsh"])
    def test_other_shells_get_the_same_completion(self, shell: str, typed: str, found: list[str]) -> None:
        requested = {"_COOLID_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": typed}
        returned = run(**requested, _TYPER_COMPLETE_FISH_ACTION="get-args").stdout
        if shell == "fish":
            assert [line.split("\t")[0] for line in returned.splitlines() if line] == found
        elif found:
            assert re.findall(r'^(?:_arguments \'\*: :\(\()?"([\w-]+)"', returned, re.MULTILINE) == found
        else:
            assert returned.strip() == "_files"


class TestWhatToDoNext:
    @pytest.mark.parametrize(
        ("arguments", "next_step"),
        [
            (["reslove", "x"], "Did you mean 'resolve'?"),
            (["nothing-like-it"], "`coolid --help` lists the commands"),
            (["keys", "crete"], "Did you mean 'create'?"),
            (["mint", "--prefx", "demo"], "--prefix"),
            (["parse"], "such as: coolid parse "),
            (["generate", "nothing"], "'cooldoi'"),
            (["validate", "/nowhere.csv"], "`coolid validate --help`"),
            (["validate", __file__], ".jsonl"),
            (["mint", "--prefix", "demo"], "COOLID_URL"),
            (["mint", "--prefix", "demo", "--url", "http://127.0.0.1:1"], "COOLID_KEY"),
            (["mint"], "--prefix demo"),
            (["mint", "--prefix", "demo", "--metadata", "{"], "--metadata is not JSON"),
            (["keys", "list"], "COOLID_URL"),
            (["verify", __file__, "--offline"], "--jwks FILE"),
        ],
        ids=lambda each: each if isinstance(each, str) else " ".join(each[:2]),
    )
    def test_wrong_usage_prints_the_right_usage(self, arguments: list[str], next_step: str) -> None:
        result = run(*arguments, LUI_TABLE="")
        assert (result.exit_code, result.stdout) == (2, "")
        assert next_step in result.stderr
        assert result.stderr.startswith("coolid: ")

    @pytest.mark.parametrize(
        ("status", "kind", "next_step"),
        [
            (400, "invalid-check", "coolid parse demo:x"),
            (401, "unauthenticated", "--key-file"),
            (403, "forbidden", "coolid keys create --scope"),
            (404, "unregistered-identifier", "coolid parse demo:x --url"),
            (404, "unknown-prefix", "/pages/prefixes"),
            (409, "already-withdrawn", "coolid history demo:x"),
            (409, "something-new", "coolid show demo:x"),
            (412, "outdated", "coolid show demo:x"),
            (422, "invalid-input", "correct these members"),
            (428, "precondition-required", "--if-match"),
        ],
    )
    def test_a_refusal_prints_advice(self, site: Host, status: int, kind: str, next_step: str) -> None:
        site.will(stored(), problem(status, "No", type=f"{site.url}/problems/{kind}"))
        result = run("update", "demo:x", "--set", "what=a", COOLID_URL=site.url, COOLID_KEY=KEY)
        assert result.exit_code == 1
        assert next_step in result.stderr

    def test_without_a_listening_server_it_suggests_to_start_one(self) -> None:
        with nobody() as url:
            for arguments in (["show", "demo:x"], ["parse", "demo:x"]):
                result = run(*arguments, "--url", url)
                assert (result.exit_code, "is `coolid serve` running?" in result.stderr) == (3, True)

    def test_a_service_that_cannot_answer_now_is_not_taken_for_something_else(self) -> None:
        with host() as requested:
            requested.answers["/api/v1/parse?id=x"] = hosts.json({}, status=503)
            result = run("parse", "x", "--url", requested.url)
        assert (result.exit_code, result.stderr.count("\n")) == (3, 1)
        assert "it cannot answer now (status 503)" in result.stderr

    def test_another_service_gets_advice(self, site: Host) -> None:
        site.will((200, {"Content-Type": "text/html"}, b"<h1>Hello"))
        assert "is that the address of a coolid service" in run("show", "demo:x", "--url", site.url).stderr

    def test_nothing_that_was_typed_steers_the_terminal(self) -> None:
        for arguments in (["validate", ODD], [ODD], ["mint", f"--{ODD}"], ["generate", ODD], ["keys", ODD]):
            assert not UNSAFE.search(run(*arguments).stderr)

    def test_ctrl_c_ends_it_quietly(self, tmp_path: Path) -> None:
        def interrupt(process: subprocess.Popen[bytes]) -> None:
            process.send_signal(signal.SIGINT)

        with (tmp_path / "out").open("wb") as file:
            code, returned = at_terminal("generate", "lui", "-n", "99999999", stdout=file, meanwhile=interrupt)
        assert code == 130
        assert "Traceback" not in returned

    @pytest.mark.parametrize(
        ("raised", "code"),
        [
            (typer.Abort(), 1),
            (BrokenPipeError(), 1),
            (FileNotFoundError(2, "No such file", "a.csv"), 2),
            (OSError("nothing is known of it"), 2),
        ],
        ids=repr,
    )
    def test_what_a_user_can_cause_ends_in_an_exit_code(
        self, raised: Exception, code: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            "coolid.cli.error_report.discard_stdout", lambda: None
        )  # it would be pytest's own standard output

        def command() -> Any:
            raise raised

        with pytest.raises(SystemExit) as ended:
            run_to_end(command)
        assert ended.value.code == code

    def test_ctrl_c_at_a_question_is_ctrl_c(self) -> None:
        def command() -> Any:
            abort = typer.Abort()
            abort.__context__ = KeyboardInterrupt()
            raise abort

        with pytest.raises(SystemExit) as ended:
            run_to_end(command)
        assert ended.value.code == 130

    def test_a_pipe_that_nobody_reads_ends_it_quietly(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        command = [str(COMMAND), "parse", "tw0t-ywdj-94"]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
        os.close(writer)
        assert (done.returncode, done.stderr) == (1, b"")

    def test_a_defect_of_the_program_is_not_hidden(self) -> None:
        with pytest.raises(ZeroDivisionError):
            run_to_end(lambda: 1 // 0)


def test_the_address_is_printed_at_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    show_panel(LocalSettings("http://127.0.0.1:8080", Path()), 2900, KEY)
    returned = capsys.readouterr().err
    for path in ("/", "/uniprot:P0DP23", "?format=html", "/pages/prefixes", "/pages/mint", "/pages/api"):
        assert re.search(rf"http://127\.0\.0\.1:8080\S*{re.escape(path)} ", returned)
    assert KEY in returned
    assert ".local/admin-key" in returned
    assert max(map(len, returned.splitlines())) <= COLUMNS

"""`coolid records mint`: files of rows, minted by the service."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.client.client import Client
from tests.support.servers.coolid_server import Server
from tests.support.servers.loopback import nobody

runner = CliRunner()

ROWS = """uri,what,metadata.subject
https://photos.example.org/1,"Harbour, west",ships
not a URL,Broken,
https://photos.example.org/2
https://photos.example.org/3,"two
lines",
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "photos.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def mint(server: Server, file: Path, *arguments: str) -> Result:
    """Run the command as the administrator; a traceback is a failure of the test."""
    environment = {"COOLID_URL": server.url, "COOLID_KEY": server.key}
    result = runner.invoke(app, ["records", "mint", str(file), *arguments], env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_results_have_the_columns_of_the_file_and_the_pids(server: Server, file: Path, tmp_path: Path) -> None:
    results = tmp_path / "arks.csv"
    done = mint(server, file, "--prefix", "demo", "--results", str(results))
    assert (done.exit_code, done.stdout) == (1, "")
    assert "2 minted, 2 refused" in done.stderr
    first, refused, short, last = csv.DictReader(StringIO(results.read_text(encoding="utf-8")))
    assert (first["uri"], first["what"], first["metadata.subject"]) == (
        "https://photos.example.org/1",
        "Harbour, west",
        "ships",
    )
    with Client(server.url) as client:
        assert client.resolve(first["pid"]).target == first["uri"]
    assert (first["status"], first["error"], last["what"]) == ("active", "", "two\nlines")
    assert (refused["pid"], refused["status"]) == ("", "")
    assert refused["error"].startswith("/uri: ")
    assert "1 cells" in short["error"]


def test_a_repeated_command_returns_the_same_pids_and_replaces_no_file(server: Server, file: Path) -> None:
    first, again = (mint(server, file, "--prefix", "demo", "--json").stdout for _ in range(2))
    assert first == again
    lines = [json.loads(line) for line in first.splitlines()]
    assert [each["line"] for each in lines] == [2, 3, 4, 5]
    assert [each["pid"] is None for each in lines] == [False, True, True, False]
    refused = mint(server, file, "--prefix", "demo", "--results", str(file))
    assert (refused.exit_code, "exists" in refused.stderr, file.read_text("utf-8")) == (2, True, ROWS)


def test_the_same_file_is_minted_under_another_prefix(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "row.jsonl"
    file.write_text('{"uri": "https://a.example.org/"}\n', encoding="utf-8")
    trial, final, again = (mint(server, file, "--prefix", name) for name in ("demo", "2021/06/demo", "2021/06/demo"))
    assert (trial.exit_code, final.exit_code) == (0, 0)
    assert trial.stdout != final.stdout == again.stdout


def test_results_that_cannot_be_written_are_minted_and_can_be_had_again(
    server: Server, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full, Path("/dev/full").open("wb") as device:
        full.setattr("coolid.cli.commands.bulk_mint.typer.get_binary_stream", lambda _name: device)
        failed = mint(server, file, "--prefix", "demo")
        with pytest.raises(OSError, match="No space left"):
            device.close()
    assert (failed.exit_code, "minted, " in failed.stderr) == (2, False)
    assert "repeat the command within a day" in failed.stderr
    assert mint(server, file, "--prefix", "demo").exit_code == 1


def test_rows_before_a_misplaced_quotation_mark_are_minted(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "torn.csv"
    file.write_text('uri\nhttps://a.example.org/\n"https://b.example.org/"x\n', encoding="utf-8")
    done = mint(server, file, "--prefix", "demo")
    assert done.exit_code == 2
    assert len(done.stdout.splitlines()) == 2
    assert "line 3: something follows the closing quotation mark" in done.stderr


def test_json_lines_are_minted_and_other_values_refused(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"uri": "https://a.example.org/"}\n[1]\n', encoding="utf-8")
    done = mint(server, file, "--prefix", "demo")
    minted, refused = map(json.loads, done.stdout.splitlines())
    assert (done.exit_code, minted["error"], refused["pid"]) == (1, None, None)
    assert "no JSON object" in refused["error"]


def test_without_a_service_no_results_are_left(file: Path, tmp_path: Path, server: Server) -> None:
    results = tmp_path / "arks.csv"
    with nobody() as url:
        done = mint(server, file, "--prefix", "demo", "--results", str(results), "--url", url)
    assert (done.exit_code, results.exists()) == (3, False)
    assert "repeat the command within a day" in done.stderr

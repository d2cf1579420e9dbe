"""Each source, through the command: what it imports of the dumps of other services, without secrets and people."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coolid.aws import key_file
from coolid.cli import app
from coolid.local.service_files import signing_key_file
from coolid.migration.source_catalog import SOURCES, source
from coolid.sqlite.database import Database
from tests.migration.dumps import VECTORS
from tests.support.builders.samples import BASE_URL

PRIVATE = (
    "s3cret",
    "another-secret",
    "third-secret",
    "0123456789abcdef",
    "110011111110",
    "203.0.113",
    "2001:db8",
    "ann/archive",
    "administrators only",
)


def test_every_source_has_a_reader() -> None:
    assert all(callable(source(name)) for name in SOURCES)
    assert list(SOURCES) == sorted(SOURCES)


@pytest.mark.parametrize(
    ("name", "written", "refused", "incomplete"),
    [
        ("arklet.sql", 2, 1, 0),
        ("datacite_page.json", 3, 1, 1),
        ("handle_batch.txt", 4, 2, 2),
        ("handle_postgresql.sql", 2, 1, 0),
        ("noid_binder.txt", 5, 2, 0),
        ("shlink.json", 2, 1, 2),
        ("yourls.sql", 2, 0, 0),
    ],
)
def test_the_command_imports_dumps_of_each_service(
    name: str, written: int, refused: int, incomplete: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, report = tmp_path / "coolid.db", tmp_path / "report.jsonl"
    Database.open(database, is_durable=False).close()
    key_file.ensure(signing_key_file(database))
    monkeypatch.setenv("PUBLIC_BASE_URL", BASE_URL)
    arguments = ["import", "--from", name.partition(".")[0].partition("_")[0], str(VECTORS / name)]
    arguments += ["--data", str(database), "--prefix", "go", "--create-prefixes", "--report", str(report), "--json"]

    first = json.loads(CliRunner().invoke(app, arguments).stdout)
    again = json.loads(CliRunner().invoke(app, arguments).stdout)

    counts = {"written": written, "present": 0, "refused": refused, "incomplete": incomplete}
    assert {count: first[count] for count in counts} == counts
    assert (again["written"], again["present"]) == (0, written)
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not [text for text in PRIVATE if text.encode() in stored]

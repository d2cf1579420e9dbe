"""`coolid import` over a database."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from coolid.aws import key_file
from coolid.cli import app
from coolid.errors import StoreUnavailable
from coolid.local.service_files import signing_key_file
from coolid.sqlite.bulk import SqliteBulkWriter
from coolid.sqlite.database import Database
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.installations import minted

VECTORS = Path(__file__).parents[1] / "vectors" / "ezid"
DUMP = """:: ark:/99999/fk4gt78tq
_target: http://www.gutenberg.org/ebooks/7178
erc.what: Remembrance of Things Past

:: ark:/99999/fk4b2
_target: javascript:alert(1)
_status: unavailable

:: ark:/12345/x-y.z
_target: https://a.example/

:: ark:/12345/b3f/c
_target: https://a.example/

:: doi:10.5072/FK2.A_1
_target: https://a.example/

:: nothing
"""


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments of an import of the dump into an empty database."""
    database = tmp_path / "coolid.db"
    Database.open(database, is_durable=False).close()
    key_file.ensure(signing_key_file(database))
    (tmp_path / "dump.anvl").write_text(DUMP)
    monkeypatch.setenv("PUBLIC_BASE_URL", BASE_URL)
    return ["import", "--from", "ezid", str(tmp_path / "dump.anvl"), "--data", str(database)]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout


def document(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json")[1])
    return found


def test_a_preview_shows_missing_prefixes_and_losses_and_the_import_creates_them(
    arguments: list[str], tmp_path: Path
) -> None:
    code, text = run(*arguments, "--preview")
    assert code == 1
    assert "The prefix ark:99999/fk4 is missing, for 2 identifiers. Create it:\n  coolid repositories create" in text
    assert "No import keeps owners and groups of EZID." in text
    preview = document(*arguments, "--preview")
    assert [each["prefix"] for each in preview["missing"]] == ["10.5072", "ark:12345", "ark:99999/fk4"]
    assert preview["prefixes"]["ark:99999/fk4"] == {"active": 1, "withdrawn": 1}
    assert (preview["written"], preview["refused"], preview["incomplete"]) == (5, 1, 1)
    assert document(*arguments)["refused"] == 6
    report = tmp_path / "report.jsonl"
    imported = document(*arguments, "--create-prefixes", "--report", str(report))
    assert {name: imported[name] for name in ("written", "present", "refused")} == {
        "written": 5,
        "present": 0,
        "refused": 1,
    }
    lines = [json.loads(line) for line in report.read_bytes().splitlines()]
    assert sorted((line["position"], line["identifier"], line["kind"], line.get("value")) for line in lines) == [
        (5, "ark:/99999/fk4b2", "lost", "javascript:alert(1)"),
        (18, "nothing", "refused", None),
    ]
    again = document(*arguments)
    assert (again["written"], again["present"], again["missing"]) == (0, 5, [])


def test_unusable_arguments_and_dumps_end_with_2_and_a_failing_store_with_3(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = arguments[3]
    other_name = Path(dump).with_name("other.anvl")
    other_name.hardlink_to(dump)
    for report in (dump, str(other_name), arguments[-1]):  # the dump, also by another name, and the database
        assert run(*arguments, "--report", report)[0] == 2
    assert Path(dump).read_text() == DUMP
    assert run(*arguments[:2], "fedora", *arguments[3:])[0] == 2
    assert run(*arguments, "--create-prefixes", "--old", BASE_URL)[0] == 2
    for option in ("--preview", "--update", "--create-prefixes"):
        assert run(*arguments, "--check", "--url", BASE_URL, option)[0] == 2
    Path(dump).write_text("<records>")
    assert run(*arguments)[0] == 2
    Path(dump).write_text(DUMP)
    with monkeypatch.context() as patch:
        patch.setattr(SqliteBulkWriter, "put", fail)
        assert run(*arguments, "--create-prefixes")[0] == 3
    assert document(*arguments)["written"] == 5


def fail(*_: Any) -> None:
    raise StoreUnavailable("it is away")


def test_a_created_prefix_continues_its_minter_and_admits_all_names_of_the_dump(
    arguments: list[str], tmp_path: Path
) -> None:
    names = (VECTORS / "77913_r7_first_20000.csv").read_text().split()[:4]
    identifiers = [*names[:2], "chosen/by.hand", "/behind.a.slash"]
    Path(arguments[3]).write_text("".join(f":: ark:/77913/r7{name}\n_status: public\n\n" for name in identifiers))
    minters = ("--minters", str(VECTORS / "77913_r7.bdb"))
    assert run(*arguments, *minters)[0] == 2
    imported = document(*arguments, *minters, "--create-prefixes")
    assert (imported["written"], imported["refused"]) == (4, 0)
    table = tmp_path / "new.jsonl"
    table.write_text('{"prefix": "ark:77913/r7"}\n' * 2)
    assert run("records", "import", str(table), *arguments[4:])[0] == 0
    assert [*minted(table).values()] == [f"{BASE_URL}/ark:77913/r7{name}" for name in names[2:]]
    assert "not continued" not in CliRunner().invoke(app, [*arguments, *minters, "--create-prefixes"]).stderr


def test_minters_of_prefixes_that_exist_with_other_rules_are_listed(arguments: list[str]) -> None:
    Path(arguments[3]).write_text(":: ark:/77913/r7x\n_status: public\n")
    assert run(*arguments, "--create-prefixes")[0] == 0
    minters = ("--minters", str(VECTORS / "77913_r7.bdb"), "--create-prefixes")
    listed = CliRunner().invoke(app, [*arguments, *minters]).stderr
    assert listed.endswith("the import does not create their prefixes: ark:77913/r7\n")

"""`coolid export`: the file, what it says about losses, and its errors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_records import run
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System, system_over_tables


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system with a public and a reserved record."""
    with system_over_tables(tmp_path_factory.mktemp("export")) as running:
        running.mint({"prefix": "demo", "uri": "https://content.example.org/?a"})
        running.mint({"prefix": "demo", "status": "reserved"})
        yield running


def test_each_form_is_written_to_standard_output_and_losses_to_standard_error(source: System) -> None:
    for form, expected in {
        "htaccess": r" https://content.example.org/\?a? [NC,NE,L,R=302]",
        "nginx": '" "302 https://content.example.org/?a";',
        "csv": ",https://content.example.org/?a,active,",
        "ezid": "_target: https://content.example.org/?a",
        "ezid-xml": '<element name="_target">https://content.example.org/?a</element>',
    }.items():
        result = run(source.environment, "export", "--to", form)
        assert (result.exit_code, expected in result.stdout) == (0, True)
        says = "not kept: it is reserved, so it is not public yet (such as " in result.stderr
        assert says == (form in ("htaccess", "nginx"))


def test_one_prefix_is_written_to_a_private_file(source: System, tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    assert run(source.environment, "export", "--to", "csv", "--prefix", "DEMO", str(file)).exit_code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert {line.partition(",")[0] for line in file.read_text().splitlines()} == {"prefix", "demo"}
    assert BASE_URL not in file.read_text()
    result = run(source.environment, "export", "--to", "csv", "--prefix", "absent", str(tmp_path / "none.csv"))
    assert (result.exit_code, (tmp_path / "none.csv").exists()) == (2, False)
    assert "'absent' is not a prefix of a repository here" in result.stderr


@pytest.mark.parametrize("command", [("export", "--to", "csv"), ("records", "export")])
def test_the_database_is_not_replaced(source: System, tmp_path: Path, command: tuple[str, ...]) -> None:
    database = tmp_path / "coolid.db"
    database.write_bytes(b"records")
    (tmp_path / "link").symlink_to(database)
    for output in (database, tmp_path / "link"):
        assert run(source.environment, *command, str(output), "--data", str(database)).exit_code == 2
    assert database.read_bytes() == b"records"

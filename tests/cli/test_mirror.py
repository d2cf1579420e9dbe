"""`coolid mirror`: sources, updates and checks as the command line offers them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_records import run
from tests.support.fixtures.mirrored_service import MirroredService, mirrored_service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MirroredService]:
    with mirrored_service(tmp_path_factory.mktemp("service")) as made:
        made.installation.add("mp")
        for number in range(3):
            made.mint("mp", None, f"https://content.example.org/{number}")
        made.publish_log()
        yield made


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "config"), "PATH": os.environ["PATH"]}


def test_a_service_is_mirrored_checked_and_updated(
    service: MirroredService, environment: dict[str, str], tmp_path: Path
) -> None:
    site = str(tmp_path / "site")
    with service.serve() as url:
        first = run(environment, "mirror", site, "--from", url, "--json")
        document = json.loads(first.stdout)
        assert (first.exit_code, document["records"], document["losses"]) == (0, 3, [])
        again = run(environment, "mirror", site, "--from", url)
        assert (again.exit_code, "update it by --update" in again.stderr) == (2, True)
        assert run(environment, "mirror", site, "--from", url, "--update").exit_code == 0
        key = document["verifier_key"]
        checked = run(environment, "mirror", site, "--check", "--url", url, "--maker-key", key, "--json")
        verdict = json.loads(checked.stdout)
        assert (checked.exit_code, verdict["ok"], verdict["proofs"], verdict["compared"]) == (0, True, 3, 3)
    (tmp_path / "site" / "_mirror" / "mirror.json").write_text("{}", encoding="utf-8")
    assert run(environment, "mirror", site, "--check").exit_code == 2


def test_a_difference_from_the_service_is_a_no(
    service: MirroredService, environment: dict[str, str], tmp_path: Path
) -> None:
    site = str(tmp_path / "site")
    with service.serve() as url:
        assert run(environment, "mirror", site, "--from", url).exit_code == 0
        record = service.mint("mp", None, "https://content.example.org/gone")
        service.publish_log()
        assert run(environment, "mirror", site, "--from", url, "--update").exit_code == 0
        service.installation.amender.withdraw(record, "a mistake", None, author="another")
        service.publish_log()
        result = run(environment, "mirror", site, "--check", "--url", url)
    assert result.exit_code == 1
    assert "the service answers 410, the mirror 302 'https://content.example.org/gone'" in result.stderr
    assert "has 1 newer entries" in result.stderr


def test_an_export_and_a_database_give_the_same_records(
    service: MirroredService, environment: dict[str, str], tmp_path: Path
) -> None:
    database = str(service.installation.database.path)
    export = str(tmp_path / "export.jsonl")
    assert run(environment, "records", "export", export, "--data", database).exit_code == 0
    for name, source in {"a": ("--export", export), "b": ("--data", database)}.items():
        assert run(environment, "mirror", str(tmp_path / name), *source).exit_code == 0
    indexes = [sorted(path.read_bytes() for path in (tmp_path / name).rglob("index.jsonl")) for name in "ab"]
    assert indexes[0] == indexes[1] != []


def test_the_log_in_a_mirror_gives_a_mirror_without_targets(
    service: MirroredService, environment: dict[str, str], tmp_path: Path
) -> None:
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    with service.serve() as url:
        assert run(environment, "mirror", first, "--from", url).exit_code == 0
    key = str(service.log_key)
    result = run(environment, "mirror", second, "--log", f"{first}/log", "--log-key", key)
    assert (result.exit_code, "the log alone has no targets" in result.stderr) == (0, True)
    checked = run(environment, "mirror", second, "--check", "--log-key", key)
    assert (checked.exit_code, "proofs were verified" in checked.stderr) == (0, True)
    refused = run(environment, "mirror", first, "--log", f"{second}/log", "--update")
    assert (refused.exit_code, "a log alone cannot update" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one source"),
        (["--from", "https://a.example", "--export", "x"], "name one source"),
        (["--check", "--update"], "--check takes no source"),
        (["--log", "x", "--url", "https://a.example"], "are for --check"),
        (["--check"], "cannot be used"),
        (["--log", ".", "--log-key", "x"], "--log-key is not a verifier key"),
    ],
)
def test_wrong_usage_is_explained(
    environment: dict[str, str], tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = run(environment, "mirror", str(tmp_path / "site"), *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr

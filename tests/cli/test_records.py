"""`coolid records`: export and import, output and exit codes; and `coolid verify` of exports."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from typer.testing import CliRunner, Result

from coolid.aws import key_file
from coolid.cli import app
from coolid.local.stack import find_template, load_tables
from coolid.local.table_setup import create_tables
from coolid.log.entries import version_name
from coolid.log.signed_notes import ED25519, VerifierKey
from coolid.log.tiles import CHECKPOINT
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched, link
from tests.support.builders.published_log import publish
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System, environment_for, system_over_tables, table_names

runner = CliRunner()
TABLES = ("PREFIX_TABLE", "LUI_TABLE", "COUNTER_TABLE")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system in which something was minted and changed."""
    with system_over_tables(tmp_path_factory.mktemp("records")) as running:
        minted = running.mint({"prefix": "demo", "uri": "https://content.example.org/"})
        pid = minted.json()["pid"].removeprefix(BASE_URL)
        changed = running.request(
            "PATCH",
            f"/api/v1/records{pid}",
            headers=[("If-Match", minted.headers["etag"])],
            document={"metadata": {"what": "changed"}},
            key=running.admin_key,
        )
        assert changed.status == 200
        yield running


@pytest.fixture
def empty(moto_tables: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """What is told of empty tables."""
    names = table_names()
    create_tables(load_tables(find_template()), names)
    key_file.ensure(tmp_path / "key.pem")
    return environment_for(names) | {"SIGNING_KEY_ID": "", "SIGNING_KEY_FILE": str(tmp_path / "key.pem")}


def run(environment: Any, *arguments: str) -> Result:
    """Run a command; a traceback is a failure of the test."""
    names = (*TABLES, "PUBLIC_BASE_URL", "SIGNING_KEY_ID", "SIGNING_KEY_FILE", "STORE")
    returned: dict[str, str | None] = dict.fromkeys(names)
    result = runner.invoke(app, list(arguments), env=returned | dict(environment))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def exported(source: System, folder: Path, name: str = "export.jsonl") -> Path:
    assert run(source.environment, "records", "export", str(folder / name)).exit_code == 0
    return folder / name


class TestExports:
    def test_out_and_in_and_out_again_is_the_same_file_and_everything_in_it_verifies(
        self, source: System, empty: dict[str, str], tmp_path: Path
    ) -> None:
        first = exported(source, tmp_path)
        brought = run(empty, "records", "import", str(first))
        assert (brought.exit_code, brought.stdout) == (0, "")
        assert "0 refused" in brought.stderr
        assert run(empty, "records", "export", str(tmp_path / "second")).exit_code == 0
        assert (tmp_path / "second").read_bytes() == first.read_bytes()
        verified = run({}, "verify", str(first), "--jwks", str(first), "--issuer", BASE_URL, "--offline")
        assert verified.exit_code == 0
        assert "history of" in verified.stdout

    def test_standard_output_is_the_same_and_nothing_else(self, source: System, tmp_path: Path) -> None:
        result = run(source.environment, "records", "export")
        assert result.stdout_bytes == exported(source, tmp_path).read_bytes()

    def test_it_has_the_proofs_of_the_log_which_verify_without_the_service(
        self, source: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = [json.loads(line) for line in exported(source, tmp_path).read_text().splitlines()]
        rows = [each for each in plain if each["kind"] == "record"]
        names = [version_name(each["repository"], each["key"], each["version"]) for each in rows]
        leaves = [each["record"]["proof"].encode() for each in rows]
        log = publish(dict(zip(names[:-1], leaves[:-1], strict=True)))
        monkeypatch.setattr("coolid.wiring.transfer._deployed_log", lambda *_: (log.rows, log.files))
        file = str(tmp_path / "export.jsonl")
        result = run(source.environment, "records", "export", file)
        assert (result.exit_code, result.stderr) == (
            0, "coolid: 1 versions have no proof, because they are not in the published log\n"
        )  # fmt: skip
        policy = tmp_path / "policy"
        policy.write_text(f"log {VerifierKey(log.origin, ED25519, log.signer.public_key())}\nquorum none\n")
        result = run({}, "verify", file, "--jwks", file, "--offline", "--policy", str(policy), "--json")
        failed = [each["line"] for each in map(json.loads, result.stdout.splitlines()) if not each["ok"]]
        assert failed == [number for number, each in enumerate(plain, 1) if each is rows[-1]]
        imported = run(source.environment, "records", "import", file)
        assert (imported.exit_code, f"{len(rows) - 1} proofs of the log were not imported" in imported.stderr) == (
            0,
            True,
        )
        assert run(source.environment, "records", "export", file, "--no-proofs").stderr == ""
        assert [json.loads(line) for line in Path(file).read_text().splitlines()] == plain

    def test_a_log_that_cannot_be_read_prevents_no_export(
        self, source: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = exported(source, tmp_path).read_bytes()
        log = publish({})
        log.files.write({CHECKPOINT: b"damaged"})
        monkeypatch.setattr("coolid.wiring.transfer._deployed_log", lambda *_: (log.rows, log.files))
        result = run(source.environment, "records", "export", str(tmp_path / "export.jsonl"))
        assert result.exit_code == 0
        assert "coolid: the export has no proofs, because the transparency log cannot be read" in result.stderr
        assert (tmp_path / "export.jsonl").read_bytes() == before

    def test_the_file_is_its_owners_and_nothing_else_stays_behind(self, source: System, tmp_path: Path) -> None:
        assert exported(source, tmp_path).stat().st_mode & 0o777 == 0o600
        assert [path.name for path in tmp_path.iterdir()] == ["export.jsonl"]

    def test_an_export_that_fails_leaves_the_file_that_was_there(
        self, source: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = exported(source, tmp_path).read_bytes()
        broken = dict(source.environment) | {"LUI_TABLE": "no-such-table"}
        result = run(broken, "records", "export", str(tmp_path / "export.jsonl"))
        assert result.exit_code == 3
        assert (tmp_path / "export.jsonl").read_bytes() == before
        assert [path.name for path in tmp_path.iterdir()] == ["export.jsonl"]

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    def test_only_a_regular_file_is_replaced_by_an_export(self, source: System, tmp_path: Path, obstacle: str) -> None:
        file = tmp_path / "export.jsonl"
        OBSTACLES[obstacle](file)
        result = run(source.environment, "records", "export", str(file))
        assert result.exit_code == 2
        assert "export.jsonl cannot be used: it is " in result.stderr
        assert is_untouched(obstacle, file)

    def test_a_link_under_a_name_derived_from_the_file_is_not_followed(self, source: System, tmp_path: Path) -> None:
        link(tmp_path / "export.jsonl.new")
        exported(source, tmp_path)
        assert is_untouched("link", tmp_path / "export.jsonl.new")

    def test_a_torn_one_is_refused_before_anything_is_written_and_does_not_verify(
        self, source: System, empty: dict[str, str], tmp_path: Path
    ) -> None:
        export = exported(source, tmp_path)
        untouched = run(empty, "records", "export").stdout
        torn = tmp_path / "torn"
        torn.write_bytes(export.read_bytes()[:-200])
        result = run(empty, "records", "import", str(torn))
        assert result.exit_code == 2
        assert "not a whole export" in result.stderr
        assert run(empty, "records", "export").stdout == untouched
        assert run({}, "verify", str(torn), "--jwks", str(export)).exit_code == 1

    def test_one_with_a_line_that_is_too_long_is_refused_and_does_not_verify(
        self, source: System, empty: dict[str, str], tmp_path: Path
    ) -> None:
        export = exported(source, tmp_path)
        first, rest = export.read_bytes().split(b"\n", 1)
        (tmp_path / "long").write_bytes(first + b"\n" + b" " * 1_000_001 + b"\n" + rest)
        for result in (
            run(empty, "records", "import", str(tmp_path / "long")),
            run({}, "verify", str(tmp_path / "long"), "--jwks", str(export)),
        ):
            assert result.exit_code in (1, 2)
            assert "not a whole export: line 2 is longer than 1,000,000 bytes" in result.stderr.replace(
                ", and nothing was imported", ""
            )

    def test_a_record_that_was_changed_does_not_verify(self, source: System, tmp_path: Path) -> None:
        export = exported(source, tmp_path)
        (tmp_path / "changed").write_bytes(export.read_bytes().replace(b'"what":"changed"', b'"what":"altered"'))
        result = run({}, "verify", str(tmp_path / "changed"), "--jwks", str(export), "--json")
        assert result.exit_code == 1
        assert any(not json.loads(line)["ok"] for line in result.stdout.splitlines())

    def test_conflicts_are_reported_with_exit_code_1(
        self, source: System, empty: dict[str, str], tmp_path: Path
    ) -> None:
        export = exported(source, tmp_path)
        run(empty, "records", "import", str(export))
        client: Any = boto3.client("dynamodb")
        rows = client.scan(TableName=empty["LUI_TABLE"])["Items"]
        (row, *_) = (each for each in rows if "repository" in each and each["revision"]["N"] == "2")
        client.put_item(TableName=empty["LUI_TABLE"], Item=row | {"author": {"S": "somebody"}})
        report = tmp_path / "report.jsonl"
        result = run(empty, "records", "import", str(export), "--report", str(report), "--json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)["refused"] == 1
        (returned,) = map(json.loads, report.read_text().splitlines())
        assert returned["reason"].startswith("the record ")
        assert client.get_item(TableName=empty["LUI_TABLE"], Key={each: row[each] for each in ("pid", "version")})[
            "Item"
        ]["author"] == {"S": "somebody"}


class TestDatabases:
    """Exports from and imports into the database of `coolid serve`, which `--data` or STORE names."""

    @pytest.fixture
    def database(self, source: System, tmp_path: Path) -> Path:
        """A database with the records of the source."""
        export, database = exported(source, tmp_path), tmp_path / "coolid.db"
        assert run({}, "records", "import", str(export), "--data", str(database)).exit_code == 0
        return database

    def test_from_tables_to_a_database_and_back_is_the_same_file(
        self, source: System, empty: dict[str, str], database: Path, tmp_path: Path
    ) -> None:
        first, second, third = (tmp_path / name for name in ("export.jsonl", "second", "third"))
        assert run({}, "records", "export", str(second), "--data", str(database)).exit_code == 0
        assert run(empty, "records", "import", str(second)).exit_code == 0
        assert run(empty, "records", "export", str(third)).exit_code == 0
        assert second.read_bytes() == third.read_bytes() == first.read_bytes()
        assert database.stat().st_mode & 0o777 == 0o600

    def test_the_store_of_the_environment_is_used_unless_an_option_names_another(
        self, source: System, database: Path, tmp_path: Path
    ) -> None:
        named = {"STORE": f"sqlite:///{database}"}
        assert run(named, "records", "export").stdout == run({}, "records", "export", "--data", str(database)).stdout
        other = {**named, "STORE": "sqlite:////nowhere/coolid.db"}
        assert run(other, "records", "export", "--data", str(database)).exit_code == 0
        assert run({"STORE": "postgresql://x"}, "records", "export").exit_code == 2
        assert run({}, "records", "export", "--data", str(database), "--stack", "x").exit_code == 2

    def test_rows_are_minted_with_the_key_beside_the_database(self, database: Path, tmp_path: Path) -> None:
        key_file.ensure(tmp_path / "coolid.db.signing-key.pem")
        (tmp_path / "in.jsonl").write_text('{"prefix": "demo", "id": null}')
        minting = ("records", "import", str(tmp_path / "in.jsonl"), "--data", str(database))
        assert "Set it to the base URL of the service" in run({}, *minting).stderr
        for counts in ("1 written, 0 already present", "0 written, 1 already present"):
            result = run({"PUBLIC_BASE_URL": BASE_URL}, *minting)
            assert (result.exit_code, counts in result.stderr) == (0, True)

    def test_a_missing_database_is_not_created_by_an_export(self, tmp_path: Path) -> None:
        result = run({}, "records", "export", "--data", str(tmp_path / "coolid.db"))
        assert (result.exit_code, "there is no such database" in result.stderr) == (2, True)
        assert [*tmp_path.iterdir()] == []


class TestRows:
    def test_rows_are_minted_and_refused_ones_are_reported(
        self, source: System, empty: dict[str, str], tmp_path: Path
    ) -> None:
        file = tmp_path / "in.csv"
        file.write_text("uri,what\nhttps://a.example/,A\njavascript:x,B\n")
        returned = dict(empty) | {name: source.environment[name] for name in TABLES}
        report = tmp_path / "report.jsonl"
        result = run(returned, "records", "import", str(file), "--prefix", "demo", "--report", str(report), "--json")
        assert report.stat().st_mode & 0o777 == 0o600
        assert result.exit_code == 1
        assert json.loads(result.stdout) == {"written": 1, "present": 0, "refused": 1}
        (refusal,) = map(json.loads, report.read_text().splitlines())
        assert (refusal["line"], refusal["pointer"]) == (3, "/uri")
        again = run(returned, "records", "import", str(file), "--prefix", "demo")
        assert again.exit_code == 1
        assert "0 written, 1 already present, 1 refused" in again.stderr
        assert "line 3, /uri: " in again.stderr

    @pytest.mark.parametrize("options", [[], ["--json"], ["--report"]])
    def test_an_import_that_stops_early_says_what_was_done_and_from_which_line_on_nothing_was(
        self, source: System, empty: dict[str, str], tmp_path: Path, options: list[str]
    ) -> None:
        file, report = tmp_path / "in.csv", tmp_path / "report.jsonl"
        file.write_text(
            'uri,what\nhttps://a.example/,A\njavascript:x,B\nhttps://a.example/,"C"s\nhttps://a.example/,D\n'
        )
        settings = dict(empty) | {name: source.environment[name] for name in TABLES}
        given = [*options, str(report)] if "--report" in options else options
        result = run(settings, "records", "import", str(file), "--prefix", "demo", *given)
        assert result.exit_code == 2
        assert "line 4: something follows the closing quotation mark" in result.stderr
        assert "no row was imported from line 4 on" in result.stderr
        reason = "something follows the closing quotation mark of a cell"
        if "--json" in options:
            counts = {"written": 1, "present": 0, "refused": 1}
            assert json.loads(result.stdout) == counts | {"stopped": {"line": 4, "reason": reason}}
        else:
            assert "1 written, 0 already present, 1 refused" in result.stderr
        if "--report" in options:
            first, last = map(json.loads, report.read_text().splitlines())
            assert first["line"] == 3
            assert last == {"line": 4, "reason": f"{reason}; the import stopped here", "pointer": ""}

    def test_columns_that_nobody_knows_are_wrong_usage(self, empty: dict[str, str], tmp_path: Path) -> None:
        file = tmp_path / "in.csv"
        file.write_text("prefix,colour,size\n")
        result = run(empty, "records", "import", str(file))
        assert result.exit_code == 2
        assert "colour, size" in result.stderr
        assert [path.name for path in tmp_path.glob("in.csv*")] == ["in.csv"]

    @pytest.mark.usefixtures("terminal")
    def test_a_bar_is_shown_on_a_terminal(self, source: System, empty: dict[str, str], tmp_path: Path) -> None:
        file = tmp_path / "in.jsonl"
        file.write_text('{"prefix": "demo"}\n' * 3)
        returned = dict(empty) | {name: source.environment[name] for name in TABLES}
        result = run(returned, "records", "import", str(file))
        assert result.exit_code == 0
        assert "Importing" in result.stderr

    @pytest.mark.usefixtures("terminal")
    def test_an_export_shows_how_much_of_the_tables_is_done_on_a_terminal(self, source: System, tmp_path: Path) -> None:
        result = run(dict(source.environment), "records", "export", str(tmp_path / "export.jsonl"))
        assert result.exit_code == 0
        assert re.search(r"Exporting .*\d%", result.stderr)

    def test_a_report_never_takes_the_place_of_the_file(self, empty: dict[str, str], tmp_path: Path) -> None:
        file = tmp_path / "in.csv"
        file.write_text("prefix\ndemo\n")
        assert run(empty, "records", "import", str(file), "--report", str(file)).exit_code == 2
        assert file.read_text() == "prefix\ndemo\n"


class TestWhereTo:
    @pytest.mark.parametrize("command", [["export"], ["import", "FILE"]])
    def test_without_tables_all_that_is_missing_is_named(self, tmp_path: Path, command: list[str]) -> None:
        file = tmp_path / "in.jsonl"
        file.write_text("{}")
        result = run({}, "records", *(str(file) if each == "FILE" else each for each in command))
        assert result.exit_code == 2
        assert all(name in result.stderr for name in TABLES)
        assert ("PUBLIC_BASE_URL" in result.stderr and "SIGNING_KEY_ID" in result.stderr) == (command[0] == "import")

    def test_a_base_url_with_a_slash_at_its_end_mints_nothing(self, empty: dict[str, str], tmp_path: Path) -> None:
        file = tmp_path / "in.jsonl"
        file.write_text("{}")
        result = run(empty | {"PUBLIC_BASE_URL": BASE_URL + "/"}, "records", "import", str(file))
        assert (result.exit_code, "PUBLIC_BASE_URL" in result.stderr) == (2, True)

    def test_a_file_that_is_not_there_is_wrong_usage(self, empty: dict[str, str], tmp_path: Path) -> None:
        assert run(empty, "records", "import", str(tmp_path / "nothing")).exit_code == 2
        assert run(empty, "records", "export", str(tmp_path / "nothing" / "x")).exit_code == 2

    def test_the_stack_says_where_its_tables_are(
        self, source: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        logical = {"PrefixTable": "PREFIX_TABLE", "LuiTable": "LUI_TABLE", "CounterTable": "COUNTER_TABLE"}
        names = {each: source.environment[setting] for each, setting in logical.items()}
        names["SigningKey"] = source.environment["SIGNING_KEY_ID"]

        class CloudFormation:
            def describe_stack_resource(self, **requested: str) -> Any:
                assert requested["StackName"] == "a-stack"
                if requested["LogicalResourceId"] not in names:  # as in the stack of an earlier release, without a log
                    raise ClientError({"Error": {"Code": "ValidationError"}}, "DescribeStackResource")
                return {"StackResourceDetail": {"PhysicalResourceId": names[requested["LogicalResourceId"]]}}

            def describe_stacks(self, **_: str) -> Any:
                parameters = [{"ParameterKey": "PublicBaseUrl", "ParameterValue": BASE_URL}]
                return {"Stacks": [{"Parameters": [*parameters, {"ParameterKey": "SigningKeyArn"}]}]}

        client = boto3.client
        monkeypatch.setattr(
            boto3,
            "client",
            lambda name, **returned: CloudFormation() if name == "cloudformation" else client(name, **returned),
        )
        assert run({}, "records", "export", str(tmp_path / "x"), "--stack", "a-stack").exit_code == 0
        (tmp_path / "in.jsonl").write_text('{"prefix": "demo"}')
        result = run({}, "records", "import", str(tmp_path / "in.jsonl"), "--stack", "a-stack")
        assert (result.exit_code, "1 written" in result.stderr) == (0, True)

    def test_a_store_that_does_not_answer_is_3(
        self, empty: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from botocore.exceptions import EndpointConnectionError

        class Silent:
            class meta:  # noqa: N801 - as boto3 calls it
                region_name = "us-east-1"

            def __getattr__(self, name: str) -> Any:
                raise EndpointConnectionError(endpoint_url="http://127.0.0.1:1")

        monkeypatch.setattr("coolid.wiring.transfer._client", Silent)
        result = run(empty, "records", "export")
        assert result.exit_code == 3
        assert "Traceback" not in result.output

"""Restoring, as docs/operating/restoring.md says: rows that are missing or altered come back from a restored table."""

import json
from pathlib import Path
from typing import Any

import boto3
from typer.testing import CliRunner, Result

from coolid.cli import app
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

runner = CliRunner()


def run(environment: Any, *arguments: str) -> Result:
    """Run a command; a traceback is a failure of the test."""
    result = runner.invoke(app, list(arguments), env=dict(environment))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def mint(system: System, number: int) -> str:
    """A record's PID, without the base URL."""
    minted = system.mint({"prefix": "demo", "uri": f"https://content.example.org/{number}"})
    pid: str = minted.json()["pid"]
    return pid.removeprefix(BASE_URL)


def change(system: System, pid: str, what: str) -> None:
    """A new version of the record, by the service."""
    path = f"/api/v1/records{pid}"
    etag = system.admin("GET", path).headers["etag"]
    told = {"metadata": {"what": what}}
    assert (
        system.request("PATCH", path, headers=[("If-Match", etag)], document=told, key=system.admin_key).status == 200
    )


def test_what_was_taken_out_or_altered_comes_back_and_what_was_changed_rightly_stays(
    fresh: System, tmp_path: Path
) -> None:
    client: Any = boto3.client("dynamodb")
    gone, headless, altered, changed = (mint(fresh, number) for number in range(4))
    for pid in (gone, headless, altered):
        change(fresh, pid, "before")
    sound = {pid: fresh.get(pid, query="format=linkid").json() for pid in (gone, headless, altered)}
    restored = dict(fresh.environment)
    for logical, setting in (("LuiTable", "LUI_TABLE"), ("PrefixTable", "PREFIX_TABLE")):
        source, restored[setting] = fresh.tables[logical], f"restored-{fresh.tables[logical]}"
        on = {"PointInTimeRecoveryEnabled": True}
        client.update_continuous_backups(TableName=source, PointInTimeRecoverySpecification=on)
        client.restore_table_to_point_in_time(
            SourceTableName=source, TargetTableName=restored[setting], UseLatestRestorableTime=True
        )

    table = fresh.tables["LuiTable"]
    rows = client.scan(TableName=table)["Items"]

    def rows_of(pid: str) -> list[Any]:
        lui = pid.rpartition("/")[2].replace("-", "")
        return [row for row in rows if row["pid"]["S"].endswith(f"/{lui}")]

    def take_out(row: Any) -> None:
        client.delete_item(TableName=table, Key={name: row[name] for name in ("pid", "version")})

    for row in rows_of(gone):
        take_out(row)
    for pid in (headless, altered):
        (current,) = (row for row in rows_of(pid) if "repository" in row)
        if pid == headless:
            take_out(current)
        else:
            body = current["body"]["S"].replace("content.example.org", "evil.example")
            client.put_item(TableName=table, Item=current | {"body": {"S": body}})
    change(fresh, changed, "since")

    export, report, now = (str(tmp_path / name) for name in ("restored", "report", "now"))
    assert run(restored, "records", "export", export).exit_code == 0
    assert run({}, "verify", export, "--jwks", export, "--offline").exit_code == 0
    assert run(fresh.environment, "records", "import", export, "--report", report).exit_code == 1
    differing = {json.loads(line)["reason"].split()[2] for line in Path(report).read_text().splitlines()}
    assert differing == {rows_of(pid)[0]["pid"]["S"] for pid in (altered, changed)}

    assert run(fresh.environment, "records", "export", now).exit_code == 0
    verified = run({}, "verify", now, "--jwks", export, "--offline", "--json")
    wrong = {told["pid"] for told in map(json.loads, verified.stdout.splitlines()) if not told["ok"]}
    assert wrong == {f"{BASE_URL}{altered}"}

    for row in rows_of(altered):
        take_out(row)
    assert run(fresh.environment, "records", "import", export, "--report", report).exit_code == 1
    for pid, record in sound.items():
        assert fresh.admin("GET", f"/api/v1/records{pid}").json() == record
        assert fresh.admin("GET", f"/api/v1/history{pid}").json()["versions"][0]["version"] == 2
    assert fresh.admin("GET", f"/api/v1/records{changed}").json()["metadata"] == {"what": "since"}
    assert run(fresh.environment, "records", "export", now).exit_code == 0
    assert run({}, "verify", now, "--jwks", now, "--offline").exit_code == 0

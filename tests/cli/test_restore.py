"""Restoring by docs/how-to/operator/restoring.md: missing or altered rows come back from a restored table."""

import json
from pathlib import Path
from typing import Any

import boto3
import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import TablesSystem

runner = CliRunner()


def run(environment: Any, *arguments: str) -> Result:
    """Run a command; a traceback is a failure of the test."""
    result = runner.invoke(app, list(arguments), env=dict(environment))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def fresh(fresh_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB, which these tests are about."""
    return fresh_tables


def mint(system: TablesSystem, number: int) -> str:
    """A record's PID, without the base URL."""
    minted = system.mint({"prefix": "demo", "uri": f"https://content.example.org/{number}"})
    pid: str = minted.json()["pid"]
    return pid.removeprefix(BASE_URL)


def change(system: TablesSystem, pid: str, what: str) -> None:
    """A new version of the record, by the service."""
    path = f"/api/v1/records{pid}"
    etag = system.admin("GET", path).headers["etag"]
    returned = {"metadata": {"what": what}}
    assert (
        system.request("PATCH", path, headers=[("If-Match", etag)], document=returned, key=system.admin_key).status
        == 200
    )


def restore_tables(system: TablesSystem) -> dict[str, str]:
    """Restore the tables of records and prefixes beside themselves; return the environment of a system over them."""
    client: Any = boto3.client("dynamodb")
    restored = dict(system.environment)
    for logical, setting in (("LuiTable", "LUI_TABLE"), ("PrefixTable", "PREFIX_TABLE")):
        source, restored[setting] = system.tables[logical], f"restored-{system.tables[logical]}"
        on = {"PointInTimeRecoveryEnabled": True}
        client.update_continuous_backups(TableName=source, PointInTimeRecoverySpecification=on)
        client.restore_table_to_point_in_time(
            SourceTableName=source, TargetTableName=restored[setting], UseLatestRestorableTime=True
        )
    return restored


class RecordRows:
    """The rows of a system's records, as they are when this is made; a way to delete and replace them."""

    def __init__(self, system: TablesSystem) -> None:
        self._client: Any = boto3.client("dynamodb")
        self._table = system.tables["LuiTable"]
        self._rows = self._client.scan(TableName=self._table)["Items"]

    def of(self, pid: str) -> list[Any]:
        lui = pid.rpartition("/")[2].replace("-", "")
        return [row for row in self._rows if row["pid"]["S"].endswith(f"/{lui}")]

    def current(self, pid: str) -> Any:
        (row,) = (row for row in self.of(pid) if row["version"]["N"] == "0")
        return row

    def delete(self, *rows: Any) -> None:
        for row in rows:
            self._client.delete_item(TableName=self._table, Key={name: row[name] for name in ("pid", "version")})

    def put(self, row: Any) -> None:
        self._client.put_item(TableName=self._table, Item=row)


def test_what_was_taken_out_or_altered_comes_back_and_what_was_changed_rightly_stays(
    fresh: TablesSystem, tmp_path: Path
) -> None:
    gone, headless, altered, changed = (mint(fresh, number) for number in range(4))
    for pid in (gone, headless, altered):
        change(fresh, pid, "before")
    sound = {pid: fresh.get(pid, query="format=linkid").json() for pid in (gone, headless, altered)}
    restored = restore_tables(fresh)
    rows = RecordRows(fresh)
    rows.delete(*rows.of(gone))
    rows.delete(rows.current(headless))
    current = rows.current(altered)
    rows.put(current | {"body": {"S": current["body"]["S"].replace("content.example.org", "evil.example")}})
    change(fresh, changed, "since")

    export, report, now = (str(tmp_path / name) for name in ("restored", "report", "now"))
    assert run(restored, "records", "export", export).exit_code == 0
    assert run({}, "verify", export, "--jwks", export, "--offline").exit_code == 0
    assert run(fresh.environment, "records", "import", export, "--report", report).exit_code == 1
    differing = {json.loads(line)["reason"].split()[2] for line in Path(report).read_text().splitlines()}
    assert differing == {rows.of(pid)[0]["pid"]["S"] for pid in (altered, changed)}

    assert run(fresh.environment, "records", "export", now).exit_code == 0
    verified = run({}, "verify", now, "--jwks", export, "--offline", "--json")
    wrong = {returned["pid"] for returned in map(json.loads, verified.stdout.splitlines()) if not returned["ok"]}
    assert wrong == {f"{BASE_URL}{altered}"}

    rows.delete(*rows.of(altered))
    assert run(fresh.environment, "records", "import", export, "--report", report).exit_code == 1
    for pid, record in sound.items():
        assert fresh.admin("GET", f"/api/v1/records{pid}").json() == record
        assert fresh.admin("GET", f"/api/v1/history{pid}").json()["versions"][0]["version"] == 2
    assert fresh.admin("GET", f"/api/v1/records{changed}").json()["metadata"] == {"what": "since"}
    assert run(fresh.environment, "records", "export", now).exit_code == 0
    assert run({}, "verify", now, "--jwks", now, "--offline").exit_code == 0

"""A SQLite database as the store: opened once, chosen by `STORE`, and without AWS libraries."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from coolid.aws import key_file
from coolid.aws.settings import Settings
from coolid.errors import StoreUnavailable, UsageError
from coolid.wiring.database_access import database_access, open_database_access
from coolid.wiring.read_access import caching_reader
from coolid.wiring.write_access import diagnostics, open_store, signer
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.ports import FixedClock

SERVE = """
import json, sys
from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.telemetry.metrics import discard_count
from coolid.http.application import Listeners
from coolid.http.message import Request
from coolid.model.clients import ADMIN, issue_client
from coolid.wiring.database_access import database_access
from coolid.wiring.dispatcher import build_dispatcher

def report(error, _request):
    raise error

environment = json.loads(sys.argv[1])
answer = build_dispatcher(environment, Listeners(discard_count, report, lambda *_: None))
client, key = issue_client((ADMIN,), SystemClock(), SystemEntropy())
database_access(environment["STORE"].removeprefix("sqlite:///")).store.clients.put_client(client)
sent = {"authorization": f"Bearer {key}", "if-match": "*"}

def call(method, path, **document):
    response = answer(Request(method, path, headers=sent, body=json.dumps(document).encode()))
    assert response.status < 400, response.body
    return response

repository = json.loads(call("POST", "/api/v1/repositories", title="Here", scheme="lui").body)["id"]
call("PUT", "/api/v1/prefixes/here", kind="namespace", repository=repository)
pid = call("POST", "/api/v1/records", prefix="here", uri="https://content.example.org/a").headers["Location"]
path = pid.removeprefix(environment["PUBLIC_BASE_URL"])
assert answer(Request("GET", path)).headers["Location"] == "https://content.example.org/a"
call("PUT", f"/api/v1/records{path}", uri="https://content.example.org/b")
assert answer(Request("GET", path)).headers["Location"] == "https://content.example.org/b"
print(json.dumps(json.loads(call("GET", "/api/v1/health").body)))
print(*sorted({"boto3", "botocore", "pynamodb", "aws_lambda_powertools"} & set(sys.modules)))
"""


def settings_of(database: Path, key: Path) -> dict[str, str]:
    return {"STORE": f"sqlite:///{database}", "PUBLIC_BASE_URL": BASE_URL, "SIGNING_KEY_FILE": str(key)}


def test_everything_works_over_it_without_aws_libraries(tmp_path: Path) -> None:
    key_file.ensure(tmp_path / "key.pem")
    returned = json.dumps(settings_of(tmp_path / "coolid.db", tmp_path / "key.pem"))
    ran = subprocess.run([sys.executable, "-c", SERVE, returned], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    health, libraries = ran.stdout.splitlines()
    assert {each["state"] for each in json.loads(health)["checks"]} == {"ok"}
    assert libraries == ""


def test_one_database_has_one_reader_by_any_spelling_of_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_database_access(Path("coolid.db"), is_durable=False) as access:
        assert database_access(str(tmp_path / "coolid.db")) is access
        settings = Settings("", "", BASE_URL, database="coolid.db")
        assert caching_reader(settings) is access.reader
        assert open_store(settings) is access.store
        with pytest.raises(StoreUnavailable, match="open already"), open_database_access(tmp_path / "coolid.db"):
            pass
    with open_database_access(tmp_path / "coolid.db", is_durable=False) as again:
        assert again is not access


def test_diagnostics_name_a_damaged_database(tmp_path: Path) -> None:
    key_file.ensure(tmp_path / "key.pem")
    settings = Settings.read(settings_of(tmp_path / "coolid.db", tmp_path / "key.pem"), writes=True)
    with open_database_access(tmp_path / "coolid.db", is_durable=False) as access:
        access.database.write(lambda connection: connection.execute("DROP TABLE records"))
        checks = diagnostics(settings, signer(settings), FixedClock())
        assert checks["prefixes"]() == ""
        with pytest.raises(Exception, match="records"):
            checks["records"]()


def test_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"something else")
    with pytest.raises(UsageError):
        database_access(str(tmp_path / "other.db"))

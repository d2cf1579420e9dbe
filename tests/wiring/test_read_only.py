"""A service with `READ_ONLY=on`: every change is refused with 503 and writes nothing, and reads are as before."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from coolid.aws import key_file
from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.telemetry.metrics import discard_count
from coolid.http.application import Listeners
from coolid.http.message import Request, Response
from coolid.identifiers.rules.pilin import PilinRules
from coolid.model.clients import ADMIN, issue_client
from coolid.wiring.database_access import open_database_access
from coolid.wiring.dispatcher import build_dispatcher
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.installations import SqliteInstallation

PROVIDER = {"kind": "provider", "providers": [{"code": "ols", "title": "OLS", "url": "https://ols.example/{$id}"}]}
CHANGES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/api/v1/records", {"prefix": "mp", "uri": "https://a.example/"}),
    ("POST", "/api/v1/records", {"prefix": "count"}),
    ("PATCH", "/api/v1/records/mp:PID", {"metadata": {"what": "changed"}}),
    ("PUT", "/api/v1/records/mp:PID", {"uri": "https://b.example/"}),
    ("DELETE", "/api/v1/records/mp:PID", {"reason": "a mistake"}),
    ("POST", "/api/v1/repositories", {"title": "x", "scheme": "lui"}),
    ("PUT", "/api/v1/prefixes/go", PROVIDER),
    ("POST", "/api/v1/clients", {"scopes": ["mint:mp"]}),
)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[SqliteInstallation]:
    """A store with two repositories, one of which counts."""
    key_file.ensure(tmp_path / "key.pem")
    installation = SqliteInstallation(tmp_path / "key.pem", tmp_path / "coolid.db")
    installation.add("mp")
    installation.add("count", PilinRules())
    yield installation
    installation.database.close()


@pytest.fixture
def send(installation: SqliteInstallation, tmp_path: Path) -> Iterator[Callable[..., Response]]:
    """Send a request as an administrator to a service that is read-only."""
    settings = installation.settings
    environment = {
        "STORE": f"sqlite:///{settings.database}",
        "PUBLIC_BASE_URL": BASE_URL,
        "SIGNING_KEY_FILE": settings.signing_key_file,
        "READ_ONLY": "on",
    }
    client, key = issue_client((ADMIN,), SystemClock(), SystemEntropy())
    installation.store.clients.put_client(client)
    with open_database_access(tmp_path / "coolid.db", is_durable=False):
        answer = build_dispatcher(environment, Listeners(discard_count, _fail, lambda *_: None))

        def send(method: str, path: str, document: Any = None) -> Response:
            headers = {"authorization": f"Bearer {key}", "if-match": "*"}
            body = b"" if document is None else json.dumps(document).encode()
            kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
            return answer(Request(method, path, headers=headers | {"content-type": kind}, body=body))

        yield send


def test_changes_are_refused_and_reads_continue(
    installation: SqliteInstallation, send: Callable[..., Response]
) -> None:
    record = installation.mint("mp")
    before = installation.rows()
    for method, path, document in CHANGES:
        response = send(method, path.replace("PID", record.id), document)
        problem = json.loads(response.body)
        assert (response.status, problem["type"]) == (503, f"{BASE_URL}/problems/read-only"), (method, path, problem)
        assert (response.headers["Retry-After"], response.headers["Cache-Control"]) == ("60", "no-store")
    batch = send("POST", "/api/v1/records/batch", [{"prefix": "mp"}])
    assert [each["status"] for each in json.loads(batch.body)] == [503]
    assert installation.rows() == before
    for path in (record.pid.removeprefix(BASE_URL), f"/api/v1/records/mp:{record.id}", "/api/v1/prefixes", "/"):
        assert send("GET", path).status in (200, 302)
    assert send("POST", "/api/v1/resolve", {"ids": [f"mp:{record.id}"]}).status == 200


def test_a_request_that_is_wrong_is_refused_as_always(send: Callable[..., Response]) -> None:
    assert send("POST", "/api/v1/records", {"prefix": "none"}).status == 422
    assert send("PATCH", "/api/v1/records/mp:tw0t-ywdj-94", {}).status == 404


def _fail(error: Exception, _request: Request) -> None:
    raise error

"""The client of the LinkID draft's author (`linkid-client` on PyPI), unmodified, against `coolid serve`.

`COOLID_LINKID_CLIENT` may name a folder with its unpacked sdist. Its own tests then run against the service, too. What
they expect of a service is also in `tests/functions/test_linkid_results.py::TestReferenceClient`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers.coolid_server import Server, prepare, serving

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv-clients" / "bin" / "python"
TARGET = "https://content.example.org/here"
UNKNOWN = "linkid:7e96f229-21c3-4a3d-a6cf-ef7d8dd70f24"
MEMBERS = {"id", "scheme", "uuid", "target_url", "status", "last_verified_at", "version"}
SOURCES = os.environ.get("COOLID_LINKID_CLIENT")

pytestmark = pytest.mark.skipif(not os.environ.get("COOLID_CLIENTS"), reason="clients are needed: make test-clients")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service whose demonstration repository mints LinkIDs."""
    folder = tmp_path_factory.mktemp("linkid")
    prepare(folder)
    with serving(folder) as running:
        yield running


def send(server: Server, method: str, path: str, **members: Any) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json", "If-Match": "*"}
    answer = server.request(method, f"/api/v1/{path}", json.dumps(members).encode(), headers)
    assert answer.status in (200, 201), answer.body
    document: dict[str, Any] = answer.json()
    return document


def mint(server: Server, **members: Any) -> str:
    return str(send(server, "POST", "records", prefix="linkid", **members)["pid"]).rpartition("/")[2]


def resolve(server: Server, *identifiers: str) -> list[dict[str, Any]]:
    command = [str(PYTHON), str(HERE / "use_linkid_client.py"), server.url, *identifiers]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_it_resolves_active_and_inactive_ones(server: Server) -> None:
    active, inactive = mint(server, uri=TARGET), mint(server)
    spellings = (active, active.upper(), active.removeprefix("linkid:"), active.replace("linkid:", "lid:"))
    *found, last = resolve(server, *spellings, inactive)
    for each in (*found, last):
        assert each["kind"] == "MetadataResolution"
        assert each["data"].keys() >= MEMBERS
    assert {(each["data"]["id"], each["data"]["status"], each["data"]["target_url"]) for each in found} == {
        (active, "active", TARGET)
    }
    assert (last["data"]["id"], last["data"]["status"], last["data"]["target_url"]) == (inactive, "inactive", None)


@pytest.mark.parametrize("members", [{}, {"successor": "https://id.example.org/x"}, {"state": "revoked"}])
def test_it_raises_an_error_with_the_tombstone_of_withdrawn_ones(server: Server, members: dict[str, str]) -> None:
    withdrawn = mint(server, uri=TARGET)
    send(server, "DELETE", f"records/{withdrawn}", reason="It is gone", **members)
    (found,) = resolve(server, withdrawn)
    assert (found["kind"], found["code"], found["text"]) == ("WithdrawnError", "WITHDRAWN", "gone")
    assert found["tombstone"]["reason"] == "It is gone"


def test_it_raises_errors_for_unknown_and_malformed_ones(server: Server) -> None:
    unknown, *malformed = resolve(server, UNKNOWN, "linkid:4711", "not-a-linkid")
    assert (unknown["kind"], unknown["code"], unknown["text"]) == ("NotFoundError", "NOT_FOUND", "not_found")
    assert {each["kind"] for each in malformed} == {"ValidationError"}  # it sends no request for them


@pytest.mark.skipif(not SOURCES, reason="COOLID_LINKID_CLIENT does not name the sources of the client")
def test_its_own_tests_pass(server: Server) -> None:
    assert SOURCES
    environment = {"LINKID_INTEGRATION": "1", "LINKID_RESOLVER": server.url, "LINKID_TEST_ID": mint(server, uri=TARGET)}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "ignore", "tests"]
    variables = os.environ | environment | {"PYTHONPATH": SOURCES, "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(command, cwd=SOURCES, env=variables, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stdout
    assert "skipped" not in ended.stdout.splitlines()[-1]

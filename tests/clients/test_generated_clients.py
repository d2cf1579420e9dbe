"""Clients generated from the OpenAPI document, against `coolid serve`; `make test-clients` installs the tools.

Generators must drop nothing, the generated code must have no type errors, and each client mints an identifier under a
prefix with slashes, reads it, and withdraws it. Redocly's linter must find nothing in the document.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.coolid_server import Server, prepare, serving

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCUMENT = ROOT / "infra" / "openapi.yaml"
NODE_PROGRAMS = HERE / "node_modules" / ".bin"
PYTHON_PROGRAMS = ROOT / ".venv-clients" / "bin"
PREFIX = "2021/06/demo"
OPERATIONS = DOCUMENT.read_text(encoding="utf-8").count("\n      operationId: ")

pytestmark = pytest.mark.skipif(not os.environ.get("COOLID_CLIENTS"), reason="generators are needed: make test-clients")


def run(folder: Path, program: Path | str, *arguments: str | Path) -> str:
    """Run a program in a folder, without a look for a newer release of it. Return its output, if it succeeds."""
    quiet = {"REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "REDOCLY_TELEMETRY": "off", "NO_COLOR": "1"}
    path = f"{PYTHON_PROGRAMS}{os.pathsep}{os.environ['PATH']}"  # the generator for Python calls ruff
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env={**os.environ, **quiet, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service over a database in memory."""
    folder = tmp_path_factory.mktemp("clients")
    prepare(folder)
    with serving(folder, "--memory") as running:
        yield running


def key_of(server: Server) -> str:
    """Return the administrator's key, which a start with `--memory` only prints."""
    found = re.search(r"\bcool_[a-z2-7]{8}_[\w-]{43}", "".join(server.stderr_lines))
    assert found
    return found[0]


def is_minted(server: Server, pid: str) -> bool:
    """Return whether the service answers with the tombstone of a PID."""
    return (
        pid.startswith(f"{server.url}/{PREFIX}/") and server.request("GET", pid.removeprefix(server.url)).status == 410
    )


def test_the_linter_finds_nothing(tmp_path: Path) -> None:
    output = run(tmp_path, NODE_PROGRAMS / "redocly", "lint", DOCUMENT, "--config", ROOT / "infra" / "redocly.yaml")
    assert "Your API description is valid" in output
    assert "warning" not in output.replace("Deprecation warning: Node.js", "")


def test_a_client_of_openapi_python_client_mints_and_reads(server: Server, tmp_path: Path) -> None:
    target = tmp_path / "generated_client"
    configuration = HERE / "openapi-python-client.yaml"
    options = ("--meta", "none", "--fail-on-warning", "--config", configuration, "--output-path", target)
    run(tmp_path, PYTHON_PROGRAMS / "openapi-python-client", "generate", "--path", DOCUMENT, *options)
    assert sum(path.name != "__init__.py" for path in target.glob("api/*/*.py")) == OPERATIONS
    program = tmp_path / "mint_and_read.py"
    shutil.copy(HERE / program.name, program)
    run(tmp_path, PYTHON_PROGRAMS / "mypy", "--config-file", HERE / "mypy.ini", "generated_client", program.name)
    pid = run(tmp_path, PYTHON_PROGRAMS / "python", program.name, server.url, key_of(server), PREFIX).strip()
    assert is_minted(server, pid)


def test_clients_of_openapi_typescript_and_hey_api_mint_and_read(server: Server, tmp_path: Path) -> None:
    for name in ("package.json", "tsconfig.json", "mint_and_read.ts"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    # Members of requests with a default are optional.
    options = ("--output", "schema.d.ts", "--default-non-nullable=false")
    run(tmp_path, NODE_PROGRAMS / "openapi-typescript", DOCUMENT, *options)
    run(
        tmp_path,
        NODE_PROGRAMS / "openapi-ts",
        "--input",
        DOCUMENT,
        "--output",
        "client",
        "--client",
        "@hey-api/client-fetch",
    )
    run(tmp_path, NODE_PROGRAMS / "tsc", "--project", ".")
    output = run(tmp_path, "node", "built/mint_and_read.js", server.url, key_of(server), PREFIX)
    pids = output.split()
    assert len(pids) == 2
    assert all(is_minted(server, pid) for pid in pids)

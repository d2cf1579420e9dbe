"""Commands without the libraries of the extras, as after a plain install."""

import json
import os
import subprocess
import sys
from typing import Final, NamedTuple

import pytest

from coolid.cli.missing_extras import EXTRAS

_PROGRAM: Final = """
import contextlib, io, json, sys
sys.modules |= dict.fromkeys(json.loads(sys.argv[1]))  # importing one of them raises ModuleNotFoundError
from coolid.cli import app
runs = []
for arguments in json.loads(sys.argv[2]):
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            app(arguments)
        except SystemExit as end:
            runs.append((end.code, errors.getvalue()))
json.dump(runs, sys.stderr)
"""

BROUGHT: Final = {"markdown_it", "pydantic"}
"""Libraries of the extras that rich and typer need themselves."""
_NOBODY: Final = "http://127.0.0.1:9"
NEEDED: Final = {
    ("serve", "--memory", "--port", "0"): "server",
    ("records", "export", "-", "--stack", "coolid"): "aws",
    ("keys", "list", "--table", "luis"): "aws",
    ("keys", "rotate", "--stack", "coolid"): "aws",
}
"""Command lines, with the extra that each needs."""
EXIT_CODES: Final = {
    ("parse", "0000-0002-1825-0097"): 0,
    ("validate", "rows.csv"): 1,
    ("generate", "lui", "-n", "2"): 0,
    ("verify", "record.json", "--jwks", "keys.json"): 1,
    ("resolve", "demo:1", "--resolver", _NOBODY): 3,
    ("mint", "--prefix", "demo", "--uri", "https://example.org/", "--url", _NOBODY): 3,
    ("keys", "create", "--scope", "admin", "--url", _NOBODY): 3,
    ("backup", "copy.db", "--data", "coolid.db"): 2,  # there is no database
    ("records", "export", "-", "--data", "coolid.db"): 2,  # likewise
}
"""Command lines that need no extra, with their exit codes."""


class _Run(NamedTuple):
    exit_code: int
    stderr: str


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], _Run]:
    """All command lines, in one process without the libraries of the extras."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "rows.csv").write_text("id\n0000-0002-1825-0098\n")
    for name in ("record.json", "keys.json"):
        (folder / name).write_text("{}")
    lines = [*NEEDED, *EXIT_CODES]
    hidden = sorted(frozenset.union(*EXTRAS.values()) - BROUGHT)
    environment = os.environ | {"COOLID_KEY": f"cool_{'a' * 8}_{'0' * 43}", "STORE": ""}
    command = [sys.executable, "-c", _PROGRAM, json.dumps(hidden), json.dumps(lines)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    results = json.loads(done.stderr)
    return {line: _Run(*result) for line, result in zip(lines, results, strict=True)}


@pytest.mark.parametrize(("line", "extra"), NEEDED.items())
def test_the_extra_to_install_is_named(runs: dict[tuple[str, ...], _Run], line: tuple[str, ...], extra: str) -> None:
    assert runs[line].exit_code == 2
    assert runs[line].stderr.endswith(f"\n  pip install 'coolid[{extra}]'\n")
    assert runs[line].stderr.startswith("coolid: the library ")


@pytest.mark.parametrize(("line", "code"), EXIT_CODES.items())
def test_what_needs_no_extra_works_without_any(
    runs: dict[tuple[str, ...], _Run], line: tuple[str, ...], code: int
) -> None:
    assert runs[line].exit_code == code, runs[line].stderr
    assert "pip install" not in runs[line].stderr

"""`pip install coolid`, on each Python: the commands and the library for all that needs no server."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distribution.environments import PYTHONS, Environment
from tests.support.builders.samples import ROOT
from tests.support.servers.coolid_server import Server

PROGRAM = ROOT / "tests" / "packaging" / "public_api_program.py"
NOT_INSTALLED = {"aws-lambda-powertools", "bioregistry", "boto3", "botocore", "jinja2", "pynamodb", "segno", "uvicorn"}
MISSING = {
    ("serve", "--memory"): ("bioregistry|httptools|jinja2|uvicorn", "server"),
    ("records", "export", "-", "--stack", "coolid"): ("boto3|botocore", "aws"),
    ("keys", "rotate", "--stack", "coolid"): ("boto3|botocore", "aws"),
}
"""Command lines, with the libraries one of which is named, and the extra to install."""


def test_it_brings_few_libraries_and_none_of_aws_or_the_server(plain: Environment) -> None:
    assert not plain.distributions() & NOT_INSTALLED
    assert len(plain.distributions()) < 40


def test_commands_without_a_service(plain: Environment, tmp_path: Path) -> None:
    assert "Usage: coolid" in plain.run("--help").stdout
    parsed = plain.run("parse", "0000-0002-1825-0098")
    assert (parsed.returncode, parsed.stderr) == (1, "")
    assert "orcid       not valid: " in parsed.stdout
    file = tmp_path / "references.csv"
    file.write_text("id\n10.5281/zenodo.31780\n0000-0002-1825-0097\n")
    validated = plain.run("validate", str(file))
    assert (validated.returncode, validated.stderr) == (0, "2 rows, 0 invalid\n")
    generated = plain.run("generate", "lui", "-n", "3")
    assert (generated.returncode, len(set(generated.stdout.split()))) == (0, 3)


@pytest.mark.parametrize(("line", "missing"), MISSING.items())
def test_a_missing_extra_is_named(plain: Environment, line: tuple[str, ...], missing: tuple[str, str]) -> None:
    libraries, extra = missing
    done = plain.run(*line)
    assert (done.returncode, done.stdout) == (2, "")
    sentence = rf"coolid: the library ({libraries})\S* is not installed, which this command needs\n"
    assert re.fullmatch(rf"{sentence}  pip install 'coolid\[{extra}\]'\n", done.stderr)


def test_commands_with_a_service(plain: Environment, service: Server) -> None:
    settings = {"COOLID_URL": service.url, "COOLID_KEY": service.key}
    minted = plain.run("mint", "--prefix", "demo", "--uri", "https://example.org/", **settings)
    assert (minted.returncode, minted.stderr) == (0, "")
    pid = minted.stdout.split()[0]
    resolved = plain.run("resolve", pid, "--resolver", service.url, "--no-follow")
    assert (resolved.returncode, "https://example.org/" in resolved.stdout) == (0, True)
    verified = plain.run("verify", pid)
    assert (verified.returncode, verified.stdout.splitlines()[-1]) == (0, "verified, with all versions")
    shown = plain.run("show", pid, "--json", **settings)
    assert (shown.returncode, pid in shown.stdout) == (0, True)


def test_commands_of_the_readme(plain: Environment, service: Server) -> None:
    lines = re.findall(
        r"^\.venv-run/bin/coolid (.*?)(?: +#.*)?$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
    )
    done = [plain.run(*line.replace("http://127.0.0.1:8080", service.url).split()) for line in lines]
    assert len(done) >= 3
    assert all(each.returncode in (0, 1) and not each.stderr for each in done), done
    assert sum(each.returncode for each in done) == 1  # the identifier that is not valid


def test_a_program_uses_the_library(plain: Environment, service: Server) -> None:
    key_file = service.folder / ".local" / "admin-key"
    done = plain.run_program(plain.python, str(PROGRAM), service.url, str(key_file))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(": done\n")


def test_the_library_has_types(plain: Environment) -> None:
    options = ["--strict", "--config-file=", "--cache-dir=/dev/null", f"--python-executable={plain.python}"]
    # From a copy elsewhere, so that the sources are not beside it.
    program = plain.folder.with_name("program.py")
    program.write_bytes(PROGRAM.read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(program)],
        cwd=program.parent,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "Success: no issues found in 1 source file\n"


def test_quick_commands_import_no_slow_library(plain: Environment) -> None:
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); from coolid.cli import main; main()"
    loaded = plain.run_program(plain.python, "-c", report, "generate", "lui").stdout.split()
    assert "coolid.cli" in loaded
    assert not {"pydantic", "rich", "httpx", "cryptography"} & {*loaded}


def test_every_python_of_the_classifiers_is_tested() -> None:
    listed = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert {*listed} <= {*PYTHONS}

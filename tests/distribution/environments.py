"""Virtual environments of the Pythons on this machine, with libraries from the registry."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
_NEWEST: Final = PYTHONS[-1]
"""Not required of a machine that runs all checks."""


LIMIT: Final = 1_800
"""Seconds after which a command is ended, because it hangs."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment in `folder`, and an empty home for its user."""

    folder: Path

    @classmethod
    def create(cls, python: str, base: Path, requirement: str) -> "Environment":
        """Create an environment below `base` and install a requirement, with all that it requires."""
        created = cls(base / "environment")
        _run(python, "-m", "venv", str(created.folder))
        uv = Path(sys.executable).with_name("uv")
        arguments = [f"--python={created.python}", "--quiet", requirement]
        if not (uv.exists() and _succeeds(str(uv), "pip", "install", *arguments)):  # uv does not read pip's settings
            _run(created.python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", requirement)
        return created

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    @property
    def command(self) -> Path:
        return self.folder / "bin" / "coolid"

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run `coolid` as a user with these environment variables and no other settings."""
        return self.run_program(str(self.command), *arguments, **settings)

    def run_program(self, *command: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command likewise."""
        home = self.folder.with_name("home")
        home.mkdir(exist_ok=True)
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "COLUMNS": "80", **settings}
        return subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT
        )

    def distributions(self) -> set[str]:
        """Return the normalized names of all that is installed."""
        names = [each.name.partition("-")[0] for each in self.folder.rglob("site-packages/*.dist-info")]
        return {name.lower().replace("_", "-") for name in names}


def interpreter(version: str) -> str:
    """Return a Python of this version on PATH or of pyenv; without one skip the test."""
    for candidate in _candidates(version):
        if _succeeds(candidate, "-c", "import ensurepip, venv"):
            return candidate
    message = f"there is no Python {version} on PATH or in pyenv"
    if os.environ.get("COOLID_CI") and version != _NEWEST:
        pytest.fail(message)
    pytest.skip(message)


def _candidates(version: str) -> Iterator[str]:
    if on_path := shutil.which(f"python{version}"):
        yield on_path  # perhaps a shim without an interpreter behind it
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(root.glob(f"versions/{version}.*/bin/python{version}")))


def _succeeds(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=LIMIT).returncode == 0
    except OSError:
        return False


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

"""The wheel in bare environments: `make test-package` builds it and runs these tests; `make test` leaves them out."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.distribution.environments import PYTHONS, Environment, interpreter
from tests.support.servers.coolid_server import Server, serving

DIST = os.environ.get("COOLID_DIST")
"""The folder with the wheel and the sdist."""

collect_ignore_glob = [] if DIST else ["test_*.py"]


@pytest.fixture(scope="session")
def dist() -> Path:
    assert DIST
    return Path(DIST).absolute()


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("coolid-*.whl")
    return found


@pytest.fixture(scope="session", params=PYTHONS)
def plain(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and what it requires, and nothing else."""
    return Environment.create(interpreter(request.param), tmp_path_factory.mktemp("plain"), str(wheel))


@pytest.fixture(scope="session")
def service(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service in an environment with the wheel and the extra `server`."""
    folder = tmp_path_factory.mktemp("server")
    environment = Environment.create(interpreter(PYTHONS[0]), folder, f"{wheel}[server]")
    with serving(folder, command=environment.command) as running:
        yield running

"""The service itself, for commands that speak with it."""

from collections.abc import Iterator

import pytest

from coolid.cli.output import err
from tests.support.servers.coolid_server import Server, prepare, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    prepare(folder)
    with serving(folder) as running:
        yield running


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is a terminal, in a process that has none."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(err, "_force_terminal", True)
    monkeypatch.setattr(err, "is_interactive", True)
    for module in ("progress", "records"):
        monkeypatch.setattr(f"coolid.cli.{module}.on_screen", lambda console: console is err)

"""A terminal for console commands."""

import pytest

from coolid.cli.output import err


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is a terminal, in a process that has none."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(err.console, "_force_terminal", True)
    monkeypatch.setattr(err.console, "is_interactive", True)
    for module in ("progress", "commands.records"):
        monkeypatch.setattr(f"coolid.cli.{module}.on_screen", lambda console: console is err)

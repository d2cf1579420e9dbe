"""The list of commands in the help page, and the commands that it names."""

from typing import Any

import pytest
from typer.main import get_command

from coolid.cli import app
from coolid.cli.command_catalog import COMMANDS
from coolid.cli.help_pages import Command, Commands


@pytest.fixture(scope="module")
def program() -> Any:
    return get_command(app)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_list_is_that_of_the_command(program: Any, name: str) -> None:
    command = program.get_command(None, name)
    assert isinstance(command, Command | Commands)
    assert (command.name, command.get_short_help_str()) == (name, COMMANDS[name].summary)
    if isinstance(command, Commands):
        assert all(isinstance(panel, str) for _, panel, _ in command.summaries(None))

"""The `coolid` command. `coolid.cli.exit_codes` defines its exit codes."""

import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from coolid import __version__
from coolid.cli.command_catalog import COMMANDS, LoadedCommands
from coolid.cli.help_pages import Commands, group
from coolid.cli.help_text import ABOUT


class Program(Commands):
    """The outermost group, which lists its commands without loading them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = LoadedCommands()

    def list_commands(self, _ctx: Any) -> list[str]:
        """Return the names of the commands in the order of the help page."""
        return [*COMMANDS]

    def summaries(self, _ctx: Any) -> Iterator[tuple[str, str, str]]:
        """See `Commands.summaries`."""
        for name, entry in COMMANDS.items():
            yield name, entry.panel, entry.summary


app = group("coolid", cls=Program, add_completion=True)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"coolid {__version__}")
        raise typer.Exit


@app.callback(epilog=ABOUT)
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Resolve and mint persistent identifiers.

    coolid explains and resolves identifiers, validates files of them, verifies the signatures of records, and manages
    identifiers at a service of your own. Begin with `coolid serve`: it starts such a service on this machine and prints
    its pages.

    At a terminal, results are tables in colour and long work shows its progress. In a pipe they are plain lines in a
    stable format, and `--json` prints JSON. An error is a sentence on standard error, with the next step.

        $ coolid serve
        $ coolid parse 0000-0002-1825-0098
        $ coolid resolve doi:10.5281/zenodo.31780
        $ coolid mint --prefix demo --uri https://example.org/ --what 'A thing'
    """


def main() -> None:
    """Run the `coolid` command."""
    if isinstance(sys.stdout, TextIOWrapper):  # escapes characters that cannot be encoded
        sys.stdout.reconfigure(errors="backslashreplace")
    app()

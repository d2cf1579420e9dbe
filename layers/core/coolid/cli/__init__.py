"""The `coolid` command. `coolid.cli.exit_codes` defines its exit codes."""

import sys
from io import TextIOWrapper
from typing import Annotated, Final

import typer

from coolid import __version__
from coolid.cli.commands import keys, records
from coolid.cli.commands.database import backup, check
from coolid.cli.commands.generate import generate
from coolid.cli.commands.health import health
from coolid.cli.commands.history import history
from coolid.cli.commands.import_snapshot import import_snapshot
from coolid.cli.commands.login import login, logout
from coolid.cli.commands.mint import mint
from coolid.cli.commands.parse import parse
from coolid.cli.commands.resolve import resolve
from coolid.cli.commands.serve import serve
from coolid.cli.commands.show import show
from coolid.cli.commands.update import update
from coolid.cli.commands.validate import validate
from coolid.cli.commands.verify import verify
from coolid.cli.commands.withdraw import withdraw
from coolid.cli.help_pages import ABOUT, Command, group

_PANELS: Final = {
    "Try it": (serve, generate),
    "Look up and check": (resolve, parse, validate, verify),
    "Mint and keep": (mint, show, update, withdraw, history, health),
    "Connect": (login, logout),
}

app = group("coolid")
for panel, panel_commands in _PANELS.items():
    for command in panel_commands:
        app.command(cls=Command, rich_help_panel=panel)(command)
for operation in (backup, check, import_snapshot):
    app.command(cls=Command, rich_help_panel="Operate")(operation)
for operators in (keys.app, records.app):
    app.add_typer(operators, rich_help_panel="Operate")


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

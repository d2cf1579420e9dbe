"""The `coolid` command. Exit codes: 0 success, 1 negative result, 2 usage error, 3 service unreachable."""

import sys
from io import TextIOWrapper
from typing import Annotated, Final

import typer

from coolid import __version__
from coolid.cli.commands import keys, records
from coolid.cli.commands.generate import generate
from coolid.cli.commands.health import health
from coolid.cli.commands.history import history
from coolid.cli.commands.mint import mint
from coolid.cli.commands.parse import parse
from coolid.cli.commands.resolve import resolve
from coolid.cli.commands.serve import serve
from coolid.cli.commands.show import show
from coolid.cli.commands.update import update
from coolid.cli.commands.validate import validate
from coolid.cli.commands.verify import verify
from coolid.cli.commands.withdraw import withdraw
from coolid.cli.help_pages import ABOUT, Command, Commands

_PANELS: Final = {
    "Try it": (serve, generate),
    "Look up and check": (resolve, parse, validate, verify),
    "Mint and keep": (mint, show, update, withdraw, history, health),
}
_OPERATE: Final = "Operate"

# Markup is off, so that brackets are literal and help pages have no frames.
app = typer.Typer(
    name="coolid",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for panel, panel_commands in _PANELS.items():
    for command in panel_commands:
        app.command(cls=Command, rich_help_panel=panel)(command)
app.add_typer(keys.app, rich_help_panel=_OPERATE)
app.add_typer(records.app, rich_help_panel=_OPERATE)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"coolid {__version__}")
        raise typer.Exit


@app.callback(epilog=ABOUT)
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Resolve and mint persistent identifiers.

    coolid says what an identifier is and where it leads, checks files of them and the signatures of records, and mints
    and keeps identifiers at a service of your own. Begin with `coolid serve`: it starts such a service on this machine
    and tells where to click.

    At a terminal, results are tables in colour and long work shows its progress. In a pipe they are plain lines that do
    not change, and `--json` prints JSON. Errors are a sentence on standard error, with what to do next.

        $ coolid serve
        $ coolid parse 0000-0002-1825-0098
        $ coolid resolve doi:10.5281/zenodo.31780
        $ coolid mint --prefix demo --uri https://example.org/ --what 'A thing'
    """


def main() -> None:
    """The entry point of the `coolid` command."""
    if isinstance(sys.stdout, TextIOWrapper):  # escapes characters that cannot be encoded
        sys.stdout.reconfigure(errors="backslashreplace")
    app()

"""The console commands. Exit codes: 0 done, 1 the answer is no, 2 usage, 3 the service could not be reached."""

from typing import Annotated

import typer

from coolid import __version__
from coolid.cli import keys, records
from coolid.cli.generate import generate
from coolid.cli.history import history
from coolid.cli.mint import mint
from coolid.cli.parse import parse
from coolid.cli.resolve import resolve
from coolid.cli.serve import serve
from coolid.cli.show import show
from coolid.cli.update import update
from coolid.cli.validate import validate
from coolid.cli.verify import verify
from coolid.cli.withdraw import withdraw

app = typer.Typer(
    name="coolid",
    help="Resolve and mint persistent identifiers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (serve, mint, show, update, withdraw, history, resolve, parse, validate, generate, verify):
    app.command()(command)
app.add_typer(keys.app)
app.add_typer(records.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"coolid {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Resolve and mint persistent identifiers."""


def main() -> None:
    """The entry point of the `coolid` command."""
    app()

"""Help pages of the commands: plain text without frames, the same at a terminal and in a pipe.

A command's docstring is Markdown, because `docs/reference/commands.md` is generated from it. Indented paragraphs, and
examples (lines that begin with a dollar sign), are not wrapped. Lists of commands contain its first sentence, which has
at most 45 characters.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from coolid.cli.exit_codes import DONE
from coolid.cli.help_text import page_text
from coolid.cli.plain_values import accept_plain_values

_INDENTED: Final = re.compile(r"(?<=\n\n)(?= {4})")


class _Page:
    """The parts of a command that differ from typer's: its help page, and the conversion of its parameters."""

    help: str | None
    epilog: str | None

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings["help"] = page_text(settings.get("help"))
        super().__init__(*args, **settings)

    def get_params(self, ctx: Any) -> Any:
        """See `click.Command.get_params`."""
        parameters = super().get_params(ctx)  # type: ignore[misc]  # of TyperCommand or TyperGroup
        accept_plain_values(parameters)
        return parameters

    def format_help_text(self, _ctx: Any, formatter: Any) -> None:
        """Write the command's description and examples."""
        _write(formatter, self.help)

    def format_epilog(self, _ctx: Any, formatter: Any) -> None:
        """Write the text after the options and commands."""
        _write(formatter, self.epilog)


class Command(_Page, TyperCommand):
    """A command with such a page, whose errors are reported with its parameters."""

    def invoke(self, ctx: Any) -> Any:
        """See `click.Command.invoke`. An error that a user can cause ends the command with an exit code."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            from coolid.cli.error_report import report  # only after an error, because it imports the client's errors

            code = report(error, ctx.params)
            if code is None:
                raise
            raise typer.Exit(code) from error


class Commands(_Page, TyperGroup):
    """A group of commands with such a page, listed by panel. The outermost group ends the program."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of each panel."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, panel, summary in self.summaries(ctx):
            panels.setdefault(panel, []).append((name, summary))
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)

    def summaries(self, ctx: Any) -> Iterator[tuple[str, str, str]]:
        """Yield the name, the panel and the line of each command."""
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            panel = command.rich_help_panel  # an object of typer if the command has none
            yield name, panel if isinstance(panel, str) else "Commands", command.get_short_help_str()

    def main(self, args: Sequence[str] | None = None, *_: Any, standalone_mode: bool = True, **settings: Any) -> Any:
        """See `click.Command.main`. In standalone mode, exit with the command's exit code."""
        settings["standalone_mode"] = False
        command = partial(super().main, args, **settings)
        return run(command) if standalone_mode else command()


def run(command: Callable[[], Any]) -> NoReturn:
    """Run a command line and exit with its exit code; `command` returns that of `typer.Exit`, if any."""
    try:
        code = command()
        sys.stdout.flush()
    except Exception as error:
        from coolid.cli.error_report import report

        code = report(error)
        if code is None:
            raise
    sys.exit(code or DONE)


def group(name: str, *, cls: type[Commands] = Commands, add_completion: bool = False, **settings: Any) -> typer.Typer:
    """Return an empty group of commands. Markup is off, so that brackets are literal and pages have no frames."""
    return typer.Typer(
        name=name,
        cls=cls,
        add_completion=add_completion,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        **settings,
    )


def _write(formatter: Any, text: str | None) -> None:
    """Write paragraphs. click does not wrap an indented paragraph after `\\b`."""
    if text:
        formatter.write_paragraph()
        formatter.write_text(_INDENTED.sub("\b\n", text))

"""Help pages of the commands: plain text without frames, the same at a terminal and in a pipe.

A command's docstring is Markdown, because `docs/reference/commands.md` is generated from it. Indented paragraphs, and
examples (lines that begin with a dollar sign), are not wrapped. Lists of commands contain its first sentence, which has
at most 45 characters.
"""

import inspect
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from coolid.cli.error_report import EXAMPLE, report, run
from coolid.cli.exit_codes import MEANINGS

_INDENTED: Final = re.compile(r"(?<=\n\n)(?= {4})")

_EXIT_CODES: Final = "\n".join(f"    {code:<3}  {meaning}" for code, meaning in MEANINGS.items())

ABOUT: Final = f"""\
Exit codes:

{_EXIT_CODES}

Environment:

    COOLID_URL      the service; --url overrides it
    COOLID_KEY      the API key; --key-file overrides it. No option
                    takes a key, because other users could read it
    COOLID_PROFILE  the profile of `coolid login` for commands without
                    --profile; by default it is named default
    COOLID_STACK    the deployed stack for operators' commands
    NO_COLOR        switches off all colours if it is set; so does
                    TERM=dumb

`coolid --install-completion` completes commands, options and schemes in bash, zsh and fish with the Tab key.
`--help` after a command lists its options, with examples."""
"""The end of the main help page, which applies to all commands."""


class _Page:
    """The parts of a help page that differ from typer's."""

    help: str | None
    epilog: str | None

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings["help"] = EXAMPLE.sub(r"    $ \1", inspect.cleandoc(settings.get("help") or ""))
        super().__init__(*args, **settings)

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
            yield name, command.rich_help_panel, command.get_short_help_str()

    def main(self, args: Sequence[str] | None = None, *_: Any, standalone_mode: bool = True, **settings: Any) -> Any:
        """See `click.Command.main`. In standalone mode, exit with the command's exit code."""
        settings["standalone_mode"] = False
        command = partial(super().main, args, **settings)
        return run(command) if standalone_mode else command()


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

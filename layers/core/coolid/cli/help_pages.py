"""Help pages of the commands: plain text without frames, the same at a terminal and in a pipe.

A command's docstring is Markdown, because `docs/commands.md` is generated from it. Indented paragraphs, and examples
(lines that begin with a dollar sign), are not wrapped. Lists of commands contain its first sentence, which has at most
45 characters.
"""

import inspect
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from coolid.cli.error_exit import EXAMPLE

_INDENTED: Final = re.compile(r"(?<=\n\n)(?= {4})")

ABOUT: Final = """\
Exit codes:

    0    done
    1    the answer is no: not found, not valid, not allowed
    2    the command cannot be carried out as it was given
    3    the service could not be reached, or cannot answer now
    130  ended by Ctrl-C

Environment:

    COOLID_URL    the service; --url overrides it
    COOLID_KEY    the API key; --key-file overrides it. No option takes
                  a key, because other users could read it
    COOLID_STACK  the deployed stack that operators' commands work on
    NO_COLOR      set to anything, it switches off all colours; so does
                  TERM=dumb

`coolid --install-completion` completes commands, options and schemes in bash, zsh and fish with the Tab key.
`--help` behind a command lists its options, with examples."""
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
    """A command with such a page."""


class Commands(_Page, TyperGroup):
    """A group of commands with such a page, listed by panel. The outermost group ends the program."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of each panel."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            panels.setdefault(command.rich_help_panel, []).append((name, command.get_short_help_str()))
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)

    def main(self, args: Sequence[str] | None = None, *_: Any, standalone_mode: bool = True, **settings: Any) -> Any:
        """See `click.Command.main`. In standalone mode, exit with the command's exit code."""
        from coolid.cli.error_exit import run

        settings["standalone_mode"] = False
        command = partial(super().main, args, **settings)
        return run(command) if standalone_mode else command()


def _write(formatter: Any, text: str | None) -> None:
    """Write paragraphs. click does not wrap an indented paragraph after `\\b`."""
    if text:
        formatter.write_paragraph()
        formatter.write_text(_INDENTED.sub("\b\n", text))

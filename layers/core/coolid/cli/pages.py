"""The help pages of the commands: plain text of 80 columns and no frames, so that they read alike in a pipe.

Headings and names are in bold type where a person reads them at a terminal, and nowhere else.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from shutil import get_terminal_size
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from coolid.cli.describing import Description, Parameter, describe
from coolid.cli.output import on_screen, out

_NARROWEST: Final = 40
_WIDEST: Final = 88
_INDENT: Final = "  "
_NAMES: Final = 24
"""Columns for names; longer ones have a line to themselves."""

ABOUT: Final[Sequence[tuple[str, Sequence[tuple[str, str]]]]] = (
    (
        "Exit codes",
        (
            ("0", "done"),
            ("1", "the answer is no: not found, not valid, not allowed"),
            ("2", "the command cannot be carried out as it was given"),
            ("3", "the service could not be reached, or cannot answer now"),
            ("130", "ended by Ctrl-C"),
        ),
    ),
    (
        "Environment",
        (
            ("COOLID_URL", "The service that commands speak with; --url is taken before it."),
            ("COOLID_KEY", "The API key; --key-file is taken before it. No option takes a key: others could read it."),
            ("COOLID_STACK", "The deployed stack that operators' commands work on."),
            ("NO_COLOR", "Set to anything, it takes away all colours; so does TERM=dumb."),
        ),
    ),
)
"""What holds for all commands."""


class Command(TyperCommand):
    """A command with such a page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """As of click."""
        formatter.write(page(describe(self, ctx)))


class Commands(TyperGroup):
    """A group of commands with such a page; the outermost also tells what holds for all, and how a run ends."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """As of click."""
        formatter.write(page(describe(self, ctx), () if ctx.parent else ABOUT))

    def main(self, args: Sequence[str] | None = None, *_: Any, standalone_mode: bool = True, **settings: Any) -> Any:
        """Run a command line and end with its exit code, whatever happens; as of click."""
        from coolid.cli.ending import run

        settings["standalone_mode"] = False
        command = partial(super().main, args, **settings)
        return run(command) if standalone_mode else command()


def page(described: Description, about: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ()) -> str:
    """The page, for a terminal's width."""
    width = max(_NARROWEST, min(get_terminal_size((80, 24)).columns, _WIDEST))
    lines = [*_wrapped(f"Usage: {described.usage}", width, " " * (len(described.path) + 8)), ""]
    for paragraph in described.paragraphs:
        lines += [*_wrapped(paragraph, width), ""]
    if described.examples:
        lines += [_heading("Examples"), *(_INDENT + each for each in described.examples), ""]
    for heading, commands in described.commands:
        lines += [_heading(heading), *_listed(commands, width), ""]
    if described.arguments:
        lines += [_heading("Arguments"), *_listed(map(_row, described.arguments), width), ""]
    panels = dict.fromkeys(each.panel for each in described.options)
    for panel in panels:
        rows = [_row(each) for each in described.options if each.panel == panel]
        lines += [_heading(panel or "Options"), *_listed(rows, width), ""]
    for heading, told in about:
        lines += [_heading(heading), *_listed(told, width), ""]
    if described.commands:
        lines += _wrapped(f"`{described.path} COMMAND --help` tells more of a command, with examples.", width)
    return "\n".join(lines).rstrip("\n") + "\n"


def _row(parameter: Parameter) -> tuple[str, str]:
    notes = f" [{'; '.join(parameter.notes)}]" if parameter.notes else ""
    return parameter.written, parameter.help + notes


def _listed(rows: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    made = list(rows)
    column = min(max((len(name) for name, _ in made), default=0) + 2, _NAMES)
    beyond = " " * (len(_INDENT) + column)
    for name, text in made:
        told = textwrap.wrap(text, width - len(beyond), break_on_hyphens=False)
        if len(name) + 2 > column:
            yield _INDENT + _styled(name, "1")
        else:
            yield (_INDENT + _styled(name, "1") + " " * (column - len(name)) + (told.pop(0) if told else "")).rstrip()
        yield from (beyond + each for each in told)


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def _heading(text: str) -> str:
    return _styled(text, "1;36")


def _styled(text: str, codes: str) -> str:
    """In bold type, or colours (ECMA-48, SGR), where a person's terminal shows them."""
    return f"\x1b[{codes}m{text}\x1b[0m" if on_screen(out) and out.color_system else text

"""Tables for terminals; a pipe receives plain lines instead.

Cells contain no control characters (`coolid.cli.output`) and no markup. Long values are folded, never cut.

>>> str(cell("a\\x1b[31m [bold]"))
'a\\ufffd[31m [bold]'
"""

from collections.abc import Iterable, Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from coolid.cli.output import on_screen, out, print_line, printable

GOOD: Final = "green"
BAD: Final = "bold red"
NAME: Final = "bold cyan"
QUIET: Final = "dim"

_MARKS: Final = {True: ("✓", GOOD), False: ("✗", BAD)}
_PLAIN_MARKS: Final = {True: ("ok", GOOD), False: ("NO", BAD)}
_NAME_WIDTH: Final = 12

Cell = str | Text


def cell(text: Cell, style: str = "") -> Text:
    """Return the content of a cell, with control characters replaced, in a style."""
    return text if isinstance(text, Text) else Text(printable(text), style)


def mark(*, good: bool) -> Text:
    """Return a check mark or cross, whose shape differs as well as its colour, or a word if it cannot be encoded."""
    marks = _MARKS
    try:
        _MARKS[good][0].encode(out.encoding)
    except UnicodeEncodeError:
        marks = _PLAIN_MARKS
    return Text(*marks[good])


def print_table(headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, to: Console = out) -> None:
    """Print rows under headings."""
    table = Table(*headings, box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    to.print(_filled(table, rows), soft_wrap=False)


def print_list(rows: Iterable[Sequence[Cell]]) -> None:
    """Print rows without headings."""
    out.print(_filled(_bare(), rows), soft_wrap=False)


def print_pairs(rows: Iterable[tuple[str, Cell]], *, to: Console = out) -> None:
    """Print names and values, a pair in each row."""
    if on_screen(to):
        to.print(pairs(rows), soft_wrap=False)
    else:
        for name, value in rows:
            print_line(f"{name:<{_NAME_WIDTH}}{value}", to=to)


def pairs(rows: Iterable[tuple[str, Cell]]) -> Table:
    """Return a table of names and values."""
    table = _bare()
    table.add_column(style=NAME, no_wrap=True)
    return _filled(table, rows)


def for_people() -> bool:
    """Return whether standard output is a terminal, so that results are tables."""
    return on_screen(out)


def _bare() -> Table:
    return Table(box=None, show_header=False, pad_edge=False)


def _filled(table: Table, rows: Iterable[Sequence[Cell]]) -> Table:
    for row in rows:
        table.add_row(*map(cell, row))
    for column in table.columns:
        column.overflow = "fold"
    return table

"""Tables for terminals; a pipe receives plain lines instead.

Cells contain no control characters (`coolid.cli.terminal_text`) and no markup. Long values are folded, never cut.

>>> str(cell("a\\x1b[31m [bold]"))
'a\\ufffd[31m [bold]'
"""

from collections.abc import Iterable, Sequence
from typing import Final

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from coolid.cli.output import err, on_screen, out
from coolid.cli.terminal_text import printable

GOOD: Final = "green"
BAD: Final = "bold red"
NAME: Final = "bold cyan"
QUIET: Final = "dim"

_MARKS: Final = {True: ("✓", GOOD), False: ("✗", BAD)}
_PLAIN_MARKS: Final = {True: ("ok", GOOD), False: ("NO", BAD)}

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


def print_table(headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, to_error: bool = False) -> None:
    """Print rows under headings."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    _print(_filled(table, rows), to_error=to_error)


def print_pairs(rows: Iterable[tuple[str, Cell]], *, to_error: bool = False) -> None:
    """Print names and values, a pair in each row."""
    _print(pairs(rows), to_error=to_error)


def pairs(rows: Iterable[tuple[str, Cell]]) -> Table:
    """Return a table of names and values."""
    table = _bare()
    table.add_column(style=NAME, no_wrap=True)
    table.add_column(overflow="fold")
    return _filled(table, rows)


def print_list(rows: Iterable[Sequence[Cell]]) -> None:
    """Print rows without headings."""
    made = list(rows)
    table = _bare()
    for _ in range(max(map(len, made), default=0)):
        table.add_column(overflow="fold")
    _print(_filled(table, made))


def for_people() -> bool:
    """Return whether standard output is a terminal, so that results are tables."""
    return on_screen(out)


def _bare() -> Table:
    return Table(box=None, show_header=False, pad_edge=False)


def _filled(table: Table, rows: Iterable[Sequence[Cell]]) -> Table:
    for row in rows:
        cells: list[RenderableType] = [cell(each) for each in row]
        table.add_row(*cells)
    return table


def _print(table: Table, *, to_error: bool = False) -> None:
    (err if to_error else out).print(table, soft_wrap=False)

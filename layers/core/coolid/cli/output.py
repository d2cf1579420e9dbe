"""The output streams of all commands, and their tables, lines and JSON.

Tables, colours and progress are for terminals; a pipe receives plain lines whose format is stable. `NO_COLOR`
(https://no-color.org) and `TERM=dumb` switch off all styles, so that no escape code is written.

Control characters in untrusted text are not printed: escape sequences begin with one (ECMA-48), and bidirectional
controls (Unicode, UAX #9) make a text look like another. They are replaced, or escaped in JSON, which preserves values.

In tables, long values are folded, never cut.

>>> printable("a\x1b[31m\u202eb")
'a\ufffd[31m\ufffdb'
>>> safe_json({"a": "\x9b1m"})
'{"a":"\\\\u009b1m"}'
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

if TYPE_CHECKING:  # rich is imported for tables and styles only, because that takes longer than most commands
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    Cell = str | Text

_UNSAFE: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_IN_LINES: Final = re.compile(f"[{_UNSAFE}]")
_IN_LINE: Final = re.compile(f"[{_UNSAFE}\t\n]")
_STYLES: Final[Literal["auto"] | None] = None if os.environ.get("NO_COLOR") else "auto"


class OutputStream:
    """Standard output or standard error: lines of text, or what a console of rich renders."""

    def __init__(self, *, is_stderr: bool = False) -> None:
        self._is_stderr = is_stderr

    @property
    def file(self) -> TextIO:
        """The file, which tests replace."""
        return sys.stderr if self._is_stderr else sys.stdout

    @property
    def encoding(self) -> str:
        """The encoding of the file."""
        return (self.file.encoding or "utf-8").lower()

    @cached_property
    def console(self) -> "Console":
        """The console, which is created when it is first used."""
        from rich.console import Console

        return Console(stderr=self._is_stderr, highlight=False, soft_wrap=True, emoji=False, color_system=_STYLES)

    def print(self, *objects: Any, **options: Any) -> None:
        """See `rich.console.Console.print`."""
        self.console.print(*objects, **options)

    def print_line(self, line: str) -> None:
        """Print a line as it is."""
        if "console" in self.__dict__:  # it may be drawing a progress display
            self.print(line, markup=False)
        else:
            self.file.write(f"{line}\n")
            self.file.flush()


out: Final = OutputStream()
err: Final = OutputStream(is_stderr=True)


def printable(text: str, *, lines: bool = False) -> str:
    """Return the text with each unsafe character replaced; `lines` keeps line ends and tabs."""
    if lines:
        return _IN_LINES.sub("\ufffd", text.replace("\r\n", "\n"))
    return _IN_LINE.sub("\ufffd", text)


def safe_json(document: Any, *, indent: bool = False) -> str:
    """Return JSON text with unsafe characters escaped, which only occur in strings."""
    layout: dict[str, Any] = {"indent": 2} if indent else {"separators": (",", ":")}
    text = json.dumps(document, ensure_ascii=False, **layout)
    return _IN_LINES.sub(lambda unsafe: f"\\u{ord(unsafe[0]):04x}", text)


def print_line(line: str, to: OutputStream = err) -> None:
    """Print a line without markup, with control characters replaced."""
    to.print_line(printable(line))


def print_json(document: Any) -> None:
    """Print JSON on one line. Control characters, and characters outside the output's encoding, are escaped."""
    text = safe_json(document)
    try:
        text.encode(out.encoding)
    except UnicodeEncodeError:
        text = json.dumps(document, separators=(",", ":"))
    sys.stdout.write(text + "\n")


def print_result(document: Any, line: str, *, as_json: bool) -> None:
    """Print what a command did: the whole document as JSON, or a line."""
    if as_json:
        print_json(document)
    else:
        print_line(line, to=out)


def on_screen(stream: OutputStream = out) -> bool:
    """Return whether the stream is a terminal. Variables that force colours do not change this."""
    try:
        return stream.file.isatty()
    except ValueError:  # the file is closed
        return False


def discard_stdout() -> None:
    """Discard all further standard output after its pipe is closed, including the flush at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is not a file
        return


GOOD: Final = "green"
BAD: Final = "bold red"
NAME: Final = "bold cyan"
QUIET: Final = "dim"

_MARKS: Final = {True: ("✓", GOOD), False: ("✗", BAD)}
_PLAIN_MARKS: Final = {True: ("ok", GOOD), False: ("NO", BAD)}
_NAME_WIDTH: Final = 12


def cell(text: "Cell", style: str = "") -> "Text":
    """Return the content of a cell, with control characters replaced, in a style."""
    from rich.text import Text

    return text if isinstance(text, Text) else Text(printable(text), style)


def mark(*, good: bool) -> "Text":
    """Return a check mark or cross, whose shape differs as well as its colour, or a word if it cannot be encoded."""
    from rich.text import Text

    marks = _MARKS
    try:
        _MARKS[good][0].encode(out.encoding)
    except UnicodeEncodeError:
        marks = _PLAIN_MARKS
    return Text(*marks[good])


def print_table(headings: Sequence[str], rows: Iterable[Sequence["Cell"]], *, to: OutputStream = out) -> None:
    """Print rows under headings."""
    from rich import box
    from rich.table import Table

    table = Table(*headings, box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    to.print(_filled(table, rows), soft_wrap=False)


def print_list(rows: Iterable[Sequence["Cell"]]) -> None:
    """Print rows without headings."""
    out.print(_filled(_bare(), rows), soft_wrap=False)


def print_pairs(rows: Iterable[tuple[str, "Cell"]], *, to: OutputStream = out) -> None:
    """Print names and values, a pair in each row."""
    if on_screen(to):
        to.print(pairs(rows), soft_wrap=False)
    else:
        for name, value in rows:
            print_line(f"{name:<{_NAME_WIDTH}}{value}", to=to)


def print_members(document: Mapping[str, Any]) -> None:
    """Print the members of a document that have a value, those that are no text as JSON."""
    members = ((name, value) for name, value in document.items() if value not in (None, "", [], {}))
    print_pairs((name, value if isinstance(value, str) else safe_json(value)) for name, value in members)


def pairs(rows: Iterable[tuple[str, "Cell"]]) -> "Table":
    """Return a table of names and values."""
    table = _bare()
    table.add_column(style=NAME, no_wrap=True)
    return _filled(table, rows)


def for_people() -> bool:
    """Return whether standard output is a terminal, so that results are tables."""
    return on_screen(out)


def _bare() -> "Table":
    from rich.table import Table

    return Table(box=None, show_header=False, pad_edge=False)


def _filled(table: "Table", rows: Iterable[Sequence["Cell"]]) -> "Table":
    for row in rows:
        table.add_row(*map(cell, row))
    for column in table.columns:
        column.overflow = "fold"
    return table

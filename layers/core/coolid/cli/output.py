"""What the commands have in common: where they print, in colour or not, and the exit codes.

Tables, colours and progress are for a person at a terminal. Whatever reads from a pipe gets plain lines that stay as
they are. `NO_COLOR` (https://no-color.org) and `TERM=dumb` leave out all styles, so that no escape code is written.
"""

import json
import os
import sys
from typing import Any, Final, Literal

from rich.console import Console

from coolid.cli.terminal_text import printable, safe_json

DONE: Final = 0
NO: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130
"""As shells say of a program that SIGINT ended."""

_STYLES: Final[Literal["auto"] | None] = None if os.environ.get("NO_COLOR") else "auto"

out: Final = Console(highlight=False, soft_wrap=True, emoji=False, color_system=_STYLES)
err: Final = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False, color_system=_STYLES)


def tell(line: str, to: Console = err) -> None:
    """Print a line whose foreign parts are shown as they are, and harmless."""
    to.print(printable(line), markup=False)


def advise(step: str | None) -> None:
    """Print what to do next, if there is anything, below what stands in the way."""
    if step is not None:
        tell(f"  {step}")


def on_screen(console: Console = out) -> bool:
    """Whether a person reads what is printed there; nothing that only forces colours makes a pipe a terminal."""
    try:
        return console.file.isatty()
    except ValueError:  # it is closed
        return False


def let_go() -> None:
    """Write nothing more to a pipe that nobody reads (`| head` has enough), not even when Python ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # it is no file
        return


def print_json(document: Any) -> None:
    """One JSON document on one line; nothing in it steers a terminal, and what the terminal cannot spell is escaped."""
    text = safe_json(document)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(document, separators=(",", ":"))
    sys.stdout.write(text + "\n")

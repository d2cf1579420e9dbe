"""The consoles and exit codes that all commands share.

Tables, colours and progress are for terminals; a pipe receives plain lines whose format is stable. `NO_COLOR`
(https://no-color.org) and `TERM=dumb` switch off all styles, so that no escape code is written.
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
"""The exit code that shells use for SIGINT."""

_STYLES: Final[Literal["auto"] | None] = None if os.environ.get("NO_COLOR") else "auto"

out: Final = Console(highlight=False, soft_wrap=True, emoji=False, color_system=_STYLES)
err: Final = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False, color_system=_STYLES)


def print_line(line: str, to: Console = err) -> None:
    """Print a line without markup, with control characters replaced."""
    to.print(printable(line), markup=False)


def print_next_step(step: str | None) -> None:
    """Print an indented suggestion below an error, if there is one."""
    if step is not None:
        print_line(f"  {step}")


def on_screen(console: Console = out) -> bool:
    """Return whether the console is a terminal. Variables that force colours do not change this."""
    try:
        return console.file.isatty()
    except ValueError:  # the file is closed
        return False


def let_go() -> None:
    """Discard all further standard output after its pipe is closed, including the flush at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is not a file
        return


def print_json(document: Any) -> None:
    """Print JSON on one line. Control characters, and characters outside the output's encoding, are escaped."""
    text = safe_json(document)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(document, separators=(",", ":"))
    sys.stdout.write(text + "\n")

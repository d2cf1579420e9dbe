"""What the commands have in common: where they print, and the exit codes."""

import json
import sys
from typing import Any, Final

from rich.console import Console

from coolid.cli.safely import safe_json

NO: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 3

out: Final = Console(highlight=False, soft_wrap=True, emoji=False)
err: Final = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def print_json(document: Any) -> None:
    """One JSON document on one line; nothing in it steers a terminal, and what the terminal cannot spell is escaped."""
    text = safe_json(document)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(document, separators=(",", ":"))
    sys.stdout.write(text + "\n")

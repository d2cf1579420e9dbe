"""What the commands have in common: where they print, and the exit codes."""

from typing import Any, Final

import orjson
from rich.console import Console

NO: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 3

out: Final = Console(highlight=False, soft_wrap=True, emoji=False)
err: Final = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def print_json(document: Any) -> None:
    """One JSON document on one line."""
    print(orjson.dumps(document).decode(), flush=False)

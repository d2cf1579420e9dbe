"""Options of the commands that use a service: its URL, the API key and JSON arguments.

A key comes from COOLID_KEY or a file, never from the command line, which every user of the machine can read.
"""

import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from coolid.cli.output import print_line
from coolid.client.management import Management
from coolid.errors import Unauthenticated, UsageError
from coolid.model.clients import split_key
from coolid.strict_json import MAX_BYTES, NotJson, load

STDIN: Final = "-"
KEY: Final = "COOLID_KEY"
MAX_KEY_FILE_BYTES: Final = 65_536

Url = Annotated[
    str | None, typer.Option(envvar="COOLID_URL", metavar="URL", help="The service, such as http://127.0.0.1:8080.")
]
KeyFile = Annotated[Path | None, typer.Option(metavar="FILE", help="File with the API key, in place of COOLID_KEY.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Pid = Annotated[str, typer.Argument(metavar="PID", help="The PID in any spelling: with its prefix, or as a URL.")]

_Json = TypeVar("_Json", dict[str, Any], list[Any])


def service(url: str | None, key_file: Path | None, *, needs_key: bool = True) -> Management:
    """Return the service at `url` with the key in the file or in COOLID_KEY. Exits with 2 if one is missing."""
    if not url:
        raise UsageError("which service? Set --url or COOLID_URL, for example to http://127.0.0.1:8080")
    key = _key_of(key_file)
    if key is None and needs_key:
        raise UsageError(
            f"an API key is needed: set {KEY} or --key-file (`coolid serve` writes one to .local/admin-key)"
        )
    return Management(url, key, _wait)


def json_of(text: str, option: str, kind: type[_Json]) -> _Json:
    """Return the JSON object or array in a text, a file (@FILE) or standard input (-). Exits with 2 if invalid."""
    try:
        is_file = text == STDIN or text.startswith("@")
        document = load(read_bounded(text.removeprefix("@"), MAX_BYTES) if is_file else text.encode())
    except UnicodeEncodeError:
        raise UsageError(f"{option} is not UTF-8") from None
    except NotJson as error:
        raise UsageError(f"{option} is not JSON: {error}") from error
    if not isinstance(document, kind):
        raise UsageError(f"{option} is not a JSON {'object' if kind is dict else 'array'}")
    return document


def read_bounded(file: str, max_bytes: int) -> bytes:
    """Return the content of a file, or of standard input for `-`. Exits with 2 if it is too large."""
    if file == STDIN:
        content = sys.stdin.buffer.read(max_bytes + 1)
    else:
        with Path(file).open("rb") as opened:
            content = opened.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise UsageError(f"{'standard input' if file == STDIN else file} is larger than {max_bytes:,} bytes")
    return content


def _key_of(file: Path | None) -> str | None:
    """Return the API key in the file or in COOLID_KEY. Exits with 2 if it is invalid; the message has no secret."""
    if file is None:
        key = os.environ.get(KEY, "").strip()
        if not key:
            return None
    else:
        key = read_bounded(str(file), MAX_KEY_FILE_BYTES).decode("utf-8", "replace").strip()
    try:
        split_key(key)
    except Unauthenticated as error:
        raise UsageError(f"{file or KEY} contains no API key: {error}") from error
    return key


def _wait(seconds: float) -> None:
    if seconds >= 2:
        print_line(f"coolid: the service is busy; the next try is in {seconds:.0f} seconds")
    time.sleep(seconds)

"""Options of the commands that use a service: its URL, the API key and JSON arguments, and the report of its errors.

A key comes from COOLID_KEY or a file, never from the command line, which every user of the machine can read.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer

from coolid.cli.next_steps import after_refusal, after_unreachable
from coolid.cli.output import NO, UNREACHABLE, USAGE, print_line, print_next_step
from coolid.cli.terminal_text import safe_json
from coolid.client.errors import ClientError, RefusedByClient, RequestDeclined
from coolid.client.management import Management
from coolid.errors import BadReference, Unauthenticated
from coolid.model.clients import split_key
from coolid.strict_json import MAX_BYTES, NotJson, load

STDIN: Final = "-"
KEY: Final = "COOLID_KEY"

Url = Annotated[
    str | None, typer.Option(envvar="COOLID_URL", metavar="URL", help="The service, such as http://127.0.0.1:8080.")
]
KeyFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The file that holds the API key, where COOLID_KEY does not.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Pid = Annotated[str, typer.Argument(metavar="PID", help="The PID in any spelling: with its prefix, or as a URL.")]


def service(url: str | None, key_file: Path | None, *, needs_key: bool = True) -> Management:
    """Return the service at `url` with the key in the file or in COOLID_KEY. Exits with 2 if one is missing."""
    if not url:
        refuse("where is the service? Give --url, or set COOLID_URL, such as http://127.0.0.1:8080")
    key = _key(key_file)
    if key is None and needs_key:
        refuse(f"an API key is needed: set {KEY}, or give --key-file (`coolid serve` keeps one in .local/admin-key)")
    return Management(url, key, _wait)


@contextmanager
def report_errors(url: str | None, pid: str | None = None, *, json: bool) -> Iterator[None]:
    """Print an error of the service at `url` and exit: 1 if it declined, 2 for wrong usage, 3 without a usable answer.

    With `json` the problem document is printed instead of the result. `pid` is the PID in the suggestion.
    """
    try:
        yield
    except RequestDeclined as declined:
        print_line(f"coolid: {declined}")
        for pointer, reason in declined.violations:
            print_line(f"  {pointer or 'the whole'}: {reason}")
        suggestions = declined.problem.get("suggestions")
        if isinstance(suggestions, list) and suggestions:
            print_line(f"  nearly alike, and registered: {', '.join(map(str, suggestions))}")
        print_next_step(after_refusal(declined.status, str(declined.problem.get("type")), pid))
        if json:
            print(safe_json(declined.problem))
        raise typer.Exit(NO) from declined
    except (RefusedByClient, BadReference) as error:
        refuse(str(error))
    except ClientError as error:
        print_line(f"coolid: the service did not do it, or did not say so: {error}")
        print_next_step(after_unreachable(error, url))
        raise typer.Exit(UNREACHABLE) from error


def object_of(text: str, option: str) -> dict[str, Any]:
    """Return the JSON object in a text, a file (@FILE) or standard input (-). Exits with 2 if it is not one."""
    found = _json_of(text, option)
    return found if isinstance(found, dict) else refuse(f"{option} is not a JSON object")


def array_of(text: str, option: str) -> list[Any]:
    """Return a JSON array. See `object_of`."""
    found = _json_of(text, option)
    return found if isinstance(found, list) else refuse(f"{option} is not a JSON array")


def refuse(message: str) -> NoReturn:
    """Print a usage error and exit with 2."""
    print_line(f"coolid: {message}")
    raise typer.Exit(USAGE)


def _key(file: Path | None) -> str | None:
    if file is None:
        source, key = KEY, os.environ.get(KEY, "").strip()
        if not key:
            return None
    else:
        source = str(file)
        try:
            key = file.read_text(encoding="utf-8").strip()
        except OSError as error:
            refuse(f"{file} cannot be read: {error.strerror}")
        except UnicodeDecodeError:
            key = ""
    try:
        split_key(key)
    except Unauthenticated as error:
        refuse(f"{source} holds no API key: {error}")
    return key


def _json_of(text: str, option: str) -> Any:
    try:
        return load(_read(text) if text == STDIN or text.startswith("@") else text.encode())
    except UnicodeEncodeError:
        refuse(f"{option} is not UTF-8")
    except OSError as error:
        refuse(f"{option}: {text.removeprefix('@')} cannot be read: {error.strerror}")
    except NotJson as error:
        refuse(f"{option} is not JSON: {error}")


def _read(text: str) -> bytes:
    """Return the content of a file or standard input. Raises `NotJson` if it exceeds the limit of a service."""
    if text == STDIN:
        body = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with Path(text[1:]).open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise NotJson(f"it is larger than {MAX_BYTES} bytes")
    return body


def _wait(seconds: float) -> None:
    if seconds >= 2:
        print_line(f"coolid: the service is busy; trying again in {seconds:.0f} seconds")
    time.sleep(seconds)

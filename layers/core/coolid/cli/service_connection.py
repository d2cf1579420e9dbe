"""The service that commands manage: its address, the API key, what is typed as JSON, and how its refusals are told.

A key never stands on a command line, where every user of the machine can read it: it comes from COOLID_KEY or a file.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer

from coolid.cli.next_steps import after_no, after_silence
from coolid.cli.output import NO, UNREACHABLE, USAGE, advise, tell
from coolid.cli.terminal_text import safe_json
from coolid.client.errors import ClientError, RefusedByClient
from coolid.client.http_send import RequestDeclined
from coolid.client.management import Management
from coolid.errors import BadReference, Unauthenticated
from coolid.model.clients import split_key
from coolid.strict_json import MOST_BYTES, NotJson, load

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
    """The service at `url`, with the key in the file or in COOLID_KEY; ends with 2 where something is missing."""
    if not url:
        refuse("where is the service? Give --url, or set COOLID_URL, such as http://127.0.0.1:8080")
    key = _key(key_file)
    if key is None and needs_key:
        refuse(f"an API key is needed: set {KEY}, or give --key-file (`coolid serve` keeps one in .local/admin-key)")
    return Management(url, key, _wait)


@contextmanager
def answers(url: str | None, pid: str | None = None, *, json: bool) -> Iterator[None]:
    """Tell what the service at `url` does not do, and what helps; end: 1 for its no, 2 for bad usage, 3 for silence.

    With `json` the problem document is printed where the answer would be. `pid` is what the command is about.
    """
    try:
        yield
    except RequestDeclined as declined:
        tell(f"coolid: {declined}")
        for pointer, reason in declined.violations:
            tell(f"  {pointer or 'the whole'}: {reason}")
        suggestions = declined.problem.get("suggestions")
        if isinstance(suggestions, list) and suggestions:
            tell(f"  nearly alike, and registered: {', '.join(map(str, suggestions))}")
        advise(after_no(declined.status, str(declined.problem.get("type")), pid))
        if json:
            print(safe_json(declined.problem))
        raise typer.Exit(NO) from declined
    except (RefusedByClient, BadReference) as error:
        refuse(str(error))
    except ClientError as error:
        tell(f"coolid: the service did not do it, or did not say so: {error}")
        advise(after_silence(error, url))
        raise typer.Exit(UNREACHABLE) from error


def object_of(text: str, option: str) -> dict[str, Any]:
    """The JSON object that is typed, or is in a file (@FILE), or comes on standard input (-); ends with 2."""
    found = _json_of(text, option)
    return found if isinstance(found, dict) else refuse(f"{option} is not a JSON object")


def array_of(text: str, option: str) -> list[Any]:
    """The JSON array, as of `object_of`."""
    found = _json_of(text, option)
    return found if isinstance(found, list) else refuse(f"{option} is not a JSON array")


def refuse(message: str) -> NoReturn:
    """Say what is wrong with how the command was given, and end."""
    tell(f"coolid: {message}")
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
    """What a file or standard input holds, no more than a service takes."""
    if text == STDIN:
        body = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        with Path(text[1:]).open("rb") as file:
            body = file.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise NotJson(f"it is larger than {MOST_BYTES} bytes")
    return body


def _wait(seconds: float) -> None:
    if seconds >= 2:
        tell(f"coolid: the service is busy; trying again in {seconds:.0f} seconds")
    time.sleep(seconds)

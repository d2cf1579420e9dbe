"""Options of the commands that use a service: its URL, the API key, a profile, and JSON arguments.

An option has precedence over an environment variable, which has precedence over a profile. `--profile` is an option,
so it replaces COOLID_URL and COOLID_KEY. A profile's key is sent only to the profile's service.

A key comes from the configuration file, COOLID_KEY or a file, never from the command line, which every user of the
machine can read.
"""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from coolid.cli.output import print_line
from coolid.cli.profiles import VARIABLE, chosen_profile
from coolid.errors import Unauthenticated, UsageError

if TYPE_CHECKING:  # commands that take these options may do without the service, and then do not import its client
    from coolid.client.client import Client

STDIN: Final = "-"
KEY: Final = "COOLID_KEY"
MAX_KEY_FILE_BYTES: Final = 65_536


def without_environment(ctx: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """Return the value of an option, or None if it is that of an environment variable which `--profile` replaces."""
    source = ctx.get_parameter_source(str(param.name))
    is_from_environment = source is not None and source.name == "ENVIRONMENT"
    return None if is_from_environment and ctx.params.get("profile") is not None else value


Profile = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        is_eager=True,  # `without_environment` depends on it
        help="A profile of `coolid login`, in place of COOLID_URL, COOLID_KEY and COOLID_PROFILE.",
    ),
]
Url = Annotated[
    str | None,
    typer.Option(
        envvar="COOLID_URL",
        metavar="URL",
        callback=without_environment,
        help="The service, such as http://127.0.0.1:8080.",
    ),
]
KeyFile = Annotated[Path | None, typer.Option(metavar="FILE", help="File with the API key, in place of COOLID_KEY.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Pid = Annotated[str, typer.Argument(metavar="PID", help="The PID in any spelling: with its prefix, or as a URL.")]

_Json = TypeVar("_Json", dict[str, Any], list[Any])


def service(url: str | None, key_file: Path | None, profile: str | None, *, needs_key: bool = True) -> "Client":
    """Return a client with the values of `service_and_key`."""
    from coolid.client.client import Client

    return Client(*service_and_key(url, key_file, profile, needs_key=needs_key), wait=_wait)


def service_and_key(
    url: str | None, key_file: Path | None, profile: str | None, *, needs_key: bool = True
) -> tuple[str, str | None]:
    """Return the service at `url` with the key in the file or in COOLID_KEY, or else those of the profile.

    Exits with 2 if one is missing.
    """
    from coolid.client.url_policy import service_url

    key = key_of(key_file) if key_file or profile is None else None
    chosen = chosen_profile(profile) if url is None or key is None else None
    used = chosen.url if chosen and url is None else url
    if not used:
        raise UsageError(
            "which service? Set --url or COOLID_URL, for example to http://127.0.0.1:8080, or use `coolid login`"
        )
    if key is None and chosen and service_url(used) == chosen.url:
        key = chosen.key
    if key is None and needs_key:
        raise UsageError(
            f"an API key is needed for {used}: use `coolid login`, {KEY} or --key-file "
            "(`coolid serve` writes one to .local/admin-key)"
        )
    return used, key


def named_service(url: str | None, profile: str | None) -> str | None:
    """Return the URL that an option or a variable names, itself or by a profile, or None; the default is not used."""
    if url is None and (profile is not None or os.environ.get(VARIABLE)):
        chosen = chosen_profile(profile)
        return chosen.url if chosen else None
    return url


def json_of(text: str, option: str, kind: type[_Json]) -> _Json:
    """Return the JSON object or array in a text, a file (@FILE) or standard input (-). Exits with 2 if invalid."""
    from coolid.strict_json import MAX_BYTES, NotJson, load

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


def key_of(file: Path | None) -> str | None:
    """Return the API key in the file or in COOLID_KEY. Exits with 2 if it is invalid; the message has no secret."""
    if file is None:
        key = os.environ.get(KEY, "").strip()
        if not key:
            return None
    else:
        key = read_bounded(str(file), MAX_KEY_FILE_BYTES).decode("utf-8", "replace").strip()
    return checked_key(key, str(file or KEY))


def checked_key(key: str, source: str) -> str:
    """Return a valid API key. Exits with 2 if it is invalid; the message names the source, but has no secret."""
    from coolid.model.clients import split_key

    try:
        split_key(key)
    except Unauthenticated as error:
        raise UsageError(f"{source} contains no API key: {error}") from None
    return key


def _wait(seconds: float) -> None:
    if seconds >= 2:
        print_line(f"coolid: the service is busy; the next try is in {seconds:.0f} seconds")
    time.sleep(seconds)

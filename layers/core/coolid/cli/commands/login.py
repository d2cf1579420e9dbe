"""`coolid login` and `coolid logout`: an API key in the configuration file, and its removal."""

import os
import sys
import warnings
from getpass import GetPassWarning, getpass
from pathlib import Path
from typing import Annotated, Any

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import print_line, print_result
from coolid.cli.profiles import (
    DEFAULT,
    VARIABLE,
    ServiceProfile,
    checked_name,
    config_file,
    read_profiles,
    write_profiles,
)
from coolid.cli.service_connection import (
    KEY,
    MAX_KEY_FILE_BYTES,
    STDIN,
    Json,
    KeyFile,
    checked_key,
    key_of,
    read_bounded,
)
from coolid.client.client import Client
from coolid.client.url_policy import service_url
from coolid.errors import UsageError
from coolid.model.clients import split_key

_Name = Annotated[
    str, typer.Option("--profile", metavar="NAME", envvar=VARIABLE, help="The profile to write.", callback=checked_name)
]


_Url = Annotated[
    str | None, typer.Option(metavar="URL", help="The service; by default that of the profile, or COOLID_URL.")
]


def login(profile: _Name = DEFAULT, url: _Url = None, key_file: KeyFile = None, json: Json = False) -> None:
    """Store an API key for later commands.

    The key is read from --key-file, from standard input, or at a terminal without echo. The service must accept it.
    Then it is stored with the service's URL in `~/.config/coolid/config.toml`, which only you can read.

        $ coolid login --url https://id.example.org
        $ coolid login --url http://127.0.0.1:8080 --key-file .local/admin-key
        $ coolid login --profile library --url https://id.example.org --key-file -
    """
    file = config_file()
    profiles = read_profiles(file)
    if url is None:
        url = profiles[profile].url if profile in profiles else os.environ.get("COOLID_URL")
    if not url:
        raise UsageError("which service? Use --url, such as --url https://id.example.org")
    base = service_url(url)
    key = _read_key(key_file, base)
    own = Client(base, key).keys.own()
    client = own.document if own else None
    write_profiles(file, read_profiles(file) | {profile: ServiceProfile(base, key)})  # others may have changed it
    document = _document(profile, base, key, client)
    print_result({**document, "file": str(file)}, _sentence(document, file), as_json=json)
    _warn_of_variables(profile)


def logout(profile: _Name = DEFAULT, json: Json = False) -> None:
    """Remove a stored API key. The key itself stays valid until it is revoked.

    $ coolid logout
    $ coolid logout --profile library
    """
    file = config_file()
    profiles = read_profiles(file)
    stored = profiles.pop(profile, None)
    if stored is None:
        print_line(f"coolid: {file} has no profile {profile}, so there is nothing to remove")
        raise typer.Exit(NO)
    write_profiles(file, profiles)
    client = split_key(stored.key)[0] if stored.key else None
    document = {"profile": profile, "url": stored.url, "client": client, "file": str(file)}
    print_result(document, f"removed the profile {profile} for {stored.url} from {file}", as_json=json)
    if client and not json:
        print_line(f"coolid: the key is still valid; an administrator revokes it: coolid keys revoke {client}")


def _read_key(file: Path | None, url: str) -> str:
    """Return the key from the file, or from the terminal without echo, or from standard input. Exits with 2."""
    if file is not None and str(file) != STDIN:
        return str(key_of(file))
    if file is None and sys.stdin.isatty():
        return checked_key(_prompt(f"API key for {url}: "), "the answer")
    return checked_key(read_bounded(STDIN, MAX_KEY_FILE_BYTES).decode("utf-8", "replace").strip(), "standard input")


def _prompt(text: str) -> str:
    """Return what is typed after a prompt, which the terminal does not show. Exits with 2 if nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", GetPassWarning)  # it would show the answer
            return getpass(text, sys.stderr).strip()
    except (EOFError, GetPassWarning):
        raise UsageError("no API key was entered; use --key-file, or standard input") from None


def _document(profile: str, url: str, key: str, client: dict[str, Any] | None) -> dict[str, Any]:
    scopes = client.get("scopes") if client else None
    return {"profile": profile, "url": url, "client": split_key(key)[0], "scopes": scopes}


def _sentence(document: dict[str, Any], file: Path) -> str:
    scopes = document["scopes"]
    permits = f", which permits {', '.join(map(str, scopes))}" if isinstance(scopes, list) and scopes else ""
    return f"{document['url']} accepts the key {document['client']}{permits}; it is stored in {file}"


def _warn_of_variables(profile: str) -> None:
    """Print which variables later commands use in place of what was stored."""
    if variables := [name for name in ("COOLID_URL", KEY) if os.environ.get(name)]:
        print_line(f"coolid: {' and '.join(variables)} still take precedence: unset them, or use --profile {profile}")
    elif profile not in (DEFAULT, os.environ.get(VARIABLE)):
        print_line(f"coolid: other commands use it with --profile {profile}, or with {VARIABLE}={profile}")

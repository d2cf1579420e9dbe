"""The configuration file: profiles, each of which names a service and an API key for it.

The file is `coolid/config.toml` in `$XDG_CONFIG_HOME`, or else in `~/.config` (XDG Base Directory Specification). It is
TOML 1.0, and looks like this:

    [profiles.default]
    url = "https://id.example.org"
    key = "cool_KEYID_SECRET"

Only its owner may have access to it. `coolid login` and `coolid logout` write it; comments are lost then.

>>> print(_toml({"default": ServiceProfile("https://id.example.org")}).partition("\\n\\n")[2], end="")
[profiles.default]
url = "https://id.example.org"
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from coolid.errors import Unauthenticated, UsageError

DEFAULT: Final = "default"
VARIABLE: Final = "COOLID_PROFILE"
_FILE: Final = "coolid/config.toml"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NAME_RULE: Final = "the name of a profile has 1 to 64 letters, digits, '-' and '_'"
_MEMBERS: Final = frozenset({"url", "key"})
_COMMENT: Final = "# `coolid login` and `coolid logout` replace this file, without comments. It has secret keys."


@dataclass(frozen=True, slots=True)
class ServiceProfile:
    """The URL of a service, and an API key for it or None."""

    url: str
    key: str | None = field(default=None, repr=False)


def config_file() -> Path:
    """Return the path of the configuration file. Raises `UsageError` if the user has no home folder."""
    folder = _config_folder()
    if folder is None:
        raise UsageError("there is no home folder for the configuration: set XDG_CONFIG_HOME")
    return folder / _FILE


def _config_folder() -> Path | None:
    from coolid import private_files

    return private_files.user_folder("XDG_CONFIG_HOME", ".config")


def checked_name(name: str) -> str:
    """Return the name of a profile. Raises `UsageError` if it is not one.

    >>> checked_name("my-library")
    'my-library'
    """
    if not _NAME.fullmatch(name):
        raise UsageError(_NAME_RULE)
    return name


def read_profiles(file: Path) -> dict[str, ServiceProfile]:
    """Return the profiles in a file by their names; none if there is no file.

    Raises `UsageError` for an invalid file, without its content, and `OSError` for one that other users can access.
    """
    from coolid import private_files

    content = private_files.read_secret(file)
    if content is None:
        return {}
    import tomllib

    try:
        document = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        place = re.search(r"\(at .*\)$", str(error))  # the rest of the message may quote a key
        raise UsageError(f"{file} is not TOML{(place and ' ' + place[0]) or ''}") from None
    if unknown := sorted(document.keys() - {"profiles"}):
        raise UsageError(f"{file} has an unknown member: {unknown[0]}")
    profiles = document.get("profiles", {})
    if not isinstance(profiles, dict):
        raise UsageError(f"{file} is invalid: profiles is not a table")
    if not all(_NAME.fullmatch(name) for name in profiles):
        raise UsageError(f"{file} is invalid: {_NAME_RULE}")
    return {name: _profile(members, f"{file}: the profile {name}") for name, members in profiles.items()}


def write_profiles(file: Path, profiles: Mapping[str, ServiceProfile]) -> None:
    """Replace the configuration file, all at once, by one of mode 600. Raises `OSError`."""
    from coolid import private_files

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with private_files.replacement(file) as written:
        written.write(_toml(profiles).encode())


def chosen_profile(name: str | None) -> ServiceProfile | None:
    """Return the profile of this name, or else of COOLID_PROFILE, or else the default one, which need not exist.

    Raises `UsageError` if there is no profile of the name, and the errors of `read_profiles`.
    """
    named = name if name is not None else os.environ.get(VARIABLE) or None
    if named is None:
        return _default_profile()
    file = config_file()
    profiles = read_profiles(file)
    profile = profiles.get(checked_name(named))
    if profile is None:
        listed = f"it has {', '.join(profiles)}" if profiles else "it has none"
        raise UsageError(f"{file} has no profile {named}, {listed}; `coolid login --profile {named}` adds it")
    return profile


def _default_profile() -> ServiceProfile | None:
    """Return the default profile, or None, also for a user without access to the home folder, such as of a daemon."""
    folder = _config_folder()
    try:
        return read_profiles(folder / _FILE).get(DEFAULT) if folder else None
    except (PermissionError, NotADirectoryError):
        return None


def _profile(members: Any, what: str) -> ServiceProfile:
    from coolid.client.errors import RefusedByClient  # commands without a profile need none of these modules
    from coolid.client.url_policy import service_url
    from coolid.model.clients import split_key

    if not isinstance(members, dict) or not all(isinstance(each, str) for each in members.values()):
        raise UsageError(f"{what} is invalid: it has the texts url and key")
    if unknown := sorted(members.keys() - _MEMBERS):
        raise UsageError(f"{what} has an unknown member: {unknown[0]}")
    key = members.get("key")
    try:
        if key is not None:
            split_key(key)
        return ServiceProfile(service_url(members.get("url", "")), key)
    except (RefusedByClient, Unauthenticated) as error:
        raise UsageError(f"{what} is invalid: {error}") from None


def _toml(profiles: Mapping[str, ServiceProfile]) -> str:
    """Return the file's content. A JSON string of ASCII is also a TOML string."""
    lines = [_COMMENT]
    for name, profile in profiles.items():
        lines += ["", f"[profiles.{name}]", f"url = {json.dumps(profile.url)}"]
        lines += [f"key = {json.dumps(profile.key)}"] if profile.key else []
    return "\n".join(lines) + "\n"

"""Conversion of any spelling of a PID into a path of the management API.

`{pid}` (`infra/openapi.yaml`) is any spelling that resolves, with literal slashes. A URL is reduced to its path, whose
escapes stay; other text is percent-encoded. The host of another service's URL is kept, because a record of a different
host is not the intended one.

>>> pid_of("https://id.example.org/2021/06/mp/tw0t-ywdj-94?version=2", "https://id.example.org").path
'2021/06/mp/tw0t-ywdj-94'
>>> pid_of("demo:a b%2Fc", "https://id.example.org").path
'demo:a%20b%252Fc'
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import can_ada

from coolid.client.url_policy import parse_pid_url
from coolid.errors import BadReference
from coolid.model.prefixes import PATH_SAFE, as_path
from coolid.recognition.unwrap import reference_after_resolve, unwrap
from coolid.registry.references import Reference, is_dot_segment, parse_reference, require_valid_text

_URL: Final = re.compile("(?i:https?):/{1,2}")


@dataclass(frozen=True, slots=True)
class Pid:
    """The percent-encoded `path` of a PID, and the `host` of its URL if that is not the service's own."""

    path: str
    host: str | None = None

    def is_of(self, pid: object) -> bool:
        """Return whether the canonical `pid` of a record agrees with the host."""
        return self.host is None or (isinstance(pid, str) and _host(pid) == self.host)


def pid_of(text: str, base_url: str) -> Pid:
    """Return the PID that a text names at the service at `base_url`. Raises `BadReference` or `TooLong`."""
    unwrapped = unwrap(require_valid_text(text.strip()), base_url, is_decoded=True)
    host = None
    if unwrapped.text != unwrapped.bare:
        path = quote(unwrapped.text, safe=PATH_SAFE + "%")
    elif _URL.match(unwrapped.bare):
        path, host = _path_of_url(unwrapped.bare)
    else:
        path = as_path(unwrapped.bare)
    path = path.lstrip("/")
    reference = parse_reference(path)
    if not reference.text.strip("/"):
        raise BadReference("it has no identifier")
    if any(map(is_dot_segment, path.split("/"))):
        raise BadReference("a part of it is . or .., which no URL can carry")
    return Pid(path, host)


def _path_of_url(url: str) -> tuple[str, str]:
    parsed = parse_pid_url(url)
    path = parsed.pathname.lstrip("/")
    inner = path.removeprefix("resolve/")
    return (path if inner == path else reference_after_resolve(Reference.of(inner)).text), parsed.host


def _host(url: str) -> str | None:
    try:
        return can_ada.parse(url).host or None
    except ValueError:
        return None

"""PIDs: from any spelling that a user may paste to the path that the service knows the record by.

`{pid}` (`infra/openapi.yaml`) is any spelling that resolves, its slashes as they are. The URL of a PID is reduced to
its path, whose escapes stay; a text is percent-encoded. Where the URL is of another host, that is remembered: a record
that calls itself otherwise is not the one that was meant.

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

from coolid.errors import BadReference
from coolid.model.prefixes import PATH_KEEPS, as_path
from coolid.recognition.unwrap import behind_resolve, unwrap
from coolid.registry.references import Reference, checked, is_step, read

_URL: Final = re.compile("(?i:https?):/{1,2}")


@dataclass(frozen=True, slots=True)
class Pid:
    """The percent-encoded `path` of a PID, and the `host` it was said to be at where that is not the service's own."""

    path: str
    host: str | None = None

    def is_of(self, pid: object) -> bool:
        """Whether a record whose canonical link is this one may have been meant."""
        return self.host is None or (isinstance(pid, str) and _host(pid) == self.host)


def pid_of(text: str, base_url: str) -> Pid:
    """Read what was typed for the service at `base_url`; `BadReference`, `TooLong`."""
    unwrapped = unwrap(checked(text.strip()), base_url, is_decoded=True)
    host = None
    if unwrapped.text != unwrapped.bare:
        path = quote(unwrapped.text, safe=PATH_KEEPS + "%")
    elif _URL.match(unwrapped.bare):
        path, host = _path_of_url(unwrapped.bare)
    else:
        path = as_path(unwrapped.bare)
    path = path.lstrip("/")
    reference = read(path)
    if not reference.text.strip("/"):
        raise BadReference("it has no identifier")
    if any(map(is_step, path.split("/"))):
        raise BadReference("a part of it is . or .., which no URL can carry")
    return Pid(path, host)


def _path_of_url(url: str) -> tuple[str, str]:
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        raise BadReference("it is no URL that a browser would accept") from None
    if parsed.username or parsed.password:
        raise BadReference("it is a URL with credentials")
    path = parsed.pathname.lstrip("/")
    inner = path.removeprefix("resolve/")
    return (path if inner == path else behind_resolve(Reference.of(inner)).text), parsed.host


def _host(url: str) -> str | None:
    try:
        return can_ada.parse(url).host or None
    except ValueError:
        return None

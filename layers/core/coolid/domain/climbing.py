"""Climbing: an identifier of others whose `..` would lead out of the provider's URL pattern (RFC 3986, section 5.2.4).

Clients leave out `.` and `..` in a path before they ask for it, so that `https://a.example/items/{$id}`, filled
with `../admin`, is another page of the same host. What stays within the pattern is harmless.

>>> climbs("https://a.example/items/{$id}", "../admin"), climbs("https://a.example/items/{$id}", "x/../y")
(True, False)
>>> climbs("https://a.example/ark:{$id}", "12345/../x"), climbs("https://a.example/?q={$id}", "../x")
(True, False)
"""

import re
from typing import Final

from coolid.domain import percent
from coolid.domain.prefixes import PLACEHOLDER

_SEPARATOR: Final = re.compile(r"[/\\]")


def climbs(pattern: str, identifier: str) -> bool:
    """Whether the URL of the identifier (decoded text) is none of the pattern's, once its dots are left out."""
    beginning = pattern.partition(PLACEHOLDER)[0]
    if "?" in beginning or "#" in beginning:
        return False
    # The part with which the pattern ends and the identifier begins is the pattern's, too.
    least = 0 if beginning.endswith("/") else 1
    depth = 0
    # Escapes are left in URLs of encoding `uri`, and `%2E` is a dot to browsers.
    for part in _SEPARATOR.split(re.split("[?#]", percent.decode(identifier).decode(errors="replace"), maxsplit=1)[0]):
        # Some servers cut a part at `;` before they look for dots.
        name = part.partition(";")[0]
        depth += {".": 0, "..": -1}.get(name, 1)
        if name == ".." and depth < least:
            return True
    return False

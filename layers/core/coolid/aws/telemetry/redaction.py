"""Masking: what of a request's path may stand in a log.

People paste things into paths. What looks like an API key is left out (`cool_…`), however often it is percent-encoded;
so is what stands before the host of a pasted URL, and everything from a question mark or a number sign on, behind
which services put sessions and tokens. Anything else is told as it came, up to a length.

>>> redacted_path("/2021/06/mp/TW0T-YWDJ-94"), redacted_path("/go:%30006915")
('/2021/06/mp/TW0T-YWDJ-94', '/go:%30006915')
>>> redacted_path("/mp:%63ool%255Fabcdefgh_c2VjcmV0"), redacted_path("/https://me:secret@example.org/x%3Ftoken=7")
('/mp:cool_***', '/https://***@example.org/x***')
"""

import re
from typing import Final

MOST: Final = 512
"""Characters of a path that are told; an identifier that is longer is told by its beginning."""

_MASK: Final = "***"
_SUSPICIOUS: Final = re.compile("[%?#@]|cool_", re.IGNORECASE)
_SECRETS: Final = (
    ("(?i:cool_[A-Za-z0-9_-]+)", "cool_" + _MASK),
    # To the last sign that could end a password: too much rather than the rest of one.
    (r"(?is)((?:https?|s?ftps?|wss?|git|ssh):[\\/]*|[\\/]{2,}).*@", rf"\1{_MASK}@"),
    ("(?s)[?#].*", _MASK),
)
_MOST_LAYERS: Final = 5


def redacted_path(path: str) -> str:
    """What of a path may be told: as it came, or decoded and masked where there is anything to mask."""
    if not _SUSPICIOUS.search(path):
        return path[:MOST]
    plain = _decoded(path)
    masked = plain
    for secret, mask in _SECRETS:
        masked = re.sub(secret, mask, masked)
    return (path if masked == plain else masked)[:MOST]


def _decoded(text: str) -> str:
    """The text without percent-encoding, however many layers of it there are; what nobody wraps so deep is cut off."""
    from urllib.parse import unquote  # few paths need it, and it takes long to load

    for _ in range(_MOST_LAYERS):
        plain = unquote(text)
        if plain == text:
            return text
        text = plain
    return text if unquote(text) == text else text.partition("%")[0] + "?"

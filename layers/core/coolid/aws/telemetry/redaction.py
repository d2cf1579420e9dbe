"""Redaction of secrets in the paths that logs contain.

People paste secrets into paths. API keys (`cool_…`) are masked at any depth of percent-encoding. So are the user
information of a pasted URL, and everything from a question mark or number sign on, which may hold session tokens. The
names of batch downloads are masked too, because they are fetched without a key.
Everything else is logged unchanged, up to `MAX_LENGTH`.

>>> redacted_path("/2021/06/mp/TW0T-YWDJ-94"), redacted_path("/go:%30006915")
('/2021/06/mp/TW0T-YWDJ-94', '/go:%30006915')
>>> redacted_path("/mp:%63ool%255Fabcdefgh_c2VjcmV0"), redacted_path("/https://me:secret@example.org/x%3Ftoken=7")
('/mp:cool_***', '/https://***@example.org/x***')
>>> redacted_path("/download_request/mxjpeq2cvd32vy.txt.gz")
'/download_request/***'
"""

import re
from typing import Final

MAX_LENGTH: Final = 512
"""The most characters of a path that are logged."""

_MASK: Final = "***"
_SUSPICIOUS: Final = "(?i:[%?#@]|cool_|^/download_request/)"
_SECRETS: Final = (
    ("(?i:cool_[A-Za-z0-9_-]+)", "cool_" + _MASK),
    # Up to the last @, because a password may contain one.
    (r"(?is)((?:https?|s?ftps?|wss?|git|ssh):[\\/]*|[\\/]{2,}).*@", rf"\1{_MASK}@"),
    ("(?s)[?#].*", _MASK),
    ("(?is)^(/download_request/).+", rf"\1{_MASK}"),  # whoever has the address of a file can fetch it
)
_MAX_LAYERS: Final = 5


def redacted_path(path: str) -> str:
    """Return a path for the log: unchanged, or decoded and masked if it contains a secret."""
    has_marks = (
        "%" in path or "_" in path or "?" in path or "#" in path or "@" in path
    )  # one of these is in all matches
    if not has_marks or not re.search(_SUSPICIOUS, path):
        return path[:MAX_LENGTH]
    plain = _decoded(path)
    masked = plain
    for secret, mask in _SECRETS:
        masked = re.sub(secret, mask, masked)
    return (path if masked == plain else masked)[:MAX_LENGTH]


def _decoded(text: str) -> str:
    """Return the text without up to `_MAX_LAYERS` layers of percent-encoding; cut it off if there are more."""
    from urllib.parse import unquote  # slow to load, and few paths need it

    for _ in range(_MAX_LAYERS):
        plain = unquote(text)
        if plain == text:
            return text
        text = plain
    return text if unquote(text) == text else text.partition("%")[0] + "?"

"""Percent-encoding (RFC 3986, section 2.1): an octet that may not stand for itself is `%` and two hexadecimal digits.

As `urllib.parse` does it, whose import takes as long as a redirect's own work.

>>> encode("größe/50%", "/"), decode("gr%C3%B6%C3%9Fe%2").decode()
('gr%C3%B6%C3%9Fe/50%25', 'größe%2')
"""

import re
from functools import cache
from typing import Final

_UNRESERVED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def encode(text: str, keeps: str) -> str:
    """The text with every octet of its UTF-8 escaped but those of unreserved characters and of `keeps` (ASCII).

    Raises `UnicodeEncodeError` for halves of surrogates.
    """
    kept = _UNRESERVED + keeps
    return "".join(map(_forms(kept).__getitem__, text.encode())) if text.strip(kept) else text


def decode(text: str) -> bytes:
    """The octets that a text stands for; a `%` that begins no escape stands for itself.

    Raises `UnicodeEncodeError` for halves of surrogates.
    """
    return _ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode()), text.encode())


@cache
def _forms(kept: str) -> tuple[str, ...]:
    """How each octet is written where these characters stand for themselves."""
    return tuple(chr(octet) if chr(octet) in kept else f"%{octet:02X}" for octet in range(256))

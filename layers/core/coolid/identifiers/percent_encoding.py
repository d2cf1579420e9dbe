"""Percent-encoding and -decoding (RFC 3986, section 2.1).

It is compatible with `urllib.parse`, whose import takes as long as a redirect itself.

>>> encode("größe/50%", "/"), decode("gr%C3%B6%C3%9Fe%2").decode()
('gr%C3%B6%C3%9Fe/50%25', 'größe%2')
"""

import re
from functools import cache
from typing import Final

UNRESERVED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_ESCAPE: Final = rb"%([0-9A-Fa-f]{2})"


def encode(text: str, safe: str) -> str:
    """Escape octets of UTF-8 but unreserved ones and `safe` (ASCII); `UnicodeEncodeError` for lone surrogates."""
    unescaped = UNRESERVED + safe
    return "".join(map(_forms(unescaped).__getitem__, text.encode())) if text.strip(unescaped) else text


def decode(text: str) -> bytes:
    """Return the decoded octets; a `%` that begins no escape stays. `UnicodeEncodeError` for lone surrogates."""
    return re.sub(_ESCAPE, lambda escape: bytes.fromhex(escape[1].decode()), text.encode())


@cache
def _forms(unescaped: str) -> tuple[str, ...]:
    """Return the encoded form of each octet."""
    return tuple(chr(octet) if chr(octet) in unescaped else f"%{octet:02X}" for octet in range(256))

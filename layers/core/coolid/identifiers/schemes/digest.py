"""Digest: the SHA-256 of a thing's content as its identifier, 64 hexadecimal digits, supplied by the caller.

Specification: FIPS 180-4 (SHA-256); LinkID draft, "URI Scheme Definition", for its use as an identifier. There are no
check digits, but the content verifies the whole identifier. The key is in lower case.

>>> validate("sha256:A665A45920422F9D417E4867EFDC4FB8A04A1F3FFF1FA07E998E86F7F7A27AE3")
'a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3'
>>> calc_digest(b"123") == validate("a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3")
True
"""

import re
from hashlib import sha256
from typing import Final

from coolid.errors import InvalidLength
from coolid.identifiers.schemes import spelling, validity

DIGITS: Final = 64

_OPENING: Final = spelling.compile_opening("sha-?256:")
_FOREIGN: Final = re.compile("[^0-9A-Fa-f]")


def compact(text: str) -> str:
    """Return the key of a spelling: without its label, lower case; unchecked."""
    return spelling.lower(text[spelling.opening_end(_OPENING, text) :])


def validate(text: str) -> str:
    """Return the key of a well-formed digest; raise `InvalidCharacter` or `InvalidLength`."""
    start = spelling.opening_end(_OPENING, text)
    spelling.check_symbols(text, start, _FOREIGN, "0-9 and a-f")
    if len(text) - start != DIGITS:
        raise InvalidLength(text, DIGITS, len(text) - start)
    return text[start:].lower()


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: with its label."""
    return "sha256:" + compact(text)


def calc_digest(content: bytes) -> str:
    """Return the key of some content."""
    return sha256(content).hexdigest()

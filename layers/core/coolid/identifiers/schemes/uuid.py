"""UUID: 128 bits, written as 32 hexadecimal digits, with or without the hyphens of 8-4-4-4-12.

Specification: RFC 9562, section 4 (forms, variant, version), 5.4 (version 4, random) and 5.7 (version 7, milliseconds
since 1970 and random bits). The key is 32 digits in lower case, as LinkIDs have it; any variant and version is valid
unless versions are required.

>>> validate("urn:uuid:1BC2F359-47E4-5DA6-A748-74676B7C8C5D")
'1bc2f35947e45da6a74874676b7c8c5d'
>>> parse("017f22e279b07cc398c4dc0c0c07398f")
Uuid(hex='017f22e279b07cc398c4dc0c0c07398f', variant='RFC 9562', version=7, milliseconds=1645557742000)
"""

import re
from collections.abc import Container
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import spelling, validity
from coolid.ports import Entropy

DIGITS: Final = 32
STANDARD: Final = "RFC 9562"
MILLISECONDS_LIMIT: Final = 2**48

_OPENING: Final = spelling.compile_opening("urn:uuid:", "uuid:")
_FOREIGN: Final = re.compile("[^0-9A-Fa-f-]")
_HYPHENATED: Final = re.compile("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_VARIANTS: Final = ("NCS",) * 8 + (STANDARD,) * 4 + ("Microsoft",) * 2 + ("reserved",) * 2


class Uuid(Struct, frozen=True):
    """The information in a UUID.

    `version` is None in variants other than RFC 9562's; `milliseconds` since 1970 are None except in version 7.
    """

    hex: str
    variant: str
    version: int | None
    milliseconds: int | None = None

    def __str__(self) -> str:
        return format(self.hex)


def compact(text: str) -> str:
    """Return the key of a spelling: 32 digits in lower case; unchecked."""
    return spelling.lower(text[spelling.opening_end(_OPENING, text) :].replace("-", ""))


def validate(text: str, versions: Container[int] | None = None) -> str:
    """Return the key of a valid UUID, of one of these versions if supplied; raise `InvalidIdentifier` or a subclass."""
    start = spelling.opening_end(_OPENING, text)
    spelling.check_symbols(text, start, _FOREIGN, "0-9, a-f, or a hyphen")
    key = text[start:].replace("-", "").lower()
    if len(key) != DIGITS:
        raise InvalidLength(text, DIGITS, len(key))
    if len(text) - start != DIGITS and not _HYPHENATED.fullmatch(text, start):
        raise InvalidIdentifier(text, "its hyphens do not divide it into 8-4-4-4-12 digits")
    if versions is not None:
        version = _version(key)
        if version is None:
            raise InvalidIdentifier(text, f"its variant is {_variant(key)}, which has no versions")
        if version not in versions:
            raise InvalidIdentifier(text, f"its version is {version}, which is not one of the allowed versions")
    return key


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: 8-4-4-4-12 digits."""
    key = compact(text)
    return "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:]))


def generate(entropy: Entropy, milliseconds: int | None = None) -> str:
    """Return the key of a new UUID: version 7 of this moment (since 1970, below 2**48), or version 4 without one."""
    if milliseconds is None:
        return _stamp(int.from_bytes(entropy.token(16), "big"), 4)
    if not 0 <= milliseconds < MILLISECONDS_LIMIT:
        raise ValueError(f"{milliseconds} milliseconds since 1970 do not fit a UUID of version 7")
    return _stamp(milliseconds << 80 | int.from_bytes(entropy.token(10), "big"), 7)


def parse(text: str) -> Uuid:
    """Return the information in a valid UUID; raises the errors of `validate`."""
    key = validate(text)
    version = _version(key)
    return Uuid(key, _variant(key), version, int(key[:12], 16) if version == 7 else None)


def _variant(key: str) -> str:
    return _VARIANTS[int(key[16], 16)]


def _version(key: str) -> int | None:
    return int(key[12], 16) if _variant(key) == STANDARD else None


def _stamp(bits: int, version: int) -> str:
    """Return the key of 128 bits, with this version and the variant of RFC 9562."""
    return f"{bits & ~(0xF << 76) & ~(0b11 << 62) | version << 76 | 0b10 << 62:032x}"

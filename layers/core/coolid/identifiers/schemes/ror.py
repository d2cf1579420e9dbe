"""ROR id: a research organization's identifier, a `0`, six symbols of base32 and two check digits.

Specification: ROR documentation, "ROR identifier pattern": the check digits are ISO 7064 MOD 97-10 over the integer of
the symbols, as in a LUI of seven symbols whose first is always 0. The identifier proper is the URL. (Most tools
only have a pattern, which accepts any two digits at the end.)

>>> validate("https://ror.org/03yrm5c26")
'03yrm5c26'
>>> decode("03YRM5C26")
132927660
"""

import re
from typing import Final

from coolid.errors import InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import crockford, spelling, validity
from coolid.ports import Entropy

SYMBOLS: Final = 7
"""Including the leading 0, without the check digits."""
CAPACITY: Final = 32**6

_OPENING: Final = spelling.compile_opening(r"(?:https?://)?(?:www\.)?ror\.org/", "ror:")
_USUAL: Final = re.compile(rf"(?:https://ror\.org/)?(0[{crockford.ALPHABET}]{{6}}[0-9]{{2}})")
"""The two forms that ROR itself uses."""


def compact(text: str) -> str:
    """Return the key of a spelling: what follows the address, read as base32; unchecked."""
    return crockford.compact(text[spelling.opening_end(_OPENING, text) :])


def validate(text: str) -> str:
    """Return the nine symbols of a valid identifier; raise `InvalidIdentifier` or a subclass."""
    usual = _USUAL.fullmatch(text)
    key = usual[1] if usual else _symbols(text)
    crockford.check(text, key, SYMBOLS)
    return key


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: the URL."""
    return "https://ror.org/" + compact(text)


def encode(number: int) -> str:
    """Return the key of an integer, 0 <= number < 32**6; raise `ValueError` outside."""
    if number >= CAPACITY:
        raise ValueError(f"{number} does not fit the six symbols of a ROR id")
    return crockford.encode(number, SYMBOLS, checked=True)


def decode(text: str) -> int:
    """Return the integer of a valid identifier; raises the errors of `validate`."""
    return crockford.to_integer(validate(text)[:SYMBOLS])


def generate(entropy: Entropy) -> str:
    """Return a random key for tests and examples; only ROR assigns real ones."""
    return encode(entropy.below(CAPACITY))


def _symbols(text: str) -> str:
    """Return the symbols of a ROR id, the first a 0; raises the errors of `validate`."""
    key = crockford.symbols_of(text, spelling.opening_end(_OPENING, text))
    if len(key) != SYMBOLS + crockford.CHECK_DIGITS:
        raise InvalidLength(text, SYMBOLS + crockford.CHECK_DIGITS, len(key))
    if key[0] != "0":
        raise InvalidIdentifier(text, f"it begins with {key[0]}; every ROR id begins with 0")
    return key

"""LUI: a random integer in Crockford's base32 with two ISO 7064 MOD 97-10 check digits.

Specification: "Cool LUIs Don't Change" (the choice of alphabet, width and check); D. Crockford, "Base 32" (symbols,
hyphens, `O` read as 0, `I` and `L` as 1); ISO/IEC 7064 (MOD 97-10). An identifier has a fixed number of symbols, by
default 8 (1 to 12, so that the integer fits 64 bits), and the two decimal check digits. Hyphens may occur anywhere, and
case does not matter.

>>> format(encode(923446243762))
'tw0t-ywdj-94'
>>> decode("TWOT-YWDJ94")
923446243762
"""

from typing import Final

from coolid.identifiers.schemes import crockford, validity
from coolid.ports import Entropy

ALPHABET: Final = crockford.ALPHABET
CHECK_DIGITS: Final = crockford.CHECK_DIGITS
DEFAULT_SYMBOLS: Final = 8
MAX_SYMBOLS: Final = crockford.MAX_SYMBOLS

compact = crockford.compact
format = crockford.format
calc_check_digits = crockford.calc_check_digits


def validate(text: str, symbols: int = DEFAULT_SYMBOLS) -> str:
    """Return the compact form of a valid identifier of this width; raises the errors of `crockford.validate`."""
    return crockford.validate(text, symbols, checked=True)


is_valid = validity(validate)


def encode(number: int, symbols: int = DEFAULT_SYMBOLS) -> str:
    """Return the compact identifier of an integer, 0 <= number < 32**symbols; raise `ValueError` outside."""
    return crockford.encode(number, symbols, checked=True)


def decode(text: str, symbols: int = DEFAULT_SYMBOLS) -> int:
    """Return the integer of a valid identifier of this width; raises the errors of `validate`."""
    return crockford.decode(text, symbols, checked=True)


def generate(entropy: Entropy, symbols: int = DEFAULT_SYMBOLS) -> str:
    """Return a random compact identifier, which may be taken."""
    return crockford.generate(entropy, symbols, checked=True)

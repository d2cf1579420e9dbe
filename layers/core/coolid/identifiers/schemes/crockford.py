"""Crockford's base32: an integer as a fixed number of symbols that are easy to read, type and say.

Specification: D. Crockford, "Base 32": the digits and the letters without I, L, O and U; case does not matter, hyphens
may occur anywhere, and `O` is read as 0, `I` and `L` as 1. `checked` identifiers end with the two check digits of
ISO/IEC 7064 (MOD 97-10), which are decimal.

>>> format(encode(923446243762, 8))
'tw0t-ywdj'
>>> decode("TWOT-YWDJ", 8), decode("TWOT-YWDJ-94", 8, checked=True)
(923446243762, 923446243762)
"""

import re
from functools import cache
from typing import Final

from coolid.errors import InvalidCharacter, InvalidCheck, InvalidLength
from coolid.identifiers.schemes import validity
from coolid.ports import Entropy

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
MAX_SYMBOLS: Final = 12
"""With 12 symbols the integer fits 64 bits."""
GROUP: Final = 4
CHECK_DIGITS: Final = 2

_SPELLINGS: Final = "0-9 and a-z without u (i and l are read as 1, o as 0), or a hyphen"
_PYTHON_DIGITS: Final = b"0123456789abcdefghijklmnopqrstuv"  # what int(text, 32) reads
_TO_CANONICAL: Final = bytes.maketrans(ALPHABET.upper().encode() + b"oOiIlL", ALPHABET.encode() + b"001111")
_TO_PYTHON: Final = bytes.maketrans(ALPHABET.encode(), _PYTHON_DIGITS)
_FOREIGN: Final = "[^0-9A-TV-Za-tv-z-]"  # I, L and O are read as digits; only U is invalid
_SHIFTS: Final = tuple([tuple(range(0, 5 * symbols, 10))[::-1] for symbols in range(MAX_SYMBOLS + 1)])


def compact(text: str) -> str:
    """Return the key of a spelling: lower case, no hyphens, confusable letters as digits; unchecked."""
    # Bytes are translated four times faster than text; in UTF-8, ASCII bytes have no other meaning.
    return text.encode("utf-8", "surrogatepass").translate(_TO_CANONICAL, b"-").decode("utf-8", "surrogatepass")


def symbols_of(text: str, start: int = 0) -> str:
    """Return the compact form of the text from `start` on, of any length; may raise `InvalidCharacter`."""
    key = compact(text[start:] if start else text)
    if key.strip(ALPHABET):  # other symbols
        foreign = re.compile(_FOREIGN).search(text, start)
        assert foreign is not None
        raise InvalidCharacter(text, foreign.start(), _SPELLINGS)
    return key


def validate(text: str, symbols: int, *, checked: bool = False) -> str:
    """Return the compact form of so many symbols and, if `checked`, check digits; raise `InvalidIdentifier`."""
    key = symbols_of(text)
    size = symbols + CHECK_DIGITS if checked else symbols
    if len(key) != size:
        raise InvalidLength(text, size, len(key))
    if checked:
        check(text, key, symbols)
    return key


def check(text: str, key: str, symbols: int) -> None:
    """Raise `InvalidCheck` unless the check digits of a compact form fit the symbols before them."""
    expected = calc_check_digits(to_integer(key[:symbols]))
    if key[symbols:] != expected:
        raise InvalidCheck(text, expected=expected, found=key[symbols:])


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: the compact form with a hyphen every four symbols."""
    return group(compact(text))


def group(key: str) -> str:
    """Return a compact form with a hyphen every four symbols."""
    return "-".join([key[start : start + GROUP] for start in range(0, len(key), GROUP)])


def encode(number: int, symbols: int, *, checked: bool = False) -> str:
    """Return the compact identifier of an integer, 0 <= number < 32**symbols, symbols <= 12; or `ValueError`."""
    if not 1 <= symbols <= MAX_SYMBOLS:
        raise ValueError(f"symbols must be from 1 to {MAX_SYMBOLS}, not {symbols}")
    if not 0 <= number < 32**symbols:
        raise ValueError(f"{number} does not fit {symbols} symbols")
    pairs = _pairs()
    text = "".join([pairs[number >> shift & 1023] for shift in _SHIFTS[symbols]])
    return text[symbols % 2 :] + (calc_check_digits(number) if checked else "")


def decode(text: str, symbols: int, *, checked: bool = False) -> int:
    """Return the integer of a valid identifier of this many symbols; raises the errors of `validate`."""
    return to_integer(validate(text, symbols, checked=checked)[:symbols])


def generate(entropy: Entropy, symbols: int, *, checked: bool = False) -> str:
    """Return a random compact identifier, which may be taken."""
    return encode(entropy.below(32**symbols), symbols, checked=checked)


def calc_check_digits(number: int) -> str:
    """Return the two decimal check digits, 02 to 98."""
    return f"{98 - number * 100 % 97:02d}"


@cache
def _pairs() -> tuple[str, ...]:
    """Return all pairs of symbols. They are made on first use, because a redirect needs none."""
    return tuple([high + low for high in ALPHABET for low in ALPHABET])


def to_integer(key: str) -> int:
    """Return the integer of symbols in compact form."""
    return int(key.encode().translate(_TO_PYTHON), 32)

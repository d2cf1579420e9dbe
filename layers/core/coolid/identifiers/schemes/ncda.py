"""NCDA: the check character of NOIDs and of many ARKs.

Specification: J. Kunze and M. Russell, "Noid", section "Noid Check Digit Algorithm": the sum of each character's
position, from 1, times its index in an alphabet of 29, modulo 29; a character outside the alphabet, such as the slash
after a NAAN, counts 0. In zones of up to 28 characters, each single substitution within the alphabet and each
transposition is detected.

>>> calc_check_digit("13030/xf93gt2")
'q'
>>> validate("13030/xf93gt2q")
'13030/xf93gt2q'
"""

import re
from itertools import count
from operator import mul
from typing import Final

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling

ALPHABET: Final = "0123456789bcdfghjkmnpqrstvwxz"
SYMBOLS: Final = "0-9 and b-z without vowels, l and y"
MAX_SYMBOLS: Final = 28
"""The longest zone, including the check character, in which these errors are always detected."""

_FOREIGN: Final = re.compile("[^0-9b-df-hj-km-np-tv-xz/-]")


class _Ordinals(dict[str, int]):
    def __missing__(self, symbol: str) -> int:
        return 0


_ORDINALS: Final = _Ordinals(zip(ALPHABET, count(), strict=False))


def compact(text: str) -> str:
    """Return the zone without hyphens, which have no meaning in an ARK; unchecked."""
    return text.replace("-", "")


def validate(text: str) -> str:
    """Return the compact zone (alphabet, slashes) if its check character is correct; else raise `InvalidIdentifier`."""
    spelling.check_symbols(text, 0, _FOREIGN, f"{SYMBOLS}, / and -")
    key = compact(text)
    if len(key) < 2 or key[-1] == "/":
        raise InvalidIdentifier(text, "it has no check character with something to check before it")
    spelling.check_last(text, key, calc_check_digit)
    return key


def calc_check_digit(zone: str) -> str:
    """Return the check character of a zone, which includes NAAN and slash if the check covers them."""
    return ALPHABET[weighted_sum(zone) % len(ALPHABET)]


def weighted_sum(text: str, first: int = 1) -> int:
    """Return the sum of each position, from `first`, times the index in the alphabet."""
    return sum(map(mul, map(_ORDINALS.__getitem__, text), count(first)))


def ordinal(symbol: str) -> int:
    """Return a character's index in the alphabet, or 0."""
    return _ORDINALS[symbol]

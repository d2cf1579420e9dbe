"""NCDA: the check character of NOIDs and of many ARKs.

Specification: J. Kunze and M. Russell, "Noid", section "Noid Check Digit Algorithm": the sum of each character's
position, from 1, times its place in an alphabet of 29, modulo 29; a character outside the alphabet, such as the slash
behind a NAAN, counts 0. Every wrong character of the alphabet and every two that changed places are caught, in zones of
up to 28 characters.

>>> calc_check_digit("13030/xf93gt2")
'q'
>>> validate("13030/xf93gt2q")
'13030/xf93gt2q'
"""

import re
from itertools import count
from operator import mul
from typing import Final

from coolid.errors import InvalidCheck, InvalidIdentifier
from coolid.identifiers.schemes import spelling

ALPHABET: Final = "0123456789bcdfghjkmnpqrstvwxz"
SYMBOLS: Final = "0-9 and b-z without vowels, l and y"
SURE_SYMBOLS: Final = 28
"""The longest zone, check character included, for which the promise holds."""

_FOREIGN: Final = re.compile("[^0-9b-df-hj-km-np-tv-xz/-]")


class _Ordinals(dict[str, int]):
    def __missing__(self, symbol: str) -> int:
        return 0


_ORDINALS: Final = _Ordinals(zip(ALPHABET, count(), strict=False))


def compact(text: str) -> str:
    """The zone without hyphens, which mean nothing in an ARK; unchecked."""
    return text.replace("-", "")


def validate(text: str) -> str:
    """The compact form of a zone (alphabet, slashes) whose last character is the check of what stands before it.

    Raises `InvalidCharacter`, `InvalidIdentifier` or `InvalidCheck`.

    >>> validate("13030/xf93tg2q")
    Traceback (most recent call last):
    ...
    coolid.errors.InvalidCheck: its check digits are q, but the other symbols call for c
    """
    spelling.check_symbols(text, 0, _FOREIGN, f"{SYMBOLS}, / and -")
    key = compact(text)
    if len(key) < 2 or key[-1] == "/":
        raise InvalidIdentifier(text, "it has no check character with something to check before it")
    check(text, key[:-1], key[-1])
    return key


def check(text: str, zone: str, found: str) -> None:
    """`InvalidCheck` unless `found` is the check character of the zone."""
    expected = calc_check_digit(zone)
    if found != expected:
        raise InvalidCheck(text, expected=expected, found=found)


def calc_check_digit(zone: str) -> str:
    """The check character of what stands before it, NAAN and slash included where they belong to the zone."""
    return ALPHABET[weigh(zone) % len(ALPHABET)]


def weigh(text: str, first: int = 1) -> int:
    """The sum of position, the first being `first`, times place in the alphabet."""
    return sum(map(mul, map(_ORDINALS.__getitem__, text), count(first)))


def ordinal(symbol: str) -> int:
    """A character's place in the alphabet; 0 if it has none."""
    return _ORDINALS[symbol]

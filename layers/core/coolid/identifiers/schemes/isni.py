"""ISNI: International Standard Name Identifier, fifteen digits and a check character.

Specification: ISO 27729: the check is ISO 7064 MOD 11-2 (`X` for ten), and the number is written in four groups with
spaces between. It is the only scheme here that accepts spaces, single ones between its groups; python-stdnum
accepts them anywhere, and look-alike hyphens, too, so only its arithmetic is used.

>>> validate("0000 0001 2281 955X")
'000000012281955X'
>>> format("https://isni.org/isni/000000012281955X")
'0000 0001 2281 955X'
"""

import re
from typing import Final

from coolid.identifiers.schemes import spelling, validity

DIGITS: Final = 16

_OPENING: Final = spelling.compile_opening("isni[: ]", r"(?:https?://)?(?:www\.)?isni\.org/(?:isni/)?")
_GROUPED: Final = re.compile("[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{3}[0-9Xx]")


def compact(text: str) -> str:
    """Return the key of a spelling: digits and `X` only, without address and separators; unchecked."""
    return spelling.compact_number(_ungrouped(text), _OPENING)


def validate(text: str) -> str:
    """Return the sixteen characters of a valid number; raise `InvalidCharacter`, `InvalidLength` or `InvalidCheck`."""
    return spelling.checked_number(_ungrouped(text), _OPENING, DIGITS, calc_check_digit)


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: four groups with spaces between."""
    key = compact(text)
    return " ".join((key[:4], key[4:8], key[8:12], key[12:]))


def calc_check_digit(digits: str) -> str:
    """Return the check character of fifteen digits."""
    from stdnum.iso7064 import mod_11_2  # python-stdnum loads slowly, and few texts are numbers

    return mod_11_2.calc_check_digit(digits)


def _ungrouped(text: str) -> str:
    """Return the text with hyphens for the spaces between its groups, if it has them."""
    if " " not in text:
        return text
    start = spelling.opening_end(_OPENING, text)
    return text[:start] + text[start:].replace(" ", "-") if _GROUPED.fullmatch(text, start) else text

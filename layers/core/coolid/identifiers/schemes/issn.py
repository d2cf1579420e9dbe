"""ISSN: International Standard Serial Number, seven digits and a check character.

Specification: ISO 3297: weights 8 to 2, modulo 11 (`X` for ten), a hyphen in the middle. The check is python-stdnum's;
its parser is not used, because it accepts spaces and look-alike hyphens.

>>> format("ISSN:03785955")
'0378-5955'
>>> validate("0378-5954")
Traceback (most recent call last):
...
coolid.errors.InvalidCheck: its check digits are 4, but the other symbols call for 5
"""

from functools import partial
from typing import Final

from coolid.identifiers.schemes import spelling, validity

DIGITS: Final = 8

_OPENING: Final = spelling.compile_opening(r"(?:urn:)?e?issn:", r"https?://portal\.issn\.org/resource/issn/")


def calc_check_digit(digits: str) -> str:
    """Return the check character of seven digits."""
    from stdnum import issn  # python-stdnum loads slowly, and few texts are numbers

    return issn.calc_check_digit(digits)


compact = partial(spelling.compact_number, opening=_OPENING)
"""Return the key of a spelling: digits and `X` only, without label and hyphens; unchecked."""
validate = partial(spelling.checked_number, opening=_OPENING, size=DIGITS, calc_check_digit=calc_check_digit)
"""Return the eight characters of a valid number; raise `InvalidCharacter`, `InvalidLength` or `InvalidCheck`."""
is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: a hyphen in the middle."""
    key = compact(text)
    return f"{key[:4]}-{key[4:]}"

"""ISBN: International Standard Book Number, of 10 or 13 digits; the key is always that of 13.

Specification: ISO 2108; ISBN Users' Manual. Thirteen digits are an EAN that begins with 978 or 979 (but not 979-0,
which is printed music). Ten digits lack 978 and have a check of their own, weights 10 to 2 modulo 11 (`X` for ten). The
EAN check and the ranges between hyphens are python-stdnum's. Its parser is not used, because it accepts spaces,
look-alike hyphens, nine digits, and printed music.

>>> validate("ISBN:0-14-029161-X")
'9780140291612'
>>> format("9780140291612")
'978-0-14-029161-2'
"""

from operator import mul
from typing import Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import spelling, validity

BOOKLAND: Final = "978"

_OPENING: Final = spelling.compile_opening(r"(?:urn:)?isbn(?:-1[03])?:", "isbn")
_WEIGHTS: Final = range(1, 10)


class Isbn(Struct, frozen=True):
    """The parts of an ISBN of 13 digits, between its hyphens; empty if the range is unknown."""

    prefix: str
    group: str
    registrant: str
    publication: str
    check: str

    def __str__(self) -> str:
        parts = (self.prefix, self.group, self.registrant, self.publication, self.check)
        return "-".join(part for part in parts if part)


def compact(text: str) -> str:
    """Return the key of a spelling: thirteen digits, without label and hyphens; any other text stays, unchecked."""
    key = spelling.compact_number(text, _OPENING)
    return _thirteen(key) if len(key) == 10 and is_valid(key) else key


def validate(text: str) -> str:
    """Return the thirteen digits of a valid number; raise `InvalidCharacter`, `InvalidIdentifier` or `InvalidCheck`."""
    key = spelling.number_of(text, _OPENING)
    if len(key) not in (10, 13):
        raise InvalidIdentifier(text, f"it has {len(key)} digits; an ISBN has 10 or 13 (hyphens do not count)")
    if len(key) == 13 and (key[:3] not in (BOOKLAND, "979") or key[:4] == "9790"):
        raise InvalidIdentifier(text, "it begins neither with 978 nor with 979 and a digit other than 0")
    spelling.check_last(text, key, calc_check_digit)
    return key if len(key) == 13 else _thirteen(key)


is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form of a valid number: thirteen digits with hyphens; raises the errors of `validate`."""
    return str(parse(text))


def parse(text: str) -> Isbn:
    """Return the parts of a valid number; raises the errors of `validate`."""
    from stdnum import isbn  # python-stdnum loads slowly, and few texts are numbers

    return Isbn(*isbn.split(validate(text)))


def calc_check_digit(digits: str) -> str:
    """Return the check character of nine digits, or of the first twelve of thirteen."""
    if len(digits) == 12:
        from stdnum import ean

        return ean.calc_check_digit(digits)
    total = sum(map(mul, _WEIGHTS, map(int, digits))) % 11
    return "X" if total == 10 else str(total)


def _thirteen(ten: str) -> str:
    digits = BOOKLAND + ten[:-1]
    return digits + calc_check_digit(digits)

"""Bibcode: the bibliographic code of the Astrophysics Data System, `YYYYJJJJJVVVVMPPPPA`, 19 characters.

Specification: SAO/NASA ADS, "Bibliographic Codes (bibcodes)". A code consists of the year, the abbreviated publication
(left-justified), the volume (right-justified), a qualifier such as `L` for a letter, the page (right-justified), and
the first letter of the author's name. Dots fill the gaps. Case matters, and there is no check character.

>>> validate("bibcode:2019ApJ...882L..12A")
'2019ApJ...882L..12A'
>>> is_valid("2019ApJ...882L..12"), is_valid("2019arXiv190401678C")
(False, True)
"""

import re
from typing import Final

from coolid.errors import InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import spelling, validity

CHARACTERS: Final = 19

_OPENING: Final = spelling.compile_opening("bibcode:", "ads:", r"https?://ui\.adsabs\.harvard\.edu/abs/")
_FORM: Final = re.compile(r"[12][0-9]{3}[A-Za-z][A-Za-z0-9&.]{4}[A-Za-z0-9.]{4}[A-Za-z0-9.][A-Za-z0-9.]{4}[A-Za-z.:]")


def compact(text: str) -> str:
    """Return the key of a spelling: without label and address; unchecked."""
    return text[spelling.opening_end(_OPENING, text) :].replace("%26", "&")


def validate(text: str) -> str:
    """Return the nineteen characters of a valid code; raise `InvalidLength` or `InvalidIdentifier`."""
    key = compact(text)
    if len(key) != CHARACTERS:
        raise InvalidLength(text, CHARACTERS, len(key))
    if not _FORM.fullmatch(key):
        raise InvalidIdentifier(text, "it is not a year, a publication, a volume, a page and an initial")
    return key


is_valid = validity(validate)


format = compact
"""Return the display form, which is the key."""

"""ORCID iD: an ISNI that identifies a researcher, `0000-0002-1825-0097`.

Specification: ORCID, "Structure of the ORCID Identifier": sixteen characters, the last of them the check character of
ISO 7064 MOD 11-2, hyphens every four. Numbers outside the blocks that ISNI set aside for ORCID are valid, too.

>>> format("https://orcid.org/0000-0001-5699-994x")
'0000-0001-5699-994X'
>>> validate("0000-0002-1825-0098")
Traceback (most recent call last):
...
coolid.errors.InvalidCheck: its check digits are 8, but the other symbols call for 7
"""

from functools import partial
from typing import Final

from coolid.identifiers.schemes import isni, spelling, validity

DIGITS: Final = isni.DIGITS
_OPENING: Final = spelling.compile_opening("orcid:", r"(?:https?://)?(?:www\.)?orcid\.org/")

calc_check_digit = isni.calc_check_digit


compact = partial(spelling.compact_number, opening=_OPENING)
"""Return the key of a spelling: digits and `X` only, without address and hyphens; unchecked."""
validate = partial(spelling.checked_number, opening=_OPENING, size=DIGITS, calc_check_digit=calc_check_digit)
"""Return the sixteen characters of a valid iD; raise `InvalidCharacter`, `InvalidLength` or `InvalidCheck`."""
is_valid = validity(validate)


def format(text: str) -> str:
    """Return the display form: hyphens every four characters."""
    key = compact(text)
    return "-".join((key[:4], key[4:8], key[8:12], key[12:]))

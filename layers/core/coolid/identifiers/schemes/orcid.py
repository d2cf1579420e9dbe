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

from typing import Final

from coolid.errors import InvalidCheck, InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import isni, spelling

DIGITS: Final = isni.DIGITS
_OPENING: Final = spelling.compile_opening("orcid:", r"(?:https?://)?(?:www\.)?orcid\.org/")


def compact(text: str) -> str:
    """Return the key of a spelling: digits and `X` only, without address and hyphens; unchecked."""
    return spelling.upper(text[spelling.opening_end(_OPENING, text) :].replace("-", ""))


def validate(text: str) -> str:
    """Return the sixteen characters of a valid iD; raise `InvalidCharacter`, `InvalidLength` or `InvalidCheck`."""
    key = spelling.number_of(text, _OPENING)
    if len(key) != DIGITS:
        raise InvalidLength(text, DIGITS, len(key))
    expected = calc_check_digit(key[:-1])
    if key[-1] != expected:
        raise InvalidCheck(text, expected=expected, found=key[-1])
    return key


def is_valid(text: str) -> bool:
    """Return whether `validate` accepts the text.

    >>> is_valid("0000-0001-5109-3700"), is_valid("0000-0001-5109-3701")
    (True, False)
    """
    try:
        validate(text)
    except InvalidIdentifier:
        return False
    return True


def format(text: str) -> str:
    """Return the display form: hyphens every four characters."""
    key = compact(text)
    return "-".join((key[:4], key[4:8], key[8:12], key[12:]))


def calc_check_digit(digits: str) -> str:
    """Return the check character of fifteen digits.

    >>> calc_check_digit("000000021825009")
    '7'
    """
    return isni.calc_check_digit(digits)

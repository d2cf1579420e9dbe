"""PILIN: the suffix of a Handle as a count of milliseconds in base 31, its digits reversed, nine characters.

Specification: "Handle Suffix Format Policy for the PILIN Project", V1.0, section 4: milliseconds since the UUID epoch,
00:00 UTC on 15 October 1582 (RFC 9562, section 5.1), written with the digits and the letters without A, E, I, O and U.
Reversing puts the fastest digit first. Case does not matter in Handles, so the key is in the policy's upper
case. A millisecond has one suffix; the caller must ensure that no two writers use the same millisecond.

>>> encode(13399357792865)
'Y35XYS0QH'
>>> decode("y35xys0qh").isoformat(timespec="milliseconds")
'2007-05-25T03:49:52.865+00:00'
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from coolid.errors import InvalidCharacter, InvalidLength
from coolid.identifiers.schemes import spelling, validity

ALPHABET: Final = "0123456789BCDFGHJKLMNPQRSTVWXYZ"
EPOCH: Final = datetime(1582, 10, 15, tzinfo=UTC)
SYMBOLS: Final = 9
CAPACITY: Final = 31**SYMBOLS
"""Sufficient until the year 2420."""

_MILLISECOND: Final = timedelta(milliseconds=1)
_FOREIGN: Final = re.compile("[^0-9B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]")
_PYTHON_DIGITS: Final = "0123456789abcdefghijklmnopqrstu"  # what int(text, 31) reads
_TO_PYTHON: Final = str.maketrans(ALPHABET, _PYTHON_DIGITS)
_TRIPLES: Final = tuple(low + middle + high for high in ALPHABET for middle in ALPHABET for low in ALPHABET)


def compact(text: str) -> str:
    """Return the key of a spelling: upper case; unchecked."""
    return spelling.upper(text)


def validate(text: str) -> str:
    """Return the key of a valid suffix; raise `InvalidCharacter` or `InvalidLength`."""
    found = _FOREIGN.search(text)
    if found:
        raise InvalidCharacter(text, found.start(), "0-9 and B-Z without E, I, O and U")
    if len(text) != SYMBOLS:
        raise InvalidLength(text, SYMBOLS, len(text))
    return text.upper()


is_valid = validity(validate)
format = compact
"""Return the display form, which is the key."""


def encode(milliseconds: int) -> str:
    """Return the suffix of milliseconds since the epoch, 0 <= milliseconds < 31**9; raise `ValueError` outside."""
    if not 0 <= milliseconds < CAPACITY:
        raise ValueError(f"{milliseconds} milliseconds since 1582 do not fit {SYMBOLS} characters")
    rest, low = divmod(milliseconds, 29791)
    high, middle = divmod(rest, 29791)
    return _TRIPLES[low] + _TRIPLES[middle] + _TRIPLES[high]


generate = encode
"""Return the suffix of a millisecond that is reserved for the caller."""


def to_milliseconds(text: str) -> int:
    """Return the milliseconds since the epoch in a valid suffix; raises the errors of `validate`."""
    return int(validate(text)[::-1].translate(_TO_PYTHON), 31)


def decode(text: str) -> datetime:
    """Return the moment in a valid suffix, aware, in UTC; raises the errors of `validate`."""
    return EPOCH + to_milliseconds(text) * _MILLISECOND


def milliseconds_at(moment: datetime) -> int:
    """Return the whole milliseconds from the epoch to an aware moment, the argument of `encode`."""
    return (moment - EPOCH) // _MILLISECOND

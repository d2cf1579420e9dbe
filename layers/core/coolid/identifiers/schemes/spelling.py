"""Spelling: what the schemes share in reading the text of an identifier, each function in linear time.

Identifiers are ASCII here. Python's own case folding and digit classes are not (`"K".lower()` of the Kelvin sign is
`k`, `\\d` takes every script's digits), so nothing is folded or searched before it is known to be ASCII.

>>> opening = opening_of("isbn:", "urn:isbn:")
>>> "ISBN:0-14-029161-X"[end_of(opening, "ISBN:0-14-029161-X"):]
'0-14-029161-X'
>>> number_of("isbn:0-14-029161-x", opening)
'014029161X'
"""

import re
from re import Match, Pattern
from typing import Final
from urllib.parse import unquote_to_bytes

from coolid.errors import InvalidCharacter, InvalidIdentifier

VISIBLE: Final = "letters, digits and signs of ASCII"
BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")

_NOT_VISIBLE: Final = re.compile("[^!-~]")
_NOT_NUMBER: Final = re.compile("[^0-9Xx-]")
_URL_END: Final = re.compile(r"\?|#(?=.)", re.DOTALL)


def lower(text: str) -> str:
    """ASCII letters in lower case; a text with any other symbol stays as it is."""
    return text.lower() if text.isascii() else text


def upper(text: str) -> str:
    """ASCII letters in upper case; a text with any other symbol stays as it is."""
    return text.upper() if text.isascii() else text


def opening_of(*patterns: str) -> Pattern[str]:
    """Labels and addresses that may stand before an identifier, as patterns; case does not matter."""
    return re.compile("|".join(patterns), re.ASCII | re.IGNORECASE)


def end_of(opening: Pattern[str], text: str) -> int:
    """Where the identifier begins: behind the opening, 0 if it has none."""
    found = opening.match(text)
    return found.end() if found else 0


def check_symbols(text: str, start: int, foreign: Pattern[str], allowed: str) -> None:
    """`InvalidCharacter` for the first symbol at or behind `start` that `foreign` finds."""
    found = foreign.search(text, start)
    if found:
        raise InvalidCharacter(text, found.start(), allowed)


def check_visible(text: str, start: int = 0) -> None:
    """`InvalidCharacter` for the first symbol that is a space, a control character or not ASCII.

    >>> check_visible("10.1000/18\\uff12")
    Traceback (most recent call last):
    ...
    coolid.errors.InvalidCharacter: character 11, '\\uff12', is not one of the symbols it may have: letters, \
digits and signs of ASCII
    """
    check_symbols(text, start, _NOT_VISIBLE, VISIBLE)


def number_of(text: str, opening: Pattern[str]) -> str:
    """The digits, and an `X` at the end, of a number that is written with hyphens behind an opening, or without one.

    No opening begins with a digit or a hyphen, so what is nothing but the number needs no search.
    """
    bare = text.replace("-", "").upper()
    if text.isascii() and (bare.isdigit() or (bare[:-1].isdigit() and bare[-1] == "X")):
        return bare
    start = end_of(opening, text)
    check_symbols(text, start, _NOT_NUMBER, "0-9, X at the end, or a hyphen")
    key = text[start:].replace("-", "").upper()
    if "X" in key[:-1]:
        raise InvalidCharacter(text, text.upper().index("X", start), "0-9, X at the end, or a hyphen")
    return key


def escape_reason(text: str, bad: Match[str]) -> str:
    """What is wrong with the escape that `BAD_ESCAPE` found in a text."""
    return f"the escape {text[bad.start() : bad.start() + 3]!a} is not a percent sign and two hexadecimal digits"


def from_address(text: str, start: int) -> str:
    """The identifier in a URL that begins at `start`: without query and fragment, decoded once.

    A `#` with nothing behind it begins no fragment: it is the last symbol of an identifier that was pasted unescaped,
    as in the FAIR PIDs seed's `https://doi.org/10.1002/…3.3.CO;2-#`. Raises `InvalidIdentifier`.

    >>> from_address("https://doi.org/10.1002%2F(SICI)1%3C2?locatt=x", 16)
    '10.1002/(SICI)1<2'
    """
    check_visible(text, start)
    end = _URL_END.search(text, start)
    rest = text[start : end.start()] if end else text[start:]
    if "%" not in rest:
        return rest
    bad = BAD_ESCAPE.search(rest)
    if bad:
        raise InvalidIdentifier(text, escape_reason(rest, bad))
    try:
        decoded = unquote_to_bytes(rest).decode()
    except UnicodeDecodeError:
        raise InvalidIdentifier(text, "its escapes are not valid UTF-8") from None
    hidden = _NOT_VISIBLE.search(decoded)
    if hidden:
        raise InvalidIdentifier(text, f"an escape stands for {hidden[0]!a}; it may only have {VISIBLE}")
    return decoded


def bare(text: str, address: Pattern[str], label: Pattern[str]) -> str:
    """Without its address, decoded then, or else without its label; visible ASCII only: `InvalidCharacter`."""
    start = end_of(address, text)
    if start:
        return from_address(text, start)
    start = end_of(label, text)
    check_visible(text, start)
    return text[start:]

"""Functions that the schemes share to parse the text of an identifier, each in linear time.

Identifiers are ASCII, but Python's case folding and digit classes are not: `lower()` of the Kelvin sign is `k`, and
`\\d` matches the digits of every script. Text is therefore checked to be ASCII before it is folded or searched.

>>> opening = compile_opening("isbn:", "urn:isbn:")
>>> "ISBN:0-14-029161-X"[opening_end(opening, "ISBN:0-14-029161-X"):]
'0-14-029161-X'
>>> number_of("isbn:0-14-029161-x", opening)
'014029161X'
"""

import re
from collections.abc import Callable
from re import Match, Pattern
from typing import Final
from urllib.parse import unquote_to_bytes

from coolid.errors import InvalidCharacter, InvalidCheck, InvalidIdentifier, InvalidLength

VISIBLE: Final = "letters, digits and signs of ASCII"
BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")

_NOT_VISIBLE: Final = re.compile("[^!-~]")
_NOT_NUMBER: Final = re.compile("[^0-9Xx-]")
_URL_END: Final = re.compile(r"\?|#(?=.)", re.DOTALL)


def lower(text: str) -> str:
    """Return an ASCII text in lower case, any other text unchanged."""
    return text.lower() if text.isascii() else text


def upper(text: str) -> str:
    """Return an ASCII text in upper case, any other text unchanged."""
    return text.upper() if text.isascii() else text


def compile_opening(*patterns: str) -> Pattern[str]:
    """Compile the patterns of labels and addresses that may precede an identifier; case does not matter."""
    return re.compile("|".join(patterns), re.ASCII | re.IGNORECASE)


def opening_end(opening: Pattern[str], text: str) -> int:
    """Return where the identifier begins: after the opening, or 0 without one."""
    found = opening.match(text)
    return found.end() if found else 0


def check_symbols(text: str, start: int, foreign: Pattern[str], allowed: str) -> None:
    """Raise `InvalidCharacter` for the first match of `foreign` from `start` on."""
    found = foreign.search(text, start)
    if found:
        raise InvalidCharacter(text, found.start(), allowed)


def check_visible(text: str, start: int = 0) -> None:
    """Raise `InvalidCharacter` for the first symbol that is a space, a control character or not ASCII."""
    check_symbols(text, start, _NOT_VISIBLE, VISIBLE)


def number_of(text: str, opening: Pattern[str]) -> str:
    """Return the digits, and a final `X`, of a number with or without hyphens and an opening."""
    bare = text.replace("-", "").upper()
    if text.isascii() and (bare.isdigit() or (bare[:-1].isdigit() and bare[-1] == "X")):
        return bare
    start = opening_end(opening, text)
    check_symbols(text, start, _NOT_NUMBER, "0-9, X at the end, or a hyphen")
    key = text[start:].replace("-", "").upper()
    if "X" in key[:-1]:
        raise InvalidCharacter(text, text.upper().index("X", start), "0-9, X at the end, or a hyphen")
    return key


def compact_number(text: str, opening: Pattern[str]) -> str:
    """Return a number without its opening and hyphens, in upper case; unchecked."""
    return upper(text[opening_end(opening, text) :].replace("-", ""))


def checked_number(text: str, opening: Pattern[str], size: int, calc_check_digit: Callable[[str], str]) -> str:
    """Return `number_of` with a correct last of `size` characters; raise `InvalidIdentifier` or a subclass."""
    key = number_of(text, opening)
    if len(key) != size:
        raise InvalidLength(text, size, len(key))
    check_last(text, key, calc_check_digit)
    return key


def check_last(text: str, key: str, calc_check_digit: Callable[[str], str]) -> None:
    """Raise `InvalidCheck` unless the last character of the key is calculated from the others."""
    expected = calc_check_digit(key[:-1])
    if key[-1] != expected:
        raise InvalidCheck(text, expected=expected, found=key[-1])


def escape_reason(text: str, bad: Match[str]) -> str:
    """Return the error message for a match of `BAD_ESCAPE`."""
    return f"the escape {text[bad.start() : bad.start() + 3]!a} is not a percent sign and two hexadecimal digits"


def from_address(text: str, start: int) -> str:
    """Return the identifier in a URL from `start` on: without query and fragment, decoded once.

    A final `#` begins no fragment: it is the last symbol of an identifier that was pasted unescaped, as in the FAIR
    PIDs seed's `https://doi.org/10.1002/…3.3.CO;2-#`. Raises `InvalidIdentifier`.

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


def compact_bare(text: str, address: Pattern[str], label: Pattern[str]) -> str:
    """Return the text without its address or label, in lower case; unchecked."""
    try:
        return lower(bare(text, address, label))
    except InvalidIdentifier:
        return lower(text)


def bare(text: str, address: Pattern[str], label: Pattern[str]) -> str:
    """Return the text without its address, decoded, or without its label; only visible ASCII, or `InvalidCharacter`."""
    start = opening_end(address, text)
    if start:
        return from_address(text, start)
    start = opening_end(label, text)
    check_visible(text, start)
    return text[start:]

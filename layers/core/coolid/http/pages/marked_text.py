"""Untrusted texts made readable on a page, with a part of them marked.

Invisible characters and those that change the look of the text around them (bidirectional controls: Unicode, UAX #9)
are shown by their numbers. The templates escape markup.

>>> printable("a\\u202eb")
'a⟨U+202E⟩b'
>>> mark("tw0t-ywdU-94", 8, 9)
(Piece(text='tw0t-ywd', is_marked=False), Piece(text='U', is_marked=True), Piece(text='-94', is_marked=False))
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final
from unicodedata import category, name

from msgspec import Struct

from coolid.identifiers.typography import spellings

MAX_CONTEXT: Final = 120
"""The most characters that are shown before and after the marked part, and twice as many without one."""

_ESCAPED: Final = re.compile(r"'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[0-9a-f]{5}|0010[0-9a-f]{4}))'")
_MORE: Final = "…"
_SPACE: Final = "␣"
_BEARER: Final = "◌"


class Piece(Struct, frozen=True):
    """A part of a text as it is shown."""

    text: str
    is_marked: bool = False


class TextDiff(Struct, frozen=True):
    """How one text differs from another: the `pieces` of the first, and what the other has `instead`."""

    pieces: tuple[Piece, ...]
    instead: str

    @property
    def is_marked(self) -> bool:
        """Return whether the first text has something that the other lacks."""
        return any(piece.is_marked for piece in self.pieces)


def printable(text: str) -> str:
    """Return the text with each unprintable character, lone surrogates included, as its number."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else f"⟨U+{ord(each):04X}⟩" for each in text)


def shorten(text: str) -> str:
    """Return the beginning of the text, made printable."""
    return printable(text) if len(text) <= 2 * MAX_CONTEXT else printable(text[: 2 * MAX_CONTEXT]) + _MORE


def mark(text: str, start: int, end: int) -> tuple[Piece, ...]:
    """Return the text in printable pieces: before `start`, marked, and from `end` on."""
    before, within, behind = text[:start], text[start:end], text[end:]
    if len(before) > MAX_CONTEXT:
        before = _MORE + before[-MAX_CONTEXT:]
    if len(behind) > MAX_CONTEXT:
        behind = behind[:MAX_CONTEXT] + _MORE
    pieces = (Piece(printable(before)), Piece(_make_visible(within), is_marked=True), Piece(printable(behind)))
    return tuple(piece for piece in pieces if piece.text)


def unmarked(text: str) -> tuple[Piece, ...]:
    """Return the text as one unmarked piece."""
    return (Piece(shorten(text)),) if text else ()


def character_name(symbol: str) -> str:
    """Return a printable ASCII character itself, any other as its number and name (the Unicode Standard, 4.8)."""
    if symbol.isascii() and symbol.isprintable() and symbol != " ":
        return symbol
    return f"U+{ord(symbol):04X} {name(symbol, '')}".strip()


def name_escaped_characters(reason: str) -> str:
    """Replace quoted escapes of characters in an error's reason by the characters' numbers and names.

    >>> name_escaped_characters(r"character 5, '\\u2013', is not one of the symbols")
    'character 5, U+2013 EN DASH, is not one of the symbols'
    """
    return _ESCAPED.sub(lambda escape: character_name(chr(int(escape[1] or escape[2] or escape[3], 16))), reason)


def compare(meant: str, written: str) -> TextDiff:
    """Return the difference of `meant` from what was `written`: the part between their common beginning and end.

    Case, hyphens and similar characters count only if nothing else differs. Texts of one length are then compared
    symbol by symbol.
    """
    for read in (_significant_symbols, _all_symbols):
        (start, end), (first, last) = _differing_spans(tuple(read(meant)), tuple(read(written)))
        if read is _all_symbols and len(meant) == len(written):
            return _symbol_by_symbol(meant, written)
        if start < end or first < last:
            return TextDiff(mark(meant, start, end), shorten(written[first:last]))
    return TextDiff(unmarked(meant), "")


def _make_visible(text: str) -> str:
    """Return the text with visible spaces and combining characters."""
    if text and text.isspace() and text.isprintable():
        return _SPACE * len(text)
    bearer = _BEARER if text and category(text[0])[0] == "M" else ""
    return bearer + printable(text)


def _symbol_by_symbol(meant: str, written: str) -> TextDiff:
    """Return the difference of texts of one length; `instead` has each differing symbol of the other once."""
    pieces: list[Piece] = []
    for differs, pairs in groupby(zip(meant, written, strict=True), lambda pair: pair[0] != pair[1]):
        text = "".join(one for one, _ in pairs)
        pieces.append(Piece(_make_visible(text) if differs else printable(text), is_marked=differs))
    others = dict.fromkeys(other for one, other in zip(meant, written, strict=True) if one != other)
    return TextDiff(tuple(pieces), shorten("".join(others)))


def _significant_symbols(text: str) -> Iterator[tuple[int, str]]:
    return ((at, symbol.lower()) for at, symbol in enumerate(text) if symbol != "-" and not spellings(symbol))


def _all_symbols(text: str) -> Iterator[tuple[int, str]]:
    return enumerate(text)


def _differing_spans(
    one: Sequence[tuple[int, str]], other: Sequence[tuple[int, str]]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the span of each text that differs from the other."""
    least = min(len(one), len(other))
    begins = next((at for at in range(least) if one[at][1] != other[at][1]), least)
    ends = next((at for at in range(least - begins) if one[-1 - at][1] != other[-1 - at][1]), least - begins)
    return _span(one, begins, ends), _span(other, begins, ends)


def _span(symbols: Sequence[tuple[int, str]], begins: int, ends: int) -> tuple[int, int]:
    differing = symbols[begins : len(symbols) - ends]
    return (differing[0][0], differing[-1][0] + 1) if differing else (0, 0)

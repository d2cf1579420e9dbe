"""Showing: a foreign text made fit to be read on a page, with a part of it marked.

Escaping keeps a text from being markup. This is about the rest: characters that cannot be seen, or that make the text
around them look like another (bidirectional controls: Unicode, UAX #9), are shown by their numbers.

>>> shown("a\\u202eb")
'a⟨U+202E⟩b'
>>> marked("tw0t-ywdU-94", 8, 9)
(Piece(text='tw0t-ywd', is_marked=False), Piece(text='U', is_marked=True), Piece(text='-94', is_marked=False))
>>> named("U"), named("а")
('U', 'U+0430 CYRILLIC SMALL LETTER A')
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final
from unicodedata import category, name

from msgspec import Struct

from coolid.identifiers.typography import spellings

MOST_AROUND: Final = 120
"""Characters that are shown before and behind what is marked, and twice as many where nothing is."""

_ESCAPED: Final = re.compile(r"'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[0-9a-f]{5}|0010[0-9a-f]{4}))'")
_MORE: Final = "…"
_SPACE: Final = "␣"
_BEARER: Final = "◌"


class Piece(Struct, frozen=True):
    """A part of a text as it is shown."""

    text: str
    is_marked: bool = False


class Slip(Struct, frozen=True):
    """How one text differs from another: the `pieces` of the first, and what stands in the other `instead`."""

    pieces: tuple[Piece, ...]
    instead: str

    @property
    def is_marked(self) -> bool:
        """Whether there is anything in the first that is not in the other."""
        return any(piece.is_marked for piece in self.pieces)


def shown(text: str) -> str:
    """The text with every character that is not printable, halves of surrogates among them, as its number."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else f"⟨U+{ord(each):04X}⟩" for each in text)


def shortened(text: str) -> str:
    """The beginning of the text, as it is shown."""
    return shown(text) if len(text) <= 2 * MOST_AROUND else shown(text[: 2 * MOST_AROUND]) + _MORE


def marked(text: str, start: int, end: int) -> tuple[Piece, ...]:
    """The text in pieces, as they are shown: what is before `start`, what is marked, what is from `end` on."""
    before, within, behind = text[:start], text[start:end], text[end:]
    if len(before) > MOST_AROUND:
        before = _MORE + before[-MOST_AROUND:]
    if len(behind) > MOST_AROUND:
        behind = behind[:MOST_AROUND] + _MORE
    pieces = (Piece(shown(before)), Piece(_conspicuous(within), is_marked=True), Piece(shown(behind)))
    return tuple(piece for piece in pieces if piece.text)


def plain(text: str) -> tuple[Piece, ...]:
    """The text as one piece, with nothing marked."""
    return (Piece(shortened(text)),) if text else ()


def named(symbol: str) -> str:
    """A character in words: itself if everybody knows it, else by its number and name (the Unicode Standard, 4.8)."""
    if symbol.isascii() and symbol.isprintable() and symbol != " ":
        return symbol
    return f"U+{ord(symbol):04X} {name(symbol, '')}".strip()


def legible(reason: str) -> str:
    """A reason with the symbol in it by its number and name, where it has the escape of one between quotes.

    >>> legible(r"character 5, '\\u2013', is not one of the symbols")
    'character 5, U+2013 EN DASH, is not one of the symbols'
    """
    return _ESCAPED.sub(lambda escape: named(chr(int(escape[1] or escape[2] or escape[3], 16))), reason)


def slip(meant: str, written: str) -> Slip:
    """What is otherwise in `meant` than was `written`: what is left between a common beginning and a common end.

    Hyphens, what passes for them, and case only count where nothing else differs; then symbol by symbol, if possible.

    >>> found = slip("tw0t-ywdj-94", "TW0TYWJD94")
    >>> [piece.text for piece in found.pieces if piece.is_marked], found.instead
    (['dj'], 'JD')
    """
    for read in (_folded, _exactly):
        (start, end), (first, last) = _between(tuple(read(meant)), tuple(read(written)))
        if read is _exactly and len(meant) == len(written):
            return _symbol_by_symbol(meant, written)
        if start < end or first < last:
            return Slip(marked(meant, start, end), shortened(written[first:last]))
    return Slip(plain(meant), "")


def _conspicuous(text: str) -> str:
    """The text so that something of it is to be seen, if there is any."""
    if text and text.isspace() and text.isprintable():
        return _SPACE * len(text)
    bearer = _BEARER if text and category(text[0])[0] == "M" else ""
    return bearer + shown(text)


def _symbol_by_symbol(meant: str, written: str) -> Slip:
    """How texts of one length differ; what stands in the other is told once."""
    pieces: list[Piece] = []
    for differs, pairs in groupby(zip(meant, written, strict=True), lambda pair: pair[0] != pair[1]):
        text = "".join(one for one, _ in pairs)
        pieces.append(Piece(_conspicuous(text) if differs else shown(text), is_marked=differs))
    others = dict.fromkeys(other for one, other in zip(meant, written, strict=True) if one != other)
    return Slip(tuple(pieces), shortened("".join(others)))


def _folded(text: str) -> Iterator[tuple[int, str]]:
    return ((at, symbol.lower()) for at, symbol in enumerate(text) if symbol != "-" and not spellings(symbol))


def _exactly(text: str) -> Iterator[tuple[int, str]]:
    return enumerate(text)


def _between(
    one: Sequence[tuple[int, str]], other: Sequence[tuple[int, str]]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where each differs: from the first place up to before the last, in its text."""
    least = min(len(one), len(other))
    begins = next((at for at in range(least) if one[at][1] != other[at][1]), least)
    ends = next((at for at in range(least - begins) if one[-1 - at][1] != other[-1 - at][1]), least - begins)
    return _span(one, begins, ends), _span(other, begins, ends)


def _span(symbols: Sequence[tuple[int, str]], begins: int, ends: int) -> tuple[int, int]:
    differing = symbols[begins : len(symbols) - ends]
    return (differing[0][0], differing[-1][0] + 1) if differing else (0, 0)

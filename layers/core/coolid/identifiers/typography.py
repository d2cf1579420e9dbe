"""Repair of identifiers from word processors, which replace hyphens and insert invisible characters.

Invisible are white space, Unicode's Default_Ignorable_Code_Point (such as the soft hyphen and zero-width joiners),
control characters, and the blank Braille pattern. Dashes are the characters of the property Dash that replace hyphens.

>>> spellings("tw0t\\u2013ywdj\\u201394"), spellings("tw0t-ywdj-94")
(('tw0t-ywdj-94', 'tw0tywdj94'), ())
>>> is_visible("tea"), is_visible(" \\u200b\\u3164")
(True, False)
>>> as_typed("\\uff30\\uff2d\\uff29\\uff24\\uff1a\\u00a01978\\u20110\\u200b")
'PMID: 1978-0'
"""

import re
from typing import Final

_IGNORED: Final = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE: Final = re.compile(rf"[\s\x00-\x1f\x7f-\x9f\u2800{_IGNORED}]")
_WITHOUT_WIDTH: Final = re.compile(f"[{_IGNORED}]")
_DASHES: Final = re.compile(r"[\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]")
_LINE_BREAKS: Final = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_SPACES: Final = re.compile(r"[^\S\n]")
_TYPED: Final[dict[int, int | str]] = {
    **{0xFF01 + offset: 0x21 + offset for offset in range(94)},  # full-width forms
    **{0x1D7CE + offset: 0x30 + offset % 10 for offset in range(50)},  # mathematical digits
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2044\u2215\u29f8"), "/"),
    **dict.fromkeys(map(ord, "\u2236\ua789\ufe55"), ":"),
    **dict.fromkeys(map(ord, "\u3002\u2024\uff61"), "."),
    0x2026: "...",
    **dict.fromkeys(map(ord, "\u3001\ufe50"), ","),
    **dict(zip(map(ord, "\u2039\u203a\u27e8\u27e9\u3008\u3009\u300a\u300b"), "<><><><>", strict=True)),
    **dict(zip(map(ord, "\u3010\u3011\u300c\u300d"), "[]''", strict=True)),
    # Marks of footnotes and icons of links stand behind an identifier and are never part of it.
    **dict.fromkeys((0xB9, 0xB2, 0xB3, 0x2070, *range(0x2074, 0x207A), 0x2020, 0x2021, 0xA7, 0xB6, 0x203B), " "),
    **dict.fromkeys((*range(0x2190, 0x2200), *range(0x2B00, 0x2B12), 0x29C9, 0x1F517), " "),
}  # fmt: skip


def is_visible(text: str) -> bool:
    """Return whether a text has a visible character."""
    return bool(_INVISIBLE.sub("", text))


def as_typed(text: str) -> str:
    """Return a text as a keyboard types it, with plain spaces, hyphens, quotes and letters, and line breaks.

    Characters without width and marks of footnotes are removed.
    """
    text = _WITHOUT_WIDTH.sub("", _LINE_BREAKS.sub("\n", text))
    text = _SPACES.sub(" ", text)
    return text if text.isascii() else _DASHES.sub("-", text).translate(_TYPED)


def spellings(text: str) -> tuple[str, ...]:
    """Return possible originals, with hyphens for dashes, without either, or for both; none if nothing is odd."""
    hyphenated = _DASHES.sub("-", text)
    if hyphenated == text and not _INVISIBLE.search(text):
        return ()
    bare = _INVISIBLE.sub("", _DASHES.sub("", text))
    return tuple(dict.fromkeys((_INVISIBLE.sub("", hyphenated), bare, _INVISIBLE.sub("-", hyphenated))))

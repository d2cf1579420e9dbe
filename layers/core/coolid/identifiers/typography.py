"""Repair of identifiers from word processors, which replace hyphens and insert invisible characters.

Invisible are white space, Unicode's Default_Ignorable_Code_Point (such as the soft hyphen and zero-width joiners),
control characters, and the blank Braille pattern. Dashes are the characters of the property Dash that replace hyphens.

>>> spellings("tw0t\\u2013ywdj\\u201394"), spellings("tw0t-ywdj-94")
(('tw0t-ywdj-94', 'tw0tywdj94'), ())
>>> is_visible("tea"), is_visible(" \\u200b\\u3164")
(True, False)
"""

import re
from typing import Final

_IGNORED: Final = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE: Final = re.compile(rf"[\s\x00-\x1f\x7f-\x9f\u2800{_IGNORED}]")
_DASHES: Final = re.compile(r"[\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]")


def is_visible(text: str) -> bool:
    """Return whether a text has a visible character."""
    return bool(_INVISIBLE.sub("", text))


def spellings(text: str) -> tuple[str, ...]:
    """Return possible originals, with hyphens for dashes, without either, or for both; none if nothing is odd."""
    hyphenated = _DASHES.sub("-", text)
    if hyphenated == text and not _INVISIBLE.search(text):
        return ()
    bare = _INVISIBLE.sub("", _DASHES.sub("", text))
    return tuple(dict.fromkeys((_INVISIBLE.sub("", hyphenated), bare, _INVISIBLE.sub("-", hyphenated))))

"""Typography: what of a text can be seen, and what word processors make of the hyphens in it.

Unseen is white space, what is ignored by default where it is shown (Unicode: Default_Ignorable_Code_Point, among it the
soft hyphen and the joiners of zero width), controls, and the blank pattern of Braille. Dashes are those of the property
Dash that stand where a hyphen stood.

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
_UNSEEN: Final = re.compile(rf"[\s\x00-\x1f\x7f-\x9f\u2800{_IGNORED}]")
_DASHES: Final = re.compile(r"[\u2010-\u2015\u2043\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]")


def is_visible(text: str) -> bool:
    """Whether there is anything in it to be seen."""
    return bool(_UNSEEN.sub("", text))


def spellings(text: str) -> tuple[str, ...]:
    """What it may have been before: with hyphens for dashes, without either, with hyphens for what is unseen, too.

    None if it has neither dashes nor anything unseen.
    """
    hyphenated = _DASHES.sub("-", text)
    if hyphenated == text and not _UNSEEN.search(text):
        return ()
    bare = _UNSEEN.sub("", _DASHES.sub("", text))
    return tuple(dict.fromkeys((_UNSEEN.sub("", hyphenated), bare, _UNSEEN.sub("-", hyphenated))))

"""The formatter of citeproc-py: formats as marks of one character each, and their conversion to plain text and HTML.

Rules about punctuation then apply to formatted text too. The marks are of the private use area, and texts lose theirs
first.

>>> marked = f"A {Italic('B & C')}."
>>> to_text(marked), to_html(marked)
('A B & C.', 'A <i>B &amp; C</i>.')
"""

import re
from collections.abc import Callable
from html import escape
from typing import Final

from citeproc.string import String

_TAGS: Final = {
    "\ue000": "<i>",
    "\ue001": "</i>",
    "\ue002": "<b>",
    "\ue003": "</b>",
    "\ue004": "<u>",
    "\ue005": "</u>",
    "\ue006": "<sup>",
    "\ue007": "</sup>",
    "\ue008": "<sub>",
    "\ue009": "</sub>",
    "\ue00a": '<span class="small-caps">',
    "\ue00b": "</span>",
}
MARKS: Final = "[\ue000-\ue00b]"


def without_marks(text: str) -> str:
    """Return a text without marks."""
    return re.sub(MARKS, "", text)


def to_text(marked: str) -> str:
    """Return marked text without its marks, with single spaces."""
    return " ".join(without_marks(marked).split())


def to_html(marked: str) -> str:
    """Return marked text as escaped HTML."""
    escaped = escape(" ".join(marked.split()))
    return re.sub(MARKS, lambda found: _TAGS[found[0]], escaped)


# The names and forms that citeproc-py requires of a formatter.


class Marked(String):
    """A marked text, which citeproc-py treats like its own."""

    def capitalize_first(self) -> "Marked":
        """Return the text with its first letter in upper case."""
        marks = len(self) - len(self.lstrip("".join(_TAGS)))
        return Marked(self[:marks] + self[marks : marks + 1].upper() + self[marks + 1 :])


def _wrapper(start: str, end: str) -> Callable[[object], str]:
    return lambda text: Marked(f"{start}{text}{end}")


def preformat(text: object) -> str:
    """Return a text of a style; nothing is escaped before the conversion to HTML."""
    return str(text)


Italic = Oblique = _wrapper("\ue000", "\ue001")
Bold = _wrapper("\ue002", "\ue003")
Light = preformat
Underline = _wrapper("\ue004", "\ue005")
Superscript = _wrapper("\ue006", "\ue007")
Subscript = _wrapper("\ue008", "\ue009")
SmallCaps = _wrapper("\ue00a", "\ue00b")

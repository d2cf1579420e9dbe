"""Punctuation of a citation, which styles leave to the processor (CSL 1.0.2, "Locale Options" and citeproc-js).

>>> Quotes("“", "”", "‘", "’", moves_punctuation=True).apply("A, “On ‘it’.”. B")
'A, “On ‘it.’” B'
>>> Quotes("“", "”", "‘", "’", moves_punctuation=True).apply("A, “On “it””, “Why?”. B")
'A, “On ‘it,’” “Why?” B'
"""

import re
from typing import Final

from msgspec import Struct

from coolid.citation_styles.formatter import MARKS

_MARKS: Final = f"{MARKS}*"


class Quotes(Struct, frozen=True):
    """The quotation marks of a locale. If it `moves_punctuation`, a full stop or comma precedes a closing one."""

    opening: str
    closing: str
    inner_opening: str
    inner_closing: str
    moves_punctuation: bool

    def apply(self, text: str) -> str:
        """Return a marked text with punctuation and nested quotation marks as readers expect them."""
        closing = f"(?:{re.escape(self.closing)}|{re.escape(self.inner_closing)})"
        text = self._nested(text)
        text = re.sub(rf"([.?!])({_MARKS}{closing}{_MARKS})\.", r"\1\2", text)
        if self.moves_punctuation:
            text = re.sub(rf"((?:{_MARKS}{closing}{_MARKS})+)([.,])", r"\2\1", text)
        return re.sub(rf"([.?!])({_MARKS})\.(?!\.)|([,;:])({_MARKS})\3", r"\1\2\3\4", text)

    def _nested(self, text: str) -> str:
        """Return the text with inner quotation marks within outer ones, if they are balanced."""
        if self.opening == self.closing or text.count(self.opening) != text.count(self.closing):
            return text
        depth, result = 0, []
        for character in text:
            each = character
            if character == self.opening:
                depth += 1
                each = self.inner_opening if depth % 2 == 0 else character
            elif character == self.closing:
                each = self.inner_closing if depth % 2 == 0 else character
                depth -= 1
            result.append(each)
        return "".join(result)

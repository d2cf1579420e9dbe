r"""Functions on the texts of metadata: single lines, codes for missing values, and dates.

>>> on_one_line(" A\u2028b\x00c "), line("(:unav)")
('A b c', '')
"""

import re
from typing import Final

from coolid.http.message import compiled

_DATE: Final = (
    r"([0-9]{4})(?:-?(0[1-9]|1[0-2])(?:-?(0[1-9]|[12][0-9]|3[01])"
    r"(T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)

# White space and line separators of every script, and controls.
_BLANKS: Final = r"[\s\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]+"
# Codes for a missing value (DataCite Metadata Schema, appendix 3; the kernel's, 9.3).
_CODE: Final = r"\(?:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|tbd|etal)\)?"


def iso_date(text: str) -> str | None:
    """Return an ISO 8601 date, which may end after the year or month, in extended form, or None for other text.

    >>> iso_date("20081203"), iso_date("1952"), iso_date("spring 1952")
    ('2008-12-03', '1952', None)
    """
    found = re.fullmatch(_DATE, text)
    return "-".join(filter(None, found.group(1, 2, 3))) + (found[4] or "") if found else None


def year_of(text: str) -> str:
    """Return the first four digits of a text in the place of a date, or an empty text.

    >>> year_of("spring 1952"), year_of("long ago")
    ('1952', '')
    """
    found = compiled("[0-9]{4}").search(text)
    return found[0] if found else ""


def on_one_line(text: str) -> str:
    """Return the text on one line, without line separators of any script or program."""
    if text.isprintable() and "  " not in text:  # only single spaces
        return text.strip()
    return compiled(_BLANKS).sub(" ", text).strip()


def line(text: str) -> str:
    """Return the text on one line, or an empty text if it is a code for a missing value."""
    plain = on_one_line(text)
    return "" if ":" in plain and compiled(_CODE).fullmatch(plain) else plain

"""Tables as CSV (RFC 4180), safe to open in a spreadsheet.

An apostrophe precedes each cell that begins like a formula, so that a spreadsheet shows it as text
(https://owasp.org/www-community/attacks/CSV_Injection). Apostrophes that a cell has before such a beginning stay, so
that `unguarded` restores every text.

>>> write([["pid", "reason"], ["https://id.example.org/x", '=HYPERLINK("https://evil.example/")']])
'pid,reason\\r\\nhttps://id.example.org/x,"\\'=HYPERLINK(""https://evil.example/"")"\\r\\n'
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any, Final

MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
_LINK: Final = ("pid", "uri", "state", "since", "reason", "status", "lastGood", "lastChecked", "moved")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def guarded(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def unguarded(text: str) -> str:
    """Return the text of a cell; the inverse of `guarded`.

    >>> unguarded("'=1+1"), unguarded("'s-Hertogenbosch")
    ('=1+1', "'s-Hertogenbosch")
    """
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_FORMULA) else text


def write(rows: Iterable[Sequence[object]]) -> str:
    """Return the rows as CSV; the first contains the column names, and None is an empty cell."""
    texts = [["" if each is None else str(each) for each in row] for row in rows]
    output = StringIO()
    csv.writer(output).writerows([[guarded(each) for each in row] for row in texts])
    return output.getvalue()


def links(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return the links of a report (`coolid.http.management.link_reports`) as CSV."""
    return write([_LINK, *([each.get(member) for member in _LINK] for each in entries)])

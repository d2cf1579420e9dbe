"""Tables as CSV (RFC 4180), for people who open them in a spreadsheet: which takes what looks like a formula for one.

What begins like a formula is shown as text by an apostrophe before it, as spreadsheets themselves do
(https://owasp.org/www-community/attacks/CSV_Injection).

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


def write(rows: Iterable[Sequence[object]]) -> str:
    """The rows, the first of them the names of the columns; None is an empty cell."""
    written = StringIO()
    csv.writer(written).writerows([[_cell(each) for each in row] for row in rows])
    return written.getvalue()


def links(found: Iterable[Mapping[str, Any]]) -> str:
    """The links of a report (`coolid.http.management.link_reports`), a row for each."""
    return write([_LINK, *([each.get(member) for member in _LINK] for each in found)])


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text

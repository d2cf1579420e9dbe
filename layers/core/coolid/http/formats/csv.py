"""Tables as CSV (RFC 4180), safe to open in a spreadsheet.

An apostrophe precedes each cell that begins like a formula, so that a spreadsheet shows it as text
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
    """Return the rows as CSV; the first contains the column names, and None is an empty cell."""
    texts = [["" if each is None else str(each) for each in row] for row in rows]
    output = StringIO()
    csv.writer(output).writerows([[f"'{each}" if each.startswith(_FORMULA) else each for each in row] for row in texts])
    return output.getvalue()


def links(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return the links of a report (`coolid.http.management.link_reports`) as CSV."""
    return write([_LINK, *([each.get(member) for member in _LINK] for each in entries)])

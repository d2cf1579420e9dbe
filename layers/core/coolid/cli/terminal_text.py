"""Removal of control characters from untrusted text before a terminal displays it.

Escape sequences begin with a control character (ECMA-48), and bidirectional controls (Unicode, UAX #9) make a text
look like another. Both are replaced, or escaped in JSON, which preserves the value.

>>> printable("a\x1b[31m\u202eb")
'a\ufffd[31m\ufffdb'
>>> safe_json({"a": "\x9b1m"})
'{"a":"\\\\u009b1m"}'
"""

import json
import re
from typing import Any, Final

_UNSAFE: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_IN_LINES: Final = re.compile(f"[{_UNSAFE}]")
_IN_LINE: Final = re.compile(f"[{_UNSAFE}\t\n]")


def printable(text: str, *, lines: bool = False) -> str:
    """Return the text with each unsafe character replaced; `lines` keeps line ends and tabs."""
    if lines:
        return _IN_LINES.sub("\ufffd", text.replace("\r\n", "\n"))
    return _IN_LINE.sub("\ufffd", text)


def safe_json(document: Any, *, indent: bool = False) -> str:
    """Return JSON text with unsafe characters escaped, which only occur in strings."""
    layout: dict[str, Any] = {"indent": 2} if indent else {"separators": (",", ":")}
    text = json.dumps(document, ensure_ascii=False, **layout)
    return _IN_LINES.sub(lambda unsafe: f"\\u{ord(unsafe[0]):04x}", text)

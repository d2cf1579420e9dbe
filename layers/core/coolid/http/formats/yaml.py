r"""YAML (1.2, block style), for JSON values: every scalar is written as JSON, a subset of YAML.

Names and texts are quoted, so that no parser misreads `no` or `1.0`. Characters that YAML 1.1 forbids unescaped, and
those beyond U+FFFF, are escaped.

>>> print(write({"query": {"prefix": "go", "identifier": "0006915"}, "synonyms": [], "ok": True}), end="")
"query":
  "prefix": "go"
  "identifier": "0006915"
"synonyms": []
"ok": true
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.strict_json import dump

MEDIA_TYPE: Final = "application/yaml"
"""Source: RFC 9512."""
OTHER_MEDIA_TYPES: Final = ("application/x-yaml", "text/yaml", "text/x-yaml")
"""Names from before its registration."""

# Besides JSON's own escapes: controls, line ends of YAML 1.1, the byte order mark, what does not fit in 16 bits.
_SPECIAL: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\U00010000-\U0010ffff]")


def write(document: Any) -> str:
    """Return the YAML of dictionaries, lists, texts, whole numbers, booleans and null, with a final line end."""
    return "\n".join(_lines(document)) + "\n"


def _lines(value: Any) -> Iterator[str]:
    """Yield the lines of a value; a scalar is on the line of its name or dash, anything else indented below."""
    if not value or not isinstance(value, Mapping | list | tuple):
        yield _SPECIAL.sub(_escape, dump(value))
        return
    items = value.items() if isinstance(value, Mapping) else [(None, each) for each in value]
    for name, inner in items:
        opening = "-" if name is None else f"{_SPECIAL.sub(_escape, dump(str(name)))}:"
        if inner and isinstance(inner, Mapping | list | tuple):
            yield opening
            yield from (f"  {line}" for line in _lines(inner))
        else:
            yield f"{opening} {next(_lines(inner))}"


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"

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
_SPECIAL: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_WIDE: Final = re.compile("[\U00010000-\U0010ffff]")


def write(document: Any) -> str:
    """Return the YAML of dictionaries, lists, texts, whole numbers, booleans and null, with a final line end."""
    return "\n".join(_lines(document)) + "\n"


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _entry(f"{_scalar(str(name))}:", inner)
    elif isinstance(value, list | tuple) and value:
        for inner in value:
            yield from _entry("-", inner)
    else:
        yield _scalar(value)


def _entry(opening: str, value: Any) -> Iterator[str]:
    """Yield the lines of an entry: a scalar on the same line, anything else indented below."""
    lines = list(_lines(value))
    if isinstance(value, Mapping | list | tuple) and value:
        yield opening
        yield from (f"  {line}" for line in lines)
    else:
        yield f"{opening} {lines[0]}"


def _scalar(value: Any) -> str:
    text = _SPECIAL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", dump(value))
    return _WIDE.sub(lambda sign: f"\\U{ord(sign[0]):08x}", text)

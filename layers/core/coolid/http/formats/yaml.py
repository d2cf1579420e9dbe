r"""YAML (1.2, block style), as much of it as JSON's values need: every scalar is written as JSON, which YAML contains.

Names and texts are quoted, so that no reader takes `no` or `1.0` for something else. What YAML 1.1 does not allow as it
is, and characters beyond the 65,536 of the first plane, are escaped as JSON escapes them.

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
"""RFC 9512."""
ALSO: Final = ("application/x-yaml", "text/yaml", "text/x-yaml")
"""What it was called before it was registered."""

# Beside JSON's own escapes: controls, line ends of YAML 1.1, a byte order mark, what does not fit in 16 bits.
_SPECIAL: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_WIDE: Final = re.compile("[\U00010000-\U0010ffff]")


def write(document: Any) -> str:
    """The document, with a line's end at its end: dictionaries, lists, texts, whole numbers, booleans and null."""
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
    """An entry of a mapping or a sequence: a scalar on the same line, all else indented on the next ones."""
    lines = list(_lines(value))
    if isinstance(value, Mapping | list | tuple) and value:
        yield opening
        yield from (f"  {line}" for line in lines)
    else:
        yield f"{opening} {lines[0]}"


def _scalar(value: Any) -> str:
    text = _SPECIAL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", dump(value))
    return _WIDE.sub(lambda sign: f"\\U{ord(sign[0]):08x}", text)

"""ANVL as EZID uses it: a line for each name and value, with percent-encoding.

Specification: EZID API, version 2, "Request & response bodies". A line that begins with whitespace continues the line
before, and a line that begins with `#` is a comment. Percent signs and line ends are escaped, in names also colons and
a `#` at the beginning.

>>> format_elements({"erc.who": "Proust, Marcel", "a:b": "50% off\\n"})
'erc.who: Proust, Marcel\\na%3Ab: 50%25 off%0A\\n'
>>> parse_elements("# comment\\nerc.who: Proust,\\n  Marcel\\n")
{'erc.who': 'Proust, Marcel'}
"""

import re
from collections.abc import Mapping
from typing import Final

_IN_VALUES: Final = re.compile(r"[%\r\n]")
_IN_NAMES: Final = re.compile(r"[%:\r\n]|^#")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


class InvalidAnvl(ValueError):
    """The text is not ANVL; the message is the reason."""


def parse_elements(text: str) -> dict[str, str]:
    """Return the elements of a body. An empty value stays, because it deletes an element in updates.

    Raises `InvalidAnvl` for a line without a colon, an empty or repeated name, and an escape that is no UTF-8.
    """
    elements: dict[str, str] = {}
    for number, line in _logical_lines(text):
        name, colon, value = line.partition(":")
        if not colon:
            raise InvalidAnvl(f"line {number} has no colon")
        name, value = _unescape(name, number).strip(), _unescape(value, number).strip()
        if not name:
            raise InvalidAnvl(f"line {number} has no element name")
        if name in elements:
            raise InvalidAnvl(f"line {number} repeats the element {name[:50]!a}")
        elements[name] = value
    return elements


def format_elements(elements: Mapping[str, str]) -> str:
    """Return the lines of elements, each with its line end; the inverse of `parse_elements`."""
    return "".join(f"{_escape(_IN_NAMES, name)}: {_escape(_IN_VALUES, value)}\n" for name, value in elements.items())


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines without comments and empty lines, continued ones joined, with their numbers from 1."""
    lines: list[tuple[int, list[str]]] = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        if line.startswith("#") or not line.strip():
            continue
        if line[0].isspace():
            if not lines:
                raise InvalidAnvl(f"line {number} continues no line")
            lines[-1][1].append(line.strip())
        else:
            lines.append((number, [line.rstrip()]))
    return [(number, " ".join(parts)) for number, parts in lines]


def _escape(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: f"%{ord(found[0]):02X}", text)


def _unescape(text: str, line: int) -> str:
    """Decode escapes. Several of them may be the UTF-8 bytes of one character."""
    data = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidAnvl(f"an escape of line {line} is not UTF-8") from None

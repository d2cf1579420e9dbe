r"""Listings of the database of a Handle server: `hdl-dblist -v` and `hdl-dbresolve`.

Source: the tools `DBList` and `DBResolve` of Handle.Net (version 9). Each handle is on a line of its own. The first
tool writes its values as a JSON array over several lines, the second one a line for each value:

    20.500.12345/1
     index=1 type=URL rwr- ttl=0/86400 timestamp=2019-05-01T12:00:00Z "https://archive.example.org/1"

>>> parse_value(' index=1 type=URL rwr- "https://a.example/"')["permissions"]
'1110'
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from coolid.migration.source_identifiers import Entry, SourceIdentifier, UnreadableEntry
from coolid.migration.sources.handle.values import version_of
from coolid.strict_json import NotJson, load
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, MAX_LINE_BYTES, TOO_LONG, read_lines

_BEGINNING: Final = re.compile(rb"[^\s,{\[<]+/[^\r\n]*\r?\n(?:\[| index=\d)")
_VALUE: Final = re.compile(
    r' index=(\d{1,12})(?: ttl=\d+)? type=(\S*) ([rw-]{4})(?: ttl=\d+/(\d{1,12}) timestamp=(\S+))? "(.*)"', re.DOTALL
)
_START: Final = " index="


def is_listing(beginning: bytes) -> bool:
    """Return whether a file that begins so is a listing of handles with values."""
    return _BEGINNING.match(beginning) is not None


def read_entries(file: BinaryIO) -> Iterator[Entry]:
    """Yield the handles of a listing, each with one version."""
    handle, number = "", 0
    lines: list[str] = []
    size = 0
    reason = ""
    for line in read_lines(file):
        content = line.content.removeprefix(BYTE_ORDER_MARK if line.number == 1 else b"").removesuffix(b"\r")
        text = content.decode(errors="surrogateescape")
        size += len(content)
        if line.is_too_long or size > MAX_LINE_BYTES:
            reason = reason or f"it {TOO_LONG}"
        elif _begins_handle(text, lines):
            if handle:
                yield _entry(number, handle, lines, reason)
            handle, number, lines, size, reason = text.strip(), line.number, [], 0, ""
        else:
            lines.append(text)
    if handle:
        yield _entry(number, handle, lines, reason)


def parse_value(text: str) -> Mapping[str, Any] | None:
    """Return the value that a line of `hdl-dbresolve` describes, or None if it is incomplete."""
    found = _VALUE.fullmatch(text)
    if found is None:
        return None
    index, kind, permissions, ttl, timestamp, data = found.groups()
    value: dict[str, Any] = {
        "index": int(index),
        "type": kind,
        "permissions": "".join("0" if each == "-" else "1" for each in permissions),
        "data": {"format": "string", "value": data},
    }
    return value | ({"ttl": int(ttl), "timestamp": timestamp} if ttl else {})


def _begins_handle(text: str, lines: list[str]) -> bool:
    """Return whether a line is the name of a handle, not part of the values of the one before."""
    if not text.strip() or "/" not in text or text.startswith((" ", "[", "]", "{", "}", "\t", '"')):
        return False
    last = next((each for each in reversed(lines) if each.strip()), "")
    return not last.startswith(_START) or _VALUE.fullmatch(last) is not None


def _entry(number: int, handle: str, lines: list[str], reason: str) -> Entry:
    text = "\n".join(lines).strip("\n")
    if reason:
        return UnreadableEntry(number, reason, handle)
    try:
        content = text.encode()
        documents = load(content) if text.startswith("[") else _values(text)
    except (NotJson, UnicodeEncodeError, ValueError) as error:
        return UnreadableEntry(number, f"its values cannot be read: {error}", handle)
    if not isinstance(documents, list) or not all(isinstance(each, dict) for each in documents):
        return UnreadableEntry(number, "its values are no array of objects", handle)
    if not documents:
        return UnreadableEntry(number, "it has no values", handle)
    version, losses = version_of(documents)
    return SourceIdentifier(number, handle, (version,), tuple(losses))


def _values(text: str) -> list[Mapping[str, Any]]:
    """Return the values of lines, of which one may continue because its data contain line ends."""
    parts = re.split(rf"\n(?={_START}\d)", text) if text else []
    values = []
    for number, part in enumerate(parts, 1):
        value = parse_value(part.rstrip("\n"))
        if value is None:  # the text may be a secret
            raise ValueError(f"value {number} has another form")
        values.append(value)
    return values

"""Reads the text that `db_dump` and `db_dump -p` write of a Berkeley DB file.

Specification: Berkeley DB, "db_dump", section "Output format": a header of `name=value` lines up to `HEADER=END`, then
keys and values in turn, each on a line behind a space, up to `DATA=END`. In format `bytevalue`, bytes are hexadecimal;
in format `print`, printable characters stand for themselves, others are `\\xx`, and a backslash is doubled.

>>> from io import BytesIO
>>> text = b"VERSION=3\\nformat=print\\ntype=btree\\nHEADER=END\\n :/total\\n 8410\\nDATA=END\\n"
>>> list(entries(BytesIO(text), "minter.txt"))
[(b':/total', b'8410')]
"""

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from coolid.errors import UsageError

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
_MAX_HEADER_LINES: Final = 100
_ESCAPE: Final = re.compile(rb"\\(\\|[0-9A-Fa-f]{2})?")


def is_dump(beginning: bytes) -> bool:
    """Return whether the first bytes of a file are those of a dump."""
    return beginning.startswith(b"VERSION=")


def entries(file: BinaryIO, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a dump, in its order. Raises `UsageError` with the line that cannot be read."""
    lines = _lines(file, name)
    header = _header(lines, name)
    if header.get(b"type") not in (b"btree", b"hash") or header.get(b"keys") == b"0":
        raise UsageError(f"{name} cannot be read: it has no keys; use a dump of a B-tree")
    is_hex = header.get(b"format") == b"bytevalue"
    key: bytes | None = None
    for number, line in lines:
        if line.rstrip() == b"DATA=END" and key is None:
            return
        value = _decoded(line, name, number, is_hex=is_hex)
        if key is None:
            key = value
        else:
            yield key, value
            key = None
    raise UsageError(f"{name} cannot be read: it is truncated, DATA=END is missing")


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers, from 1, without the line feed."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES):
        number += 1
        if len(line) == MAX_LINE_BYTES:
            raise UsageError(f"{name} cannot be read: line {number} is longer than {MAX_LINE_BYTES} bytes")
        yield number, line.removesuffix(b"\n").removesuffix(b"\r")


def _header(lines: Iterator[tuple[int, bytes]], name: str) -> dict[bytes, bytes]:
    header: dict[bytes, bytes] = {}
    for number, line in lines:
        member, equals, value = line.strip().partition(b"=")
        if member == b"HEADER":
            return header
        if not equals or number > _MAX_HEADER_LINES:
            break
        header[member] = value
    raise UsageError(f"{name} cannot be read: it has no header up to HEADER=END, as db_dump writes it")


def _decoded(line: bytes, name: str, number: int, *, is_hex: bool) -> bytes:
    if not line.startswith(b" "):
        raise UsageError(f"{name} cannot be read: line {number} does not begin with a space")
    try:
        return bytes.fromhex(line[1:].decode("ascii")) if is_hex else _ESCAPE.sub(_unescaped, line[1:])
    except ValueError as error:
        raise UsageError(f"{name} cannot be read: line {number} has invalid digits or escapes") from error


def _unescaped(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    if escape is None:
        raise ValueError
    return escape if escape == b"\\" else bytes.fromhex(escape.decode("ascii"))

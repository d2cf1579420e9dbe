"""A reader of rows to mint, from CSV (RFC 4180, with a header) or JSON Lines, as the API's mint documents.

A column is a member of the document (`prefix`, `id`, `uri`, `status`, `ttl`), an element of the metadata's kernel, or
`metadata.NAME`. An empty cell is a missing member.

>>> columns_of(["prefix", "uri", "what", "metadata.subject"])[3]
('metadata', 'subject')
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from coolid.aws.transfer.bounded_lines import BYTE_ORDER_MARK, MAX_LINE_BYTES, TOO_LONG, read_lines
from coolid.aws.transfer.csv_rows import MalformedCsv, read_rows, split_cells
from coolid.strict_json import NotJson, load

MEMBERS: Final = ("prefix", "id", "uri", "status", "ttl")
KERNEL: Final = ("who", "what", "when", "where", "how", "type", "license")
_METADATA: Final = "metadata"
_NUMBER: Final = re.compile(r"[0-9]{1,9}")

Column = tuple[str, str]


class InvalidTable(Exception):
    """The file is not a table of records; nothing of it was used."""


class UnreadableRow(Struct, frozen=True):
    """A row that cannot be minted: a JSON Pointer to the fault ("" is the whole row), and the reason."""

    pointer: str
    reason: str


class Stop(Struct, frozen=True):
    """No row can be found in the file from here on; `reason` is a clause."""

    reason: str


def read(path: Path, on_read: Callable[[int], None]) -> Iterator[tuple[int, Any]]:
    """Return the rows of a file with the lines that they begin on: a document, an `UnreadableRow`, or a final `Stop`.

    Each row of the file is returned once, unless it comes after a `Stop`. `on_read` is called with the number of bytes
    read for each row. Raises `InvalidTable` at once.
    """
    with path.open("rb") as file:
        first = file.readline(MAX_LINE_BYTES).removeprefix(BYTE_ORDER_MARK).lstrip()
    if not first:
        raise InvalidTable("it is empty, or its first line is")
    rows = _objects if first.startswith(b"{") else _table
    return rows(path, on_read)


def columns_of(header: Sequence[str]) -> list[Column]:
    """Return the members that the columns of a header stand for. Raises `InvalidTable` for unknown or repeated ones."""
    names = [name.strip() for name in header]
    columns = [_column(name) for name in names]
    unknown = [name or "(no name)" for name, column in zip(names, columns, strict=True) if column is None]
    if unknown:
        allowed = ", ".join((*MEMBERS, *KERNEL))
        raise InvalidTable(f"there are no such columns: {', '.join(unknown)}. There are {allowed}, and metadata.NAME")
    found = [column for column in columns if column is not None]
    twice = sorted({name for name, column in zip(names, found, strict=True) if found.count(column) > 1})
    if twice:
        raise InvalidTable(f"columns stand twice: {', '.join(twice)}")
    return found


def _column(name: str) -> Column | None:
    if name in MEMBERS:
        return name, ""
    if name in KERNEL:
        return _METADATA, name
    head, _, rest = name.partition(".")
    return (_METADATA, rest) if head == _METADATA and rest else None


def _objects(path: Path, on_read: Callable[[int], None]) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        for line in read_lines(file):
            on_read(line.size)
            text = line.content.removeprefix(BYTE_ORDER_MARK) if line.number == 1 else line.content
            if line.is_too_long:
                yield line.number, UnreadableRow("", f"the line {TOO_LONG}")
            elif text.strip():
                yield line.number, _load_object(text)


def _load_object(text: bytes) -> Any:
    try:
        return load(text)
    except NotJson as error:
        return UnreadableRow("", f"the line is not JSON: {error}")


def _table(path: Path, on_read: Callable[[int], None]) -> Iterator[tuple[int, Any]]:
    """Return the rows of a CSV file lazily; its header is read at once."""
    with path.open("rb") as file:
        try:
            header = next(read_rows(file, carriage_returns=False))
        except MalformedCsv as error:
            raise InvalidTable(f"its header is not CSV: {error.reason}") from error
    if header.is_too_long:
        raise InvalidTable(f"its header {TOO_LONG}")
    return _rows(path, columns_of(_split_row(header.content)), on_read)


def _rows(path: Path, columns: Sequence[Column], on_read: Callable[[int], None]) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        rows = read_rows(file, carriage_returns=False)
        on_read(next(rows).size)
        try:
            for row in rows:
                on_read(row.size)
                if row.is_too_long:
                    yield row.number, UnreadableRow("", f"the row {TOO_LONG}")
                elif row.content:
                    yield row.number, _document(_split_row(row.content), columns)
        except MalformedCsv as error:
            yield error.line, Stop(error.reason)


def _split_row(row: bytes) -> list[str]:
    """Return the cells of a row. Bytes that are not UTF-8 become surrogates, which `_is_utf8` finds."""
    return split_cells(row.decode(errors="surrogateescape"))


def _document(row: Sequence[str], columns: Sequence[Column]) -> Any:
    if len(row) != len(columns):
        return UnreadableRow("", f"the row has {len(row)} cells, the header {len(columns)}")
    document: dict[str, Any] = {}
    metadata: dict[str, str] = {}
    for (member, name), cell in zip(columns, row, strict=True):
        if not cell:
            continue
        if not _is_utf8(cell):
            return UnreadableRow(f"/{member}/{name}" if name else f"/{member}", "the cell is not UTF-8")
        if name:
            metadata[name] = cell
        elif member == "ttl":
            document[member] = int(cell) if _NUMBER.fullmatch(cell) else cell
        else:
            document[member] = cell
    return document | {_METADATA: metadata} if metadata else document


def _is_utf8(cell: str) -> bool:
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True


def with_prefix(document: Any, prefix: str | None) -> Any:
    """Return the document, with this prefix if it has none."""
    if prefix is None or not isinstance(document, Mapping) or "prefix" in document:
        return document
    return {"prefix": prefix, **document}

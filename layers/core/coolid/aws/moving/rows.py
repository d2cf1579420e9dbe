"""Rows: what is to be minted, from a table (CSV, RFC 4180, with a header) or JSON Lines, as the API's mint documents.

A column is a member of the document (`prefix`, `id`, `uri`, `status`, `ttl`) or of its metadata, by its own name for
the kernel's elements, else as `metadata.NAME`. An empty cell says nothing.

>>> columns_of(["prefix", "uri", "what", "metadata.subject"])[3]
('metadata', 'subject')
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from msgspec import Struct

from coolid.aws.moving.lines import MOST_LINE_BYTES, numbered
from coolid.domain.documents import NotJson, load

MEMBERS: Final = ("prefix", "id", "uri", "status", "ttl")
KERNEL: Final = ("who", "what", "when", "where", "how", "type", "license")
_METADATA: Final = "metadata"
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_MARK: Final = b"\xef\xbb\xbf"

Column = tuple[str, str]


class BadTable(Exception):
    """The file is no table of records; nothing of it was used."""


class Unread(Struct, frozen=True):
    """A row that says nothing that could be minted, and why."""

    pointer: str
    reason: str


def read(path: Path, heard: Any) -> Iterator[tuple[int, Any]]:
    """The rows of a file, each with the line that it begins on: a document, or `Unread`. Raises `BadTable` at once."""
    with path.open("rb") as file:
        first = file.readline(MOST_LINE_BYTES).removeprefix(_MARK).lstrip()
    if not first:
        raise BadTable("it is empty, or its first line is")
    rows = _objects if first.startswith(b"{") else _table
    return rows(path, heard)


def columns_of(header: Sequence[str]) -> list[Column]:
    """Where the columns of a header belong; `BadTable` with all that belong nowhere, or stand twice."""
    names = [name.strip() for name in header]
    columns = [_column(name) for name in names]
    unknown = [name or "(no name)" for name, column in zip(names, columns, strict=True) if column is None]
    if unknown:
        known = ", ".join((*MEMBERS, *KERNEL))
        raise BadTable(f"there are no such columns: {', '.join(unknown)}. There are {known}, and metadata.NAME")
    found = [column for column in columns if column is not None]
    twice = sorted({name for name, column in zip(names, found, strict=True) if found.count(column) > 1})
    if twice:
        raise BadTable(f"columns stand twice: {', '.join(twice)}")
    return found


def _column(name: str) -> Column | None:
    if name in MEMBERS:
        return name, ""
    if name in KERNEL:
        return _METADATA, name
    head, _, rest = name.partition(".")
    return (_METADATA, rest) if head == _METADATA and rest else None


def _objects(path: Path, heard: Any) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        for number, line in numbered(file):
            heard(len(line) + 1)
            text = line.removeprefix(_MARK) if number == 1 else line
            if not text.strip():
                continue
            try:
                yield number, load(text) if len(text) <= MOST_LINE_BYTES else Unread("", "the line is too long")
            except NotJson as error:
                yield number, Unread("", f"the line is not JSON: {error}")


def _table(path: Path, heard: Any) -> Iterator[tuple[int, Any]]:
    """The header is read at once, the rows as they are taken."""
    csv.field_size_limit(MOST_LINE_BYTES)
    with path.open("rb") as file:
        try:
            columns = columns_of(next(csv.reader(_text(file, lambda _: None, []), strict=True)))
        except csv.Error as error:
            raise BadTable(f"its header is not CSV: {error}") from error
    return _rows(path, columns, heard)


def _rows(path: Path, columns: Sequence[Column], heard: Any) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        overlong: list[int] = []
        cells = csv.reader(_text(file, heard, overlong), strict=True)
        next(cells)
        while True:
            number = cells.line_num + 1
            try:
                row = next(cells)
            except StopIteration:
                return
            except csv.Error as error:
                yield number, Unread("", f"the row is not CSV: {error}")
                continue
            if overlong:  # what follows in such a line was not read
                overlong.clear()
                yield number, Unread("", "the line is too long")
            elif row:
                yield number, _document(row, columns)


def _text(file: BinaryIO, heard: Any, overlong: list[int]) -> Iterator[str]:
    """The lines of a file as text, with their ends; what is not UTF-8, or too long, can be told afterwards."""
    for number, line in numbered(file):
        heard(len(line) + 1)
        if len(line) > MOST_LINE_BYTES:
            overlong.append(number)
        yield (line.removeprefix(_MARK) if number == 1 else line).decode(errors="surrogateescape") + "\n"


def _document(row: Sequence[str], columns: Sequence[Column]) -> Any:
    if len(row) != len(columns):
        return Unread("", f"the row has {len(row)} cells, the header {len(columns)}")
    document: dict[str, Any] = {}
    metadata: dict[str, str] = {}
    for (member, name), cell in zip(columns, row, strict=True):
        if not cell:
            continue
        if not _is_utf8(cell):
            return Unread(f"/{member}/{name}" if name else f"/{member}", "the cell is not UTF-8")
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
    """The document, with this prefix where it names none."""
    if prefix is None or not isinstance(document, Mapping) or "prefix" in document:
        return document
    return {"prefix": prefix, **document}

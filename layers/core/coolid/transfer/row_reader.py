"""A reader of rows to mint, from CSV (RFC 4180, with a header) or JSON Lines, as the API's mint documents.

The columns are those of `coolid.model.row_fields`. The cells of `metadata.NAME` may be JSON arrays and objects. An
empty cell is a missing member. The apostrophe before what would be a formula in a spreadsheet is removed
(`coolid.http.formats.csv`).

>>> columns_of(["prefix", "uri", "what", "metadata.subject"])[3]
('metadata', 'subject')
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from msgspec import Struct

from coolid.errors import InvalidInput, UsageError
from coolid.http.formats.csv import unguarded
from coolid.model.row_fields import KERNEL, MEMBERS, METADATA, Field, field_names, field_of
from coolid.strict_json import NotJson, dump, load
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, MAX_LINE_BYTES, TOO_LONG, Line, read_lines
from coolid.transfer.csv_rows import MalformedCsv, read_rows, split_cells

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_MAX_LISTED: Final = 10
_MAX_LISTED_LENGTH: Final = 100
_ZIP: Final = b"PK\x03\x04"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_OTHER_SEPARATORS: Final = {";": "semicolons", "\t": "tabs"}


class InvalidTable(UsageError):
    """The file is not a table of records; nothing of it was used."""


class Header(Struct, frozen=True):
    """The names of a CSV file's columns, None for JSON Lines, and the byte at which the rows begin."""

    names: list[str] | None
    end: int


class TableRow(Struct, frozen=True):
    """A row: the line that it begins on, its cells as they are (none in JSON Lines), and its document.

    The document is `InvalidInput` if the row is unreadable. The next row begins `end` bytes after the position from
    which reading began.
    """

    line: int
    cells: list[str]
    document: Any
    end: int


def read(file: BinaryIO, members: Sequence[str] = (*MEMBERS, METADATA)) -> Iterator[tuple[int, Any]]:
    """Return the rows of a file with the lines that they begin on: a document, or `InvalidInput` if it is unreadable.

    `members` are the fields that the columns of a CSV file may stand for. Each row of the file is returned once, unless
    `MalformedCsv` is raised before. Raises `InvalidTable` at once.
    """
    if _has_objects(file):
        rows = _objects(read_lines(file))
    else:
        lines = read_rows(file, carriage_returns=False)
        rows = _documents(lines, columns_of(_header(lines)[0], members))
    return ((row.line, row.document) for row in rows)


def read_header(file: BinaryIO) -> Header:
    """Return the header of a file, which is at its start before and after. Raises `InvalidTable` as `read` does."""
    if _has_objects(file):
        return Header(None, 0)
    names, end = _header(read_rows(file, carriage_returns=False))
    file.seek(0)
    return Header([name.strip() for name in names], end)


def read_from(file: BinaryIO, columns: Sequence[Field | None] | None) -> Iterator[TableRow]:
    """Return the rows from the file's position, which is after the header and after a whole row.

    `columns` are the fields of a CSV file's columns, None for columns that are left out; or None for JSON Lines. Raises
    `MalformedCsv` where no further row can be found.
    """
    if columns is None:
        return _objects(read_lines(file))
    return _documents(read_rows(file, carriage_returns=False), columns)


def cell_of(document: Any, column: str) -> str:
    """Return the cell of a document in a column of `read_header`.

    >>> cell_of({"uri": "https://example.org/", "metadata": {"what": "Spectra"}}, "what")
    'Spectra'
    """
    found = field_of(column)
    if found is None or not isinstance(document, Mapping):
        return ""
    member, name = found
    value = document.get(member, {}).get(name, "") if name else document.get(member, "")
    return dump(value) if isinstance(value, dict | list) else str(value)


def columns_of(
    header: Sequence[str],
    members: Sequence[str] = (*MEMBERS, METADATA),
    mapping: Mapping[str, str] = MappingProxyType({}),
) -> list[Field | None]:
    """Return the fields that the columns of a header stand for, None for those that `mapping` leaves out.

    `mapping` has the field of a column, "" to leave it out; other columns have the names of fields. `members` are the
    possible fields (`coolid.model.row_fields`). Raises `InvalidTable` for unknown or repeated ones.
    """
    names = [name.strip() for name in header]
    absent = [name for name in mapping if name.strip() not in names]
    if absent:
        raise InvalidTable(f"the file has no column {absent[0]!a}")
    mapping = {name.strip(): field for name, field in mapping.items()}
    named = [(name, mapping.get(name, name)) for name in names]
    columns = [field_of(field, members) if field else None for _, field in named]
    unknown = [
        name or "(no name)"
        for (name, field), column in zip(named, columns, strict=True)
        if column is None and (field or name not in mapping)
    ]
    if unknown:
        raise InvalidTable(f"unknown columns: {_listed(unknown)}. Use {field_names(members)}")
    counts = Counter(column for column in columns if column is not None)
    repeated = {name for name, column in zip(names, columns, strict=True) if column and counts[column] > 1}
    if repeated:
        raise InvalidTable(f"repeated columns: {_listed(sorted(repeated))}")
    return columns


def _listed(names: Sequence[str]) -> str:
    """Return some of these names, shortened, for a message."""
    rest = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return ", ".join(name[:_MAX_LISTED_LENGTH] for name in names[:_MAX_LISTED]) + rest


def _has_objects(file: BinaryIO) -> bool:
    """Return whether the file consists of JSON Lines. Raises `InvalidTable` if its first line is empty."""
    file.seek(0)
    first = file.readline(MAX_LINE_BYTES).removeprefix(BYTE_ORDER_MARK).lstrip()
    file.seek(0)
    if not first:
        raise InvalidTable("it is empty, or its first line is")
    if first.startswith(_UTF_16):
        raise InvalidTable("it is encoded as UTF-16; save it as UTF-8")
    if first.startswith(_ZIP):
        raise InvalidTable("it is a workbook of a spreadsheet program, or another ZIP file; save it as CSV")
    if first.startswith(b"["):
        raise InvalidTable("it is a JSON array; use JSON Lines, one object on each line")
    return first.startswith(b"{")


def _header(rows: Iterator[Line]) -> tuple[list[str], int]:
    """Return the cells of the first row, and its end. Raises `InvalidTable`."""
    try:
        header = next(rows)
    except MalformedCsv as error:
        raise InvalidTable(f"its header is not CSV: {error.reason}") from error
    if header.is_too_long:
        raise InvalidTable(f"its header {TOO_LONG}")
    names = _split_row(header.content)
    if not all(map(_is_utf8, names)):
        raise InvalidTable("its header is not UTF-8")
    for separator, plural in _OTHER_SEPARATORS.items():
        if len(names) == 1 and separator in names[0]:
            raise InvalidTable(f"its cells are separated by {plural} ({names[0][:100]}); save it as CSV with commas")
    return names, header.end


def _objects(lines: Iterable[Line]) -> Iterator[TableRow]:
    for line in lines:
        text = line.content.removeprefix(BYTE_ORDER_MARK) if line.number == 1 else line.content
        if line.is_too_long:
            yield TableRow(line.number, [], InvalidInput.at("", f"the line {TOO_LONG}"), line.end)
        elif text.strip():
            yield TableRow(line.number, [], _object(text), line.end)


def _object(text: bytes) -> Any:
    try:
        return load(text)
    except NotJson as error:
        return InvalidInput.at("", f"the line is not JSON: {error}")


def _documents(rows: Iterable[Line], columns: Sequence[Field | None]) -> Iterator[TableRow]:
    for row in rows:
        if row.is_too_long:
            yield TableRow(row.number, [], InvalidInput.at("", f"the row {TOO_LONG}"), row.end)
        elif row.content:
            cells = _split_row(row.content)
            yield TableRow(row.number, cells, _document(cells, columns), row.end)


def _split_row(row: bytes) -> list[str]:
    """Return the cells of a row, without the guards of formulas.

    Bytes that are not UTF-8 become surrogates, which `_is_utf8` finds.
    """
    return [unguarded(cell) for cell in split_cells(row.decode(errors="surrogateescape"))]


def _document(row: Sequence[str], columns: Sequence[Field | None]) -> Any:
    if len(row) != len(columns):
        return InvalidInput.at("", f"the row has {len(row)} cells, the header {len(columns)}")
    document: dict[str, Any] = {}
    for column, cell in zip(columns, row, strict=True):
        if column is None or not cell:
            continue
        member, name = column
        if not _is_utf8(cell):
            return InvalidInput.at(f"/{member}/{name}" if name else f"/{member}", "the cell is not UTF-8")
        if name:
            document.setdefault(member, {})[name] = cell_value(cell, name)
        else:
            document[member] = int(cell) if member == "ttl" and _NUMBER.fullmatch(cell) else cell
    return document


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


def cell_value(cell: str, name: str) -> Any:
    """Return the array or object that a cell contains, except in a column of the kernel; otherwise its text.

    >>> cell_value('[{"name": "Lee, Ann"}]', "creators"), cell_value("[Letter]", "subject")
    ([{'name': 'Lee, Ann'}], '[Letter]')
    """
    if name in KERNEL or not cell.startswith(("[", "{")):
        return cell
    try:
        return load(cell.encode())
    except NotJson:
        return cell

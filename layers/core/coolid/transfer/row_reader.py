"""A reader of rows to mint, from CSV (RFC 4180, with a header) or JSON Lines, as the API's mint documents.

A column is a member of the document (`prefix`, `id`, `uri`, `status`, `ttl`), an element of the metadata's kernel, or
`metadata.NAME`. The cells of `metadata.NAME` may be JSON arrays and objects. An empty cell is a missing member.

>>> columns_of(["prefix", "uri", "what", "metadata.subject"])[3]
('metadata', 'subject')
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final

from coolid.errors import InvalidInput, UsageError
from coolid.strict_json import NotJson, dump, load
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, MAX_LINE_BYTES, TOO_LONG, Line, read_lines
from coolid.transfer.csv_rows import MalformedCsv, read_rows, split_cells

MEMBERS: Final = ("prefix", "id", "uri", "status", "ttl")
KERNEL: Final = ("who", "what", "when", "where", "how", "type", "license")
_METADATA: Final = "metadata"
_NUMBER: Final = re.compile(r"[0-9]{1,9}")

Column = tuple[str, str]


class InvalidTable(UsageError):
    """The file is not a table of records; nothing of it was used."""


def read(file: BinaryIO) -> Iterator[tuple[int, Any]]:
    """Return the rows of a file with the lines that they begin on: a document, or `InvalidInput` if it is unreadable.

    Each row of the file is returned once, unless `MalformedCsv` is raised before. Raises `InvalidTable` at once.
    """
    if _has_objects(file):
        return _objects(read_lines(file))
    rows = read_rows(file, carriage_returns=False)
    return _documents(rows, columns_of(_header(rows)))


def read_header(file: BinaryIO) -> list[str] | None:
    """Return the names of a CSV file's columns, or None for JSON Lines. The file is at its start before and after.

    Raises `InvalidTable` as `read` does.
    """
    if _has_objects(file):
        return None
    names = [name.strip() for name in _header(read_rows(file, carriage_returns=False))]
    file.seek(0)
    return names


def cell_of(document: Any, column: str) -> str:
    """Return the cell of a document in a column of `read_header`.

    >>> cell_of({"uri": "https://example.org/", "metadata": {"what": "Spectra"}}, "what")
    'Spectra'
    """
    found = _column(column)
    if found is None or not isinstance(document, Mapping):
        return ""
    member, name = found
    value = document.get(member, {}).get(name, "") if name else document.get(member, "")
    return dump(value) if isinstance(value, dict | list) else str(value)


def columns_of(header: Sequence[str]) -> list[Column]:
    """Return the members that the columns of a header stand for. Raises `InvalidTable` for unknown or repeated ones."""
    names = [name.strip() for name in header]
    columns = [_column(name) for name in names]
    unknown = [name or "(no name)" for name, column in zip(names, columns, strict=True) if column is None]
    if unknown:
        allowed = ", ".join((*MEMBERS, *KERNEL))
        raise InvalidTable(f"unknown columns: {', '.join(unknown)}. Use {allowed}, or metadata.NAME")
    repeated = sorted({name for name, column in zip(names, columns, strict=True) if columns.count(column) > 1})
    if repeated:
        raise InvalidTable(f"repeated columns: {', '.join(repeated)}")
    return [column for column in columns if column is not None]


def _has_objects(file: BinaryIO) -> bool:
    """Return whether the file consists of JSON Lines. Raises `InvalidTable` if its first line is empty."""
    file.seek(0)
    first = file.readline(MAX_LINE_BYTES).removeprefix(BYTE_ORDER_MARK).lstrip()
    file.seek(0)
    if not first:
        raise InvalidTable("it is empty, or its first line is")
    return first.startswith(b"{")


def _header(rows: Iterator[Line]) -> list[str]:
    """Return the cells of the first row. Raises `InvalidTable`."""
    try:
        header = next(rows)
    except MalformedCsv as error:
        raise InvalidTable(f"its header is not CSV: {error.reason}") from error
    if header.is_too_long:
        raise InvalidTable(f"its header {TOO_LONG}")
    return _split_row(header.content)


def _column(name: str) -> Column | None:
    if name in MEMBERS:
        return name, ""
    if name in KERNEL:
        return _METADATA, name
    head, _, rest = name.partition(".")
    return (_METADATA, rest) if head == _METADATA and rest else None


def _objects(lines: Iterable[Line]) -> Iterator[tuple[int, Any]]:
    for line in lines:
        text = line.content.removeprefix(BYTE_ORDER_MARK) if line.number == 1 else line.content
        if line.is_too_long:
            yield line.number, InvalidInput.at("", f"the line {TOO_LONG}")
        elif text.strip():
            try:
                yield line.number, load(text)
            except NotJson as error:
                yield line.number, InvalidInput.at("", f"the line is not JSON: {error}")


def _documents(rows: Iterable[Line], columns: Sequence[Column]) -> Iterator[tuple[int, Any]]:
    for row in rows:
        if row.is_too_long:
            yield row.number, InvalidInput.at("", f"the row {TOO_LONG}")
        elif row.content:
            yield row.number, _document(_split_row(row.content), columns)


def _split_row(row: bytes) -> list[str]:
    """Return the cells of a row. Bytes that are not UTF-8 become surrogates, which `_is_utf8` finds."""
    return split_cells(row.decode(errors="surrogateescape"))


def _document(row: Sequence[str], columns: Sequence[Column]) -> Any:
    if len(row) != len(columns):
        return InvalidInput.at("", f"the row has {len(row)} cells, the header {len(columns)}")
    document: dict[str, Any] = {}
    for (member, name), cell in zip(columns, row, strict=True):
        if not cell:
            continue
        if not _is_utf8(cell):
            return InvalidInput.at(f"/{member}/{name}" if name else f"/{member}", "the cell is not UTF-8")
        if name:
            document.setdefault(member, {})[name] = _value(cell, name)
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


def _value(cell: str, name: str) -> Any:
    """Return the array or object that a cell contains, except in a column of the kernel; otherwise its text.

    >>> _value('[{"name": "Lee, Ann"}]', "creators"), _value("[Letter]", "subject")
    ([{'name': 'Lee, Ann'}], '[Letter]')
    """
    if name in KERNEL or not cell.startswith(("[", "{")):
        return cell
    try:
        return load(cell.encode())
    except NotJson:
        return cell

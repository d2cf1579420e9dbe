"""EZID's batch download as CSV: the column `_id`, and one for each element.

>>> from io import BytesIO
>>> list(read_blocks(BytesIO(b"_id,_status\\r\\nark:/99999/fk4gt78tq,public\\r\\n")))
[(2, 'ark:/99999/fk4gt78tq', {'_status': 'public'})]
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final

from coolid.errors import UsageError
from coolid.migration.source_identifiers import UnreadableEntry
from coolid.migration.sources.ezid.element_blocks import ElementBlock
from coolid.transfer.bounded_lines import TOO_LONG, Line
from coolid.transfer.csv_rows import MalformedCsv, read_rows, split_cells

_IDENTIFIER: Final = "_id"


def read_blocks(file: BinaryIO) -> Iterator[ElementBlock]:
    """Yield the rows of a file; the position is the first line of each.

    Raises `UsageError` if it is no such table, or where no further row can be found.
    """
    try:
        rows = read_rows(file)
        names = _header(next(rows))
        for row in rows:
            if row.content or row.is_too_long:
                yield _block(row, names)
    except MalformedCsv as error:
        raise UsageError(f"the dump is damaged: {error}") from error


def _header(row: Line) -> list[str]:
    """Return the names of the columns."""
    try:
        names = [name.strip() for name in split_cells(row.content.decode())]
    except UnicodeDecodeError:
        names = []
    if _IDENTIFIER not in names:
        raise UsageError(
            f"the file is no batch download of EZID: it has no column {_IDENTIFIER}, and is not ANVL or XML"
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UsageError(f"the column {repeated[0][:100]!a} occurs twice")
    return names


def _block(row: Line, names: Sequence[str]) -> ElementBlock:
    if row.is_too_long:
        return UnreadableEntry(row.number, f"the row {TOO_LONG}")
    try:
        cells = split_cells(row.content.decode())
    except UnicodeDecodeError:
        return UnreadableEntry(row.number, "the row is not UTF-8")
    if len(cells) != len(names):
        return UnreadableEntry(row.number, f"the row has {len(cells)} cells, the header {len(names)}")
    elements = dict(zip(names, (cell.strip() for cell in cells), strict=True))
    identifier = elements.pop(_IDENTIFIER)
    if not identifier:
        return UnreadableEntry(row.number, "it has no identifier")
    return row.number, identifier, {name: value for name, value in elements.items() if value}

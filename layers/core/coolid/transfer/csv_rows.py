"""Rows of a CSV file (RFC 4180), in bounded memory: at most `MAX_LINE_BYTES` of a row at once.

A row ends at a line end outside quotes, so a cell may contain lines. Quotes are read as Python's `csv` reads them in
strict mode. The end of an overlong row is found by its quotes, so that reading continues on the next row, and
never inside a cell. Where quotes are wrong, no later row can be found, and reading stops with an error.

>>> from io import BytesIO
>>> [(row.number, split_cells(row.content.decode())) for row in read_rows(BytesIO(b'a,"b\\nc"\\r\\nd,e\\r\\n'))]
[(1, ['a', 'b\\nc']), (3, ['d', 'e'])]
>>> list(read_rows(BytesIO(b'a,"b"c')))
Traceback (most recent call last):
...
coolid.transfer.csv_rows.MalformedCsv: line 1: something follows the closing quotation mark of a cell
"""

import csv
import re
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, Final

from coolid.transfer import bounded_lines
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, PIECE_BYTES, Line

_CELL_START, _UNQUOTED, _QUOTED, _QUOTE, _ROW_END = range(5)
"""The parser's states: `_QUOTE` is after a quotation mark in a quoted cell, `_ROW_END` at or in a line end."""

_QUOTATION_MARK, _LINE_FEED, _CARRIAGE_RETURN = b'"\n\r'
_UNQUOTED_END: Final = re.compile(rb',"|[\r\n]')
_LINE_END: Final = re.compile(rb"[\r\n]")


class MalformedCsv(Exception):
    """No further row can be found in a file. `line` is the line that the last row begins on; `reason` a clause."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def read_rows(file: BinaryIO, *, quotes: bool = True, carriage_returns: bool = True) -> Iterator[Line]:
    """Return the rows of a file from its position, without a byte order mark. A blank line is a row without content.

    Without `quotes`, a quotation mark is a character like others, as in tab-separated values. A carriage return
    without a line feed ends a row, or is an error without `carriage_returns`; line numbers do not count it. Raises
    `MalformedCsv`.
    """
    splitter = _Splitter(quotes=quotes, carriage_returns=carriage_returns)
    pieces = iter(partial(file.readline, PIECE_BYTES), b"")
    first = next(pieces, b"")
    splitter.skip(len(first) - len(first := first.removeprefix(BYTE_ORDER_MARK)))
    for piece in chain([first], pieces):
        yield from splitter.split(piece)
    yield from splitter.finish()


def split_cells(row: str, **dialect: Any) -> list[str]:
    """Return the cells of one row of `read_rows`; `dialect` has the parameters of `csv.reader`."""
    csv.field_size_limit(sys.maxsize)  # the row is bounded already
    return next(csv.reader([row], strict=True, **dialect))


class _Splitter:
    """Splits the pieces of a file, in their order, into rows."""

    def __init__(self, *, quotes: bool, carriage_returns: bool) -> None:
        self._quotes = quotes
        self._carriage_returns = carriage_returns
        self._state = _CELL_START
        self._line = 1
        self._first_line = 1
        self._content = bytearray()
        self._length = 0
        self._read = 0

    def skip(self, size: int) -> None:
        """Count bytes before the first piece."""
        self._read += size

    def split(self, piece: bytes) -> Iterator[Line]:
        """Return the rows that end in this piece."""
        at = 0
        while at < len(piece):
            if self._state != _ROW_END:
                end, self._state = self._scan(piece, at)
                self._append(piece[at:end])
                at = end
            elif piece[at] == _LINE_FEED:
                at += 1
                self._line += 1
                yield self._end_row(self._read + at, is_terminated=True)
            elif piece[at] == _CARRIAGE_RETURN:
                at += 1
            elif self._carriage_returns:
                yield self._end_row(self._read + at, is_terminated=True)
            else:
                raise MalformedCsv(self._first_line, "a carriage return without a line feed is outside quotes")
        self._read += len(piece)

    def finish(self) -> Iterator[Line]:
        """Return the last row, if the file does not end with a line end."""
        if self._state == _QUOTED:
            raise MalformedCsv(self._first_line, "the file ends inside a quoted cell")
        if self._length or self._state == _ROW_END:
            yield self._end_row(self._read, is_terminated=False)

    def _scan(self, piece: bytes, at: int) -> tuple[int, int]:
        """Return the position of the row's end in this piece, or the piece's length, and the state there."""
        if not self._quotes:
            found = _LINE_END.search(piece, at)
            return (found.start(), _ROW_END) if found else (len(piece), _UNQUOTED)
        state = self._state
        while at < len(piece):
            if state == _QUOTED:
                at = piece.find(_QUOTATION_MARK, at) + 1
                if not at:
                    return len(piece), _QUOTED
                state = _QUOTE
            elif piece[at] == _QUOTATION_MARK and state != _UNQUOTED:
                at += 1
                state = _QUOTED
            elif state == _QUOTE and piece[at] not in b",\r\n":
                raise MalformedCsv(self._first_line, "something follows the closing quotation mark of a cell")
            else:
                found = _UNQUOTED_END.search(piece, at)
                if not found:
                    return len(piece), _CELL_START if piece.endswith(b",") else _UNQUOTED
                if found[0] != b',"':
                    return found.start(), _ROW_END
                at = found.end()
                state = _QUOTED
        return at, state

    def _append(self, part: bytes) -> None:
        """Add a part to the row; discard the content of a row that is too long."""
        self._line += part.count(b"\n")
        self._length += len(part)
        if self._length <= bounded_lines.MAX_LINE_BYTES:
            self._content += part
        else:
            self._content.clear()

    def _end_row(self, end: int, *, is_terminated: bool) -> Line:
        is_too_long = self._length > bounded_lines.MAX_LINE_BYTES
        row = Line(self._first_line, bytes(self._content), is_too_long, is_terminated, end)
        self._state = _CELL_START
        self._first_line = self._line
        self._content.clear()
        self._length = 0
        return row

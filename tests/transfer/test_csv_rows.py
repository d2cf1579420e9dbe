"""CSV rows: the same as Python's `csv` finds, however long they are, and never one that begins inside a cell."""

import csv
import sys
from collections.abc import Iterator
from io import BytesIO, StringIO
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.transfer import bounded_lines, csv_rows
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, MAX_LINE_BYTES, Line
from coolid.transfer.csv_rows import MalformedCsv, read_rows, split_cells
from tests.support.builders.large_files import GeneratedFile, measure_peak

MEGABYTES = 50
contents = st.lists(
    st.sampled_from([b'"', b'""', b",", b"\n", b"\r\n", b"\r", b"a", b"\xc3\xa9", b"\xff", b"\x00", b"\t", b" "])
).map(b"".join)

Found = list[tuple[int, list[str]]]


def read_until_stop(content: bytes, **options: Any) -> tuple[list[Line], int | None]:
    """Return the rows, and the line of the row where reading stops."""
    rows: list[Line] = []
    try:
        rows.extend(read_rows(BytesIO(content), **options))
    except MalformedCsv as error:
        return rows, error.line
    return rows, None


def find_rows(content: bytes, **options: Any) -> tuple[Found, int | None]:
    """Return the lines and cells of the rows that are not blank, and the line of the row where reading stops."""
    rows, stopped = read_until_stop(content, **options)
    return [
        (row.number, split_cells(row.content.decode(errors="surrogateescape"))) for row in rows if row.content
    ], stopped


def find_rows_with_csv(content: bytes, **dialect: Any) -> tuple[Found, int | None]:
    """Return the same as Python's `csv` finds it."""
    csv.field_size_limit(sys.maxsize)
    line_feeds = 0

    def lines() -> Iterator[str]:
        nonlocal line_feeds
        text = content.removeprefix(bounded_lines.BYTE_ORDER_MARK).decode(errors="surrogateescape")
        for line in StringIO(text, newline=""):
            line_feeds += line.count("\n")
            yield line

    rows: Found = []
    reader = csv.reader(lines(), strict=True, **dialect)
    while True:
        first_line = line_feeds + 1
        try:
            row = next(reader)
        except StopIteration:
            return rows, None
        except csv.Error:
            return rows, first_line
        if row:
            rows.append((first_line, row))


@given(content=contents, is_marked=st.booleans())
def test_rows_are_those_that_python_finds(*, content: bytes, is_marked: bool) -> None:
    content = bounded_lines.BYTE_ORDER_MARK * is_marked + content
    assert find_rows(content) == find_rows_with_csv(content)


@given(contents)
def test_without_quotes_a_row_ends_at_every_line_end(content: bytes) -> None:
    dialect: Any = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    rows = [row for row in read_rows(BytesIO(content), quotes=False) if row.content]
    cells = [(row.number, split_cells(row.content.decode(errors="surrogateescape"), **dialect)) for row in rows]
    assert (cells, None) == find_rows_with_csv(content, **dialect)


@given(content=contents, piece=st.integers(1, 5), quotes=st.booleans(), carriage_returns=st.booleans())
def test_pieces_of_any_size_give_the_same_rows(
    *, content: bytes, piece: int, quotes: bool, carriage_returns: bool
) -> None:
    options = {"quotes": quotes, "carriage_returns": carriage_returns}
    whole = read_until_stop(content, **options)
    with patch.object(csv_rows, "PIECE_BYTES", piece):
        assert read_until_stop(content, **options) == whole


@given(contents, st.integers(1, 5))
def test_rows_that_are_too_long_are_reported_and_change_no_other_row(content: bytes, limit: int) -> None:
    whole, stopped = read_until_stop(content)
    with patch.object(bounded_lines, "MAX_LINE_BYTES", limit):
        bounded, also_stopped = read_until_stop(content)
    assert also_stopped == stopped
    assert bounded == [
        Line(row.number, b"", True, row.is_terminated, row.end) if len(row.content) > limit else row for row in whole
    ]


@given(contents, st.booleans())
def test_reading_from_the_end_of_any_row_gives_the_rows_after_it(content: bytes, has_mark: bool) -> None:
    content = BYTE_ORDER_MARK * has_mark + content
    rows, stopped = read_until_stop(content)
    for at, row in enumerate(rows, 1):
        rest, rest_stopped = read_until_stop(content[row.end :])
        assert [each.content for each in rest] == [each.content for each in rows[at:]]
        assert [row.end + each.end for each in rest] == [each.end for each in rows[at:]]
        assert (rest_stopped is None) == (stopped is None)
    if rows and stopped is None:
        assert rows[-1].end == len(content)


@given(contents)
def test_a_carriage_return_alone_is_an_error_where_it_may_not_end_a_row(content: bytes) -> None:
    rows, stopped = find_rows(content, carriage_returns=False)
    whole, stopped_anyway = find_rows(content)
    assert whole[: len(rows)] == rows
    if stopped is None:
        assert (whole, stopped_anyway) == (rows, None)
    else:
        assert all(line < stopped for line, _ in rows)
        assert all(line >= stopped for line, _ in whole[len(rows) :])


@pytest.mark.parametrize(
    ("content", "rows", "line", "reason"),
    [
        (b'a,b\n"c\nd', [(1, ["a", "b"])], 2, "ends inside a quoted cell"),
        (b'a\n"b"c\nd\n', [(1, ["a"])], 2, "follows the closing quotation mark"),
        (b'a\n"b\nc"d\ne\n', [(1, ["a"])], 2, "follows the closing quotation mark"),
        (b"a\nb\rc\nd\n", [(1, ["a"])], 2, "carriage return"),
        (b'a\n"b"\rc\nd\n', [(1, ["a"])], 2, "carriage return"),
        (b"\n\n\rc\n", [], 3, "carriage return"),
    ],
)
def test_reading_stops_at_the_row_behind_which_no_row_can_be_found(
    content: bytes, rows: Found, line: int, reason: str
) -> None:
    assert find_rows(content, carriage_returns=False) == (rows, line)
    with pytest.raises(MalformedCsv, match=reason):
        list(read_rows(BytesIO(content), carriage_returns=False))


@pytest.mark.parametrize("end", [b"\r", b"\r\n", b"\r\r\n", b"\n", b""])
def test_a_row_may_end_with_any_line_end_at_the_end_of_the_file(end: bytes) -> None:
    assert find_rows(b"a,b" + end, carriage_returns=False) == ([(1, ["a", "b"])], None)


def test_a_row_may_end_with_several_carriage_returns_and_a_line_feed() -> None:
    assert find_rows(b'a\r\r\n"b"\r\r\nc', carriage_returns=False) == ([(1, ["a"]), (2, ["b"]), (3, ["c"])], None)


def test_a_cell_of_any_length_takes_no_more_memory_than_the_limit_allows() -> None:
    file = GeneratedFile((b'a,b\n"', 1), (b'mp,""inside\n' + b"x" * 999 + b"\n", 1_000 * MEGABYTES), (b'",c\nd,e\n', 1))
    rows: list[Line] = []
    assert measure_peak(lambda: rows.extend(read_rows(file.binary))) < 5 * MAX_LINE_BYTES
    assert file.largest_read <= bounded_lines.PIECE_BYTES
    assert [(row.number, row.content, row.is_too_long) for row in rows] == [
        (1, b"a,b", False),
        (2, b"", True),
        (3 + 2 * 1_000 * MEGABYTES, b"d,e", False),
    ]


def test_a_line_of_any_length_takes_no_more_memory_than_the_limit_allows() -> None:
    file = GeneratedFile((b"a,b\n", 1), (b"x," * 500, 1_000 * MEGABYTES), (b"\nd,e\n", 1))
    rows: list[Line] = []
    assert measure_peak(lambda: rows.extend(read_rows(file.binary))) < 5 * MAX_LINE_BYTES
    assert [(row.number, row.content, row.is_too_long) for row in rows] == [
        (1, b"a,b", False),
        (2, b"", True),
        (3, b"d,e", False),
    ]

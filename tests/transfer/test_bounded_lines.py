"""Lines of a file: all of them, and no more than the limit of each in memory."""

from io import BytesIO
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.transfer import bounded_lines
from coolid.transfer.bounded_lines import MAX_LINE_BYTES, Line, read_lines
from tests.support.builders.large_files import GeneratedFile, measure_peak

MEGABYTES = 50


@given(content=st.lists(st.binary(max_size=12)).map(b"\n".join), limit=st.integers(1, 8), piece=st.integers(1, 8))
def test_every_line_is_returned_once_with_its_number(content: bytes, limit: int, piece: int) -> None:
    with patch.object(bounded_lines, "MAX_LINE_BYTES", limit), patch.object(bounded_lines, "PIECE_BYTES", piece):
        lines = list(read_lines(BytesIO(content)))
    expected = content.splitlines(keepends=True) if b"\r" not in content else None
    whole = [each + b"\n" for each in content.split(b"\n")]
    whole = [*whole[:-1], whole[-1].removesuffix(b"\n")] if whole[-1] != b"\n" else whole[:-1]
    assert expected in (None, whole)
    assert [line.number for line in lines] == list(range(1, len(whole) + 1))
    for line, each in zip(lines, whole, strict=True):
        text = each.removesuffix(b"\n")
        assert line.is_too_long == (len(text) > limit)
        assert line.content == (b"" if line.is_too_long else text)
        assert line.is_terminated == each.endswith(b"\n")


@pytest.mark.parametrize("end", [b"", b"\n", b"\nnext"])
def test_a_line_at_the_limit_is_returned_and_a_longer_one_is_reported(end: bytes) -> None:
    is_terminated = bool(end)
    most, longer = b"x" * MAX_LINE_BYTES, b"x" * (MAX_LINE_BYTES + 1)
    for line, content, is_too_long in ((most, most, False), (longer, b"", True)):
        first_end = len(line) + is_terminated
        more = [Line(2, b"next", is_terminated=False, end=first_end + 4)] if end == b"\nnext" else []
        expected = [Line(1, content, is_too_long, is_terminated, first_end), *more]
        assert list(read_lines(BytesIO(line + end))) == expected


def test_a_line_of_any_length_takes_no_more_memory_than_the_limit_allows() -> None:
    file = GeneratedFile((b"first\n", 1), (b"x" * 1_000, 1_000 * MEGABYTES), (b"\nlast", 1))
    lines: list[Line] = []
    assert measure_peak(lambda: lines.extend(read_lines(file.binary))) < 5 * MAX_LINE_BYTES
    assert file.largest_read == MAX_LINE_BYTES + 1
    assert [(line.number, line.content, line.is_too_long) for line in lines] == [
        (1, b"first", False),
        (2, b"", True),
        (3, b"last", False),
    ]

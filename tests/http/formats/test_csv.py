"""Tables as CSV: no cell is a formula, and every text is read back as it was."""

import csv
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st

from coolid.http.formats.csv import unguarded, write

TEXTS = st.text() | st.text(alphabet="'=+-@\t\r\n,\"a")


@given(rows=st.lists(st.lists(TEXTS, min_size=2, max_size=3)))
def test_every_text_is_read_back_and_none_is_a_formula(rows: list[list[str]]) -> None:
    cells = [*csv.reader(StringIO(write(rows), newline=""), strict=True)]
    assert [[unguarded(cell) for cell in row] for row in cells] == rows
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for row in cells for cell in row)

"""Reading rows to mint from CSV and JSON Lines."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidInput
from coolid.transfer.csv_rows import MalformedCsv
from coolid.transfer.row_reader import InvalidTable, columns_of, read
from tests.support.builders.large_files import measure_peak


def rows_in(path: Path) -> list[tuple[int, Any]]:
    with path.open("rb") as file:
        return list(read(file))


def rows_of(folder: Path, content: bytes) -> list[tuple[int, Any]]:
    (folder / "in").write_bytes(content)
    return rows_in(folder / "in")


class TestRows:
    @pytest.mark.parametrize(
        ("header", "named"),
        [
            (b"prefix,colour,uri,size\n", ["colour", "size"]),
            (b"prefix,,uri\n", ["(no name)"]),
            (b"prefix,uri,uri\n", ["uri"]),
            (b"prefix,what,metadata.what\n", ["what"]),
            (b"prefix,metadata.\n", ["metadata."]),
            (b"", ["empty"]),
            (b"\xef\xbb\xbf", ["empty"]),
            (b"prefix;uri\n", ["prefix;uri"]),
            (b"PK\x03\x04\x14\n", ["spreadsheet"]),
            (b"\x00\xff\n", []),
        ],
    )
    def test_columns_that_belong_nowhere_are_all_named_before_anything_is_read(
        self, tmp_path: Path, header: bytes, named: list[str]
    ) -> None:
        (tmp_path / "in").write_bytes(header)
        with pytest.raises(InvalidTable) as raised:
            rows_in(tmp_path / "in")
        assert all(name in str(raised.value) for name in named)

    def test_a_header_of_many_columns_is_read_at_once_and_reported_in_a_few_words(self) -> None:
        many = [f"metadata.{at}" for at in range(100_000)]
        assert len(columns_of(many)) == len(many)
        for header in (many * 2, [f"{'x' * 1000}{at}" for at in range(1_000)]):
            with pytest.raises(InvalidTable) as raised:
                columns_of(header)
            assert len(str(raised.value)) < 2_000

    def test_rows_are_reported_with_their_first_line(self, tmp_path: Path) -> None:
        content = b'\xef\xbb\xbfprefix,what\r\nmp,"a\nb"\r\n\r\nmp,c\r\n'
        assert rows_of(tmp_path, content) == [
            (2, {"prefix": "mp", "metadata": {"what": "a\nb"}}),
            (5, {"prefix": "mp", "metadata": {"what": "c"}}),
        ]

    @pytest.mark.parametrize(
        "row",
        [
            b"a",
            b"a,b,c",
            b"mp,\xff",
            b"mp," + b"x" * 1_100_000,
            b'mp,"' + b"x" * 1_100_000 + b'"',
            b'mp,"' + b"x" * 600_000 + b"\nmp,inside\n" + b"x" * 600_000 + b'"',
            b'mp,"' + b"mp,inside\n" * 150_000 + b'"',
            b'mp,"' + b'mp,""inside""\n' * 100_000 + b'"',
            b"mp," + b"x" * 999_997 + b',"\nmp,inside\n"',
            b"x," * 600_000,
        ],
        ids=range(10),
    )
    def test_a_row_that_cannot_be_read_does_not_stop_the_others(self, tmp_path: Path, row: bytes) -> None:
        (wrong, right) = rows_of(tmp_path, b"prefix,what\n" + row + b"\nmp,good\n")
        assert wrong[0] == 2
        assert isinstance(wrong[1], InvalidInput)
        assert right == (3 + row.count(b"\n"), {"prefix": "mp", "metadata": {"what": "good"}})

    @pytest.mark.parametrize(
        "row",
        [
            b'mp,"a"b',
            b'mp,"a"b,"\nmp,inside\n"',
            b'mp,"5"",',
            b"mp,a\rmp,b",
            b'mp,"open\nmp,inside',
            b'mp,"' + b"x" * 1_100_000 + b"\nmp,inside",
            b'mp,"' + b"x" * 1_100_000 + b'" x\nmp,inside',
        ],
        ids=range(7),
    )
    def test_where_the_next_row_cannot_be_found_reading_stops(self, tmp_path: Path, row: bytes) -> None:
        (tmp_path / "in").write_bytes(b"prefix,what\nmp,good\n" + row + b"\nmp,later\n")
        with (tmp_path / "in").open("rb") as file:
            rows = read(file)
            assert next(rows) == (2, {"prefix": "mp", "metadata": {"what": "good"}})
            with pytest.raises(MalformedCsv) as stopped:
                next(rows)
        assert stopped.value.line == 3

    @pytest.mark.parametrize("first", [b"what", b"{}"])
    def test_a_row_of_any_length_is_not_held_in_memory(self, tmp_path: Path, first: bytes) -> None:
        path = tmp_path / "in"
        with path.open("wb") as file:
            file.write(first + b'\n"')
            file.seek(50_000_000)
            file.write(b'"\n' + first + b"\n")
        found: list[tuple[int, Any]] = []
        assert measure_peak(lambda: found.extend(rows_in(path))) < 10_000_000
        assert [(line, type(row)) for line, row in found][-2:] == [(2, InvalidInput), (3, dict)]

    def test_a_header_that_is_too_long_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"prefix," + b"x" * 1_000_000 + b"\nmp,a\n")
        with pytest.raises(InvalidTable, match="header is longer"):
            rows_in(tmp_path / "in")

    @pytest.mark.parametrize("header", [b'"prefix"x,what\n', b"prefix\rmp\r", b'prefix,"what\nmp,a\n'])
    def test_a_header_whose_end_cannot_be_found_is_refused(self, tmp_path: Path, header: bytes) -> None:
        (tmp_path / "in").write_bytes(header)
        with pytest.raises(InvalidTable, match="not CSV"):
            rows_in(tmp_path / "in")

    @pytest.mark.parametrize(
        "row", [b"{", b"\xff", b'{"a": 1, "a": 2}', b"NaN", b'"' + b"x" * 1_100_000 + b'"'], ids=range(5)
    )
    def test_nor_does_a_line_that_is_not_json(self, tmp_path: Path, row: bytes) -> None:
        found = rows_of(tmp_path, b'{"prefix": "mp"}\n' + row + b'\n{"prefix": "b"}')
        assert [number for number, _ in found] == [1, 2, 3]
        assert found[2][1] == {"prefix": "b"}
        assert not isinstance(found[1][1], dict)

    @given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.text("ab\n\r\",'é")), max_size=5))
    def test_whatever_text_is_written_is_read(
        self, tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
    ) -> None:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([("what", "who"), *rows])
        found = rows_of(tmp_path_factory.mktemp("rows"), text.getvalue().encode())
        returned = [{name: cell for name, cell in zip(("what", "who"), row, strict=True) if cell} for row in rows]
        assert [document.get("metadata", {}) for _, document in found] == returned

"""Every row of a file is minted, counted as present, refused, or behind the row at which the import stopped."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.transfer import bounded_lines, bulk_minter
from coolid.transfer.progress import Refusal, TransferProgress
from tests.support.builders.samples import BASE_URL
from tests.support.effort import examples
from tests.support.fixtures.installations import Installation, minted

TEXTS = st.one_of(
    st.text('abé", \n\t\x00', max_size=6),
    st.integers(1, 50).map(lambda count: "a\ninside,of\n" * count),
    st.integers(1, 600).map(lambda count: "x" * count),
)
LIMIT = 400
"""The most bytes of a line where what becomes of every row is counted."""


@st.composite
def csv_files(draw: st.DrawFn) -> bytes:
    """Tables with cells of any length, wrong quotes and numbers of cells, and torn ends."""

    def cell() -> bytes:
        text = draw(TEXTS)
        is_quoted = any(symbol in text for symbol in '",\n') or draw(st.booleans())
        return ('"' + text.replace('"', '""') + '"' if is_quoted else text).encode()

    def row() -> bytes:
        count = draw(st.sampled_from([2, 2, 2, 2, 1, 3]))
        fault = draw(st.sampled_from([b""] * 15 + [b'"', b'"x', b"\xff"]))
        return b",".join(cell() for _ in range(count)) + fault + draw(st.sampled_from([b"\n", b"\r\n", b"\n\n"]))

    content = b"".join(row() for _ in range(draw(st.integers(0, 6))))
    return b"what,who\n" + content[: len(content) - draw(st.sampled_from([0, 0, 0, 1, 3, 10, 50]))]


@st.composite
def json_lines(draw: st.DrawFn) -> bytes:
    """Lines with documents of any length and with what is none, and torn ends."""
    documents = st.builds(lambda text: json.dumps({"metadata": {"what": text}}, ensure_ascii=False).encode(), TEXTS)
    others = st.sampled_from([b"", b"  ", b"{", b"5", b'"a', b"\xff", b"\x00", b'{"metadata":\r{}}', b"x" * 500])
    lines = draw(st.lists(st.one_of(documents, documents, others), max_size=6))
    content = b"".join(line + draw(st.sampled_from([b"\n", b"\r\n"])) for line in lines)
    return b"{}\n" + content[: len(content) - draw(st.sampled_from([0, 0, 1, 3, 10, 50]))]


def read_with_csv(content: bytes) -> tuple[dict[int, list[str]], int | None]:
    """The rows that `csv` finds behind the header, by the lines they begin on; and the line of the one it fails at."""
    csv.field_size_limit(sys.maxsize)
    number = 0

    def counted() -> Any:
        nonlocal number
        for line in io.StringIO(content.decode(errors="surrogateescape"), newline=""):
            number += line.count("\n")
            yield line

    reader = csv.reader(counted(), strict=True)
    next(reader)
    rows: dict[int, list[str]] = {}
    while True:
        first = number + 1
        try:
            row = next(reader)
        except StopIteration:
            return rows, None
        except csv.Error:
            return rows, first
        if row:
            rows[first] = row


class TestAccounting:
    @staticmethod
    def import_twice(installation: Installation, path: Path) -> tuple[TransferProgress, list[Refusal], dict[int, Any]]:
        """Bring in a file, and again; what became of its rows, and the metadata of those minted, by their lines."""
        with patch.object(bounded_lines, "MAX_LINE_BYTES", LIMIT), patch.object(bulk_minter, "_BLOCK", 2):
            progress, refusals = installation.mint_rows(path, "mp")
            again, _ = installation.mint_rows(path, "mp")
        assert (again.written, again.present, again.refused) == (
            0,
            progress.written + progress.present,
            progress.refused,
        )
        assert again.stopped == progress.stopped
        repository = installation.minter.namespace("mp").repository
        found: dict[int, Any] = {}
        for line, pid in minted(path).items():
            key = repository.rules.validate(pid.removeprefix(f"{BASE_URL}/mp")[1:])
            record = installation.store.records.record(repository.id, key)
            assert record is not None
            found[line] = record.metadata
        return progress, refusals, found

    @given(content=csv_files())
    @examples(40)
    def test_every_row_of_a_table_is_minted_or_refused_or_reported_once(
        self, ledger: Installation, tmp_path_factory: pytest.TempPathFactory, content: bytes
    ) -> None:
        path = tmp_path_factory.mktemp("table") / "in.csv"
        path.write_bytes(content)
        rows, stopped = read_with_csv(content)
        progress, refusals, records = self.import_twice(ledger, path)
        assert progress.written + progress.refused == len(rows)
        assert (progress.stopped.line if progress.stopped else None) == stopped
        assert len({each.line for each in refusals}) == progress.refused
        assert {*records} | {each.line for each in refusals} == {*rows}
        reasons = ("the row is longer", "cells, the header 2", "the cell is not UTF-8")
        assert all(any(reason in each.reason for reason in reasons) for each in refusals), refusals
        for line, metadata in records.items():
            row = zip(("what", "who"), rows[line], strict=True)
            assert metadata == {name: cell for name, cell in row if cell}

    @given(content=json_lines())
    @examples(40)
    def test_every_line_of_json_is_minted_or_refused_once(
        self, ledger: Installation, tmp_path_factory: pytest.TempPathFactory, content: bytes
    ) -> None:
        path = tmp_path_factory.mktemp("lines") / "in.jsonl"
        path.write_bytes(content)
        lines = {number: line for number, line in enumerate(content.split(b"\n"), 1) if line.strip()}
        progress, refusals, records = self.import_twice(ledger, path)
        assert progress.written + progress.refused == len(lines)
        assert progress.stopped is None
        assert {*records} | {each.line for each in refusals} == {*lines}
        for line, metadata in records.items():
            assert json.loads(lines[line]).get("metadata", {}) == metadata

    def test_lines_inside_a_cell_that_is_too_long_are_not_minted(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp")
        path = tmp_path / "in.csv"
        inside = "mp,inside\n" * 150_000
        path.write_text(f'prefix,what\nmp,"{inside}"\nmp,good\n')
        progress, refusals = installation.mint_rows(path)
        assert [each["metadata"] for each in installation.records()] == [{"what": "good"}]
        assert (progress.written, [each.line for each in refusals]) == (1, [2])
        assert progress.stopped is None

    def test_the_row_after_a_line_that_is_too_long_is_minted(self, installation: Installation, tmp_path: Path) -> None:
        installation.add("mp")
        path = tmp_path / "in.csv"
        path.write_text(f'prefix,what\nmp,"{"x" * 1_000_001}"\nmp,good\nmp,better\n')
        progress, refusals = installation.mint_rows(path)
        assert sorted(each["metadata"]["what"] for each in installation.records()) == ["better", "good"]
        assert (progress.written, [each.line for each in refusals]) == (2, [2])

    def test_rows_before_one_whose_end_is_not_found_are_minted_and_none_behind_it(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp")
        path = tmp_path / "in.csv"
        path.write_text('prefix,what\nmp,first\nnone,second\nmp,"third"s,"\nmp,inside\n"\nmp,later\n')
        progress, refusals = installation.mint_rows(path)
        assert [each["metadata"] for each in installation.records()] == [{"what": "first"}]
        assert (progress.written, [each.line for each in refusals]) == (1, [3])
        assert progress.stopped is not None
        assert progress.stopped.line == 4
        assert minted(path).keys() == {2}

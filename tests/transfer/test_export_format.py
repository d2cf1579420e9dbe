"""The format of exports: a file that is truncated or changed is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.transfer import export_format
from coolid.transfer.export_format import InvalidExport
from tests.support.builders.large_files import measure_peak
from tests.support.fixtures.installations import check_export


class TestTheSeal:
    WHOLE = b"".join(export_format.export_lines([{"kind": "keys", "keys": []}, {"kind": "repository", "id": "a"}]))

    def refused(self, folder: Path, content: bytes) -> None:
        (folder / "export").write_bytes(content)
        with pytest.raises(InvalidExport):
            check_export(folder / "export")

    def test_a_whole_one_is_taken(self, tmp_path: Path) -> None:
        (tmp_path / "export").write_bytes(self.WHOLE)
        check_export(tmp_path / "export")

    @given(st.integers(0, 10_000))
    def test_a_torn_one_is_not(self, tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
        self.refused(tmp_path_factory.mktemp("seal"), self.WHOLE[: length % (len(self.WHOLE) - 1)])

    @given(st.integers(0, 10_000), st.integers(1, 255))
    def test_nor_one_with_a_changed_byte(
        self, tmp_path_factory: pytest.TempPathFactory, position: int, change: int
    ) -> None:
        changed = bytearray(self.WHOLE)
        changed[position % (len(changed) - 1)] ^= change
        self.refused(tmp_path_factory.mktemp("seal"), bytes(changed))

    @pytest.mark.parametrize("more", [b"\n", b"{}\n", WHOLE])
    def test_nor_one_with_more_behind_it(self, tmp_path: Path, more: bytes) -> None:
        self.refused(tmp_path, self.WHOLE + more)

    def test_a_line_of_any_length_is_not_held_in_memory(self, tmp_path: Path) -> None:
        first, rest = self.WHOLE.split(b"\n", 1)
        with (tmp_path / "export").open("wb") as file:
            file.write(first + b"\n")
            file.seek(50_000_000)
            file.write(b"\n" + rest)

        def check() -> None:
            with pytest.raises(InvalidExport, match="line 2 is longer than"):
                check_export(tmp_path / "export")

        assert measure_peak(check) < 10_000_000

    def test_nor_one_that_lacks_a_line(self, tmp_path: Path) -> None:
        whole = self.WHOLE.splitlines(keepends=True)
        for position in range(len(whole)):
            self.refused(tmp_path, b"".join(whole[:position] + whole[position + 1 :]))

"""The journal of an import."""

from pathlib import Path

import pytest

from coolid.private_files import UnsuitableFile
from coolid.transfer.journal import SUFFIX, InvalidJournal, Journal
from tests.support.fixtures.installations import Installation, table


class TestJournal:
    def test_a_file_that_changed_since_its_import_began_is_refused(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp")
        path = table(tmp_path, {"prefix": "mp", "what": "a"})
        installation.mint_rows(path)
        path.write_text(path.read_text() + "mp,b\n")
        with pytest.raises(InvalidJournal, match="changed"):
            installation.mint_rows(path)

    @pytest.mark.parametrize(
        "content", [b"my thesis", b"my thesis\n", b"{}\n", b"\x00" * 10, b'{"format":"other"}', b"x" * 1_100_000]
    )
    def test_what_is_no_journal_is_left_as_it_is(
        self, installation: Installation, tmp_path: Path, content: bytes
    ) -> None:
        path = table(tmp_path, {"prefix": "mp"})
        beside = path.with_name(path.name + SUFFIX)
        beside.write_bytes(content)
        with pytest.raises(InvalidJournal, match="something else"):
            installation.mint_rows(path)
        assert beside.read_bytes() == content

    @pytest.mark.parametrize("length", [0, 1, 20])
    def test_a_journal_whose_first_line_is_torn_is_begun_again(
        self, installation: Installation, tmp_path: Path, length: int
    ) -> None:
        installation.add("mp")
        path = table(tmp_path, {"prefix": "mp"})
        beside = path.with_name(path.name + SUFFIX)
        Journal.open(path, installation.settings.database).close()
        beside.write_bytes(beside.read_bytes()[:length])
        assert installation.mint_rows(path)[0].written == 1

    def test_a_journal_with_a_line_that_is_too_long_is_damaged(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        path = table(tmp_path, {"prefix": "mp"})
        Journal.open(path, installation.settings.database).close()
        beside = path.with_name(path.name + SUFFIX)
        damaged = beside.read_bytes() + b"\x00" * 1_100_000
        beside.write_bytes(damaged)
        with pytest.raises(InvalidJournal, match="line 2 is longer"):
            installation.mint_rows(path)
        assert beside.read_bytes() == damaged

    def test_a_journal_that_is_a_symbolic_link_is_refused_and_the_file_that_it_names_is_not_changed(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp")
        path, precious = table(tmp_path, {"prefix": "mp"}), tmp_path / "precious"
        for content in (b"", b"my thesis"):
            precious.write_bytes(content)
            path.with_name(path.name + SUFFIX).symlink_to(precious)
            with pytest.raises(UnsuitableFile, match="symbolic link"):
                installation.mint_rows(path)
            assert precious.read_bytes() == content
            path.with_name(path.name + SUFFIX).unlink()
        assert installation.records() == []

    def test_so_is_one_that_is_being_imported(self, installation: Installation, tmp_path: Path) -> None:
        path = table(tmp_path, {"prefix": "mp"})
        journal = Journal.open(path, "a table")
        with pytest.raises(InvalidJournal, match="in use"):
            Journal.open(path, "a table")
        journal.close()

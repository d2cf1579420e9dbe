"""The folder of the transparency log: which partial tiles it keeps, and backups that lack some."""

from pathlib import Path

import pytest

from coolid.log.tiles import WIDTH, Tile, bundle_of, content_of_partial
from coolid.sqlite.log import backup
from coolid.sqlite.log.folder import LogFolder

LEVELS = (None, 0)


def content(level: int | None, index: int, width: int = WIDTH) -> bytes:
    """Return the content of a tile, or of a bundle."""
    entries = [f"{index} {number}".encode() for number in range(width)]
    return bundle_of(entries) if level is None else b"".join(each.rjust(32) for each in entries)


def tile(level: int | None, index: int, width: int = WIDTH) -> dict[str, bytes]:
    return {Tile(level, index, width).path: content(level, index, width)}


@pytest.fixture
def files(tmp_path: Path) -> LogFolder:
    return LogFolder(tmp_path / "coolid.db.log")


@pytest.mark.parametrize("level", LEVELS)
def test_partial_tiles_go_when_the_next_tile_is_full(files: LogFolder, level: int | None) -> None:
    partial = [Tile(level, 3, 5).path, Tile(level, 3, 6).path]
    files.write(tile(level, 3, 5) | tile(level, 3, 6))
    files.write(tile(level, 3) | tile(level, 4, 1))
    assert len(files.read(partial)) == 2
    files.write(tile(level, 4) | tile(level, 5, 9))
    assert not files.read(partial)
    assert len(files.read([Tile(level, 4, 1).path, Tile(level, 5, 9).path])) == 2
    files.write(tile(level, 4))


def test_partial_tiles_stay_without_a_full_one(files: LogFolder) -> None:
    files.write(tile(0, 3, 5))
    files.write(tile(0, 4))
    assert files.read([Tile(0, 3, 5).path])


def test_a_folder_that_is_a_link_is_not_emptied(files: LogFolder, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "5").write_bytes(b"")
    files.write(tile(0, 3))
    (tmp_path / "coolid.db.log/tile/0/003.p").symlink_to(other)
    files.write(tile(0, 4))
    assert (other / "5").exists()


def test_a_backup_cuts_partial_tiles_from_full_ones(files: LogFolder) -> None:
    for level in LEVELS:
        files.write(tile(level, 0) | tile(level, 1))
    wanted = [Tile(level, 1, 7) for level in LEVELS]
    found = backup._read([*wanted, Tile(0, 2, 7)], files)
    assert found == {each.path: content(level, 1, 7) for each, level in zip(wanted, LEVELS, strict=True)}


def test_a_partial_tile_is_the_beginning_of_the_full_one() -> None:
    for level in LEVELS:
        assert content_of_partial(Tile(level, 3, 7), content(level, 3)) == content(level, 3, 7)

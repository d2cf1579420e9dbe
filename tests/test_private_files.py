"""Private files: no other user can read them, and anything else with their name is refused and unchanged."""

import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from coolid import private_files
from coolid.private_files import UnsuitableFile
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


@pytest.fixture(autouse=True)
def _open_umask() -> Any:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def entered(manager: AbstractContextManager[Any]) -> None:
    with manager:
        pytest.fail("it was opened")


def replaced(path: Path, content: Any, temporary: Path | None = None) -> None:
    with private_files.replacement(path, temporary) as file:
        file.write(content)


USES: dict[str, Callable[[Path], Any]] = {
    "exists": private_files.exists,
    "read": private_files.read,
    "read_secret": private_files.read_secret,
    "locked": lambda path: entered(private_files.open_locked(path)),
    "replacement": lambda path: entered(private_files.replacement(path)),
    "temporary file": lambda path: entered(private_files.replacement(path.with_name("other"), path)),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_anything_but_a_regular_file_is_refused_by_name_and_left_as_it_is(path: Path, obstacle: str, use: str) -> None:
    OBSTACLES[obstacle](path)
    with pytest.raises(UnsuitableFile, match=r"symbolic link|not a regular file") as raised:
        USES[use](path)
    assert raised.value.filename == str(path)
    assert is_untouched(obstacle, path)
    assert not path.with_name("other").exists()


@pytest.mark.parametrize("obstacle", ["link", "dangling link"])
def test_a_link_that_appears_after_the_check_is_not_followed_either(
    path: Path, obstacle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    OBSTACLES[obstacle](path)
    monkeypatch.setattr(private_files, "exists", lambda _: False)
    for use in ("read", "locked", "temporary file"):
        with pytest.raises(OSError, match=r"symbolic links|File exists"):
            USES[use](path)
    assert is_untouched(obstacle, path)


class TestReading:
    def test_a_missing_file_has_no_content(self, path: Path) -> None:
        assert private_files.read(path) is None
        assert not private_files.exists(path)

    def test_a_file_is_read_whole(self, path: Path) -> None:
        path.write_bytes(b"content")
        assert private_files.read(path) == b"content"
        assert private_files.exists(path)


class TestLocks:
    def test_the_file_is_created_for_its_owner_only(self, path: Path) -> None:
        with private_files.open_locked(path):
            assert mode(path) == 0o600

    def test_a_file_that_exists_keeps_its_content(self, path: Path) -> None:
        path.write_bytes(b"content")
        with private_files.open_locked(path):
            pass
        assert path.read_bytes() == b"content"

    def test_a_lock_has_one_holder_at_a_time(self, path: Path) -> None:
        with private_files.open_locked(path), pytest.raises(BlockingIOError):
            entered(private_files.open_locked(path))
        with private_files.open_locked(path):
            pass


class TestReplacements:
    def test_the_new_file_is_its_owners_only_and_stands_alone(self, path: Path) -> None:
        path.write_bytes(b"old")
        replaced(path, b"new")
        assert (path.read_bytes(), mode(path)) == (b"new", 0o600)
        assert list(path.parent.iterdir()) == [path]

    def test_the_temporary_file_is_its_owners_only_from_the_first_moment(self, path: Path) -> None:
        with private_files.replacement(path):
            (temporary,) = path.parent.iterdir()
            assert mode(temporary) == 0o600

    def test_a_block_that_raises_leaves_the_old_file_and_nothing_else(self, path: Path) -> None:
        path.write_bytes(b"old")
        with pytest.raises(TypeError):
            replaced(path, "not bytes")
        assert path.read_bytes() == b"old"
        assert list(path.parent.iterdir()) == [path]

    def test_what_a_killed_process_left_is_removed_and_not_written_to(self, path: Path) -> None:
        left, another = path.with_name("left"), path.with_name("another")
        left.write_bytes(b"half of the n")
        another.hardlink_to(left)
        replaced(path, b"new", left)
        assert path.read_bytes() == b"new"
        assert another.read_bytes() == b"half of the n"
        assert not left.exists()

    def test_two_writers_without_a_lock_do_not_disturb_each_other(self, path: Path) -> None:
        with private_files.replacement(path) as first:
            first.write(b"first")
            replaced(path, b"second")
        assert path.read_bytes() == b"first"

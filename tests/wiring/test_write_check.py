"""Whether a database accepts writes: a lock ends by itself, a deleted file does not."""

from contextlib import closing
from pathlib import Path

import pytest

from coolid.errors import StoreUnavailable
from coolid.sqlite.connections import connect
from coolid.sqlite.database import Database
from coolid.wiring import write_check
from coolid.wiring.write_check import HOLD_SECONDS, WriteCheck
from tests.sqlite.limits import file_size_limit


class Elapsed:
    """A clock on which every call takes longer than an outcome holds, unless `step` is changed."""

    def __init__(self) -> None:
        self.now, self.step = 0.0, HOLD_SECONDS + 1

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_a_lock_is_waited_for_briefly_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_check, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(Database, "accepts_writes", lambda _: True)  # it would wait for longer
    with Database.open(tmp_path / "a.db", is_durable=False) as database:
        accepts_writes = WriteCheck(database, Elapsed())
        assert accepts_writes()
        with closing(connect(database.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert not accepts_writes()
        assert accepts_writes()


def test_a_limit_of_the_files_size_is_found_by_a_write(tmp_path: Path) -> None:
    with Database.open(tmp_path / "a.db") as database:
        log, elapsed = tmp_path / "a.db-wal", Elapsed()
        accepts_writes = WriteCheck(database, elapsed)
        assert accepts_writes()
        size = log.stat().st_size
        with file_size_limit(size):
            assert not accepts_writes()
            assert database.check() == ()
        elapsed.step = 0
        elapsed.now += HOLD_SECONDS / 2
        assert not accepts_writes()
        assert log.stat().st_size == size  # only the first of several requests writes
        elapsed.now += HOLD_SECONDS
        assert accepts_writes()


@pytest.mark.parametrize(
    ("name", "is_replaced"), [("a.db", False), ("a.db", True), ("a.db-wal", False), ("a.db-wal", True)]
)
def test_a_deleted_or_replaced_file_is_an_error(tmp_path: Path, name: str, is_replaced: bool) -> None:
    with Database.open(tmp_path / "a.db", is_durable=False) as database:
        (tmp_path / name).rename(tmp_path / "moved")
        if is_replaced:
            (tmp_path / name).touch()
        with pytest.raises(StoreUnavailable):
            WriteCheck(database)()

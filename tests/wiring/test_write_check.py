"""Whether a database accepts writes: a lock ends by itself, a deleted file does not."""

from contextlib import closing
from pathlib import Path

import pytest

from coolid.errors import StoreUnavailable
from coolid.sqlite.connections import connect
from coolid.sqlite.database import Database
from coolid.wiring import write_check


def test_a_lock_is_waited_for_briefly_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_check, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(Database, "accepts_writes", lambda _: True)  # it would wait for longer
    with Database.open(tmp_path / "a.db", is_durable=False) as database:
        assert write_check.accepts_writes(database)
        with closing(connect(database.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert not write_check.accepts_writes(database)
        assert write_check.accepts_writes(database)


@pytest.mark.parametrize(
    ("name", "is_replaced"), [("a.db", False), ("a.db", True), ("a.db-wal", False), ("a.db-wal", True)]
)
def test_a_deleted_or_replaced_file_is_an_error(tmp_path: Path, name: str, is_replaced: bool) -> None:
    with Database.open(tmp_path / "a.db", is_durable=False) as database:
        (tmp_path / name).rename(tmp_path / "moved")
        if is_replaced:
            (tmp_path / name).touch()
        with pytest.raises(StoreUnavailable):
            write_check.accepts_writes(database)

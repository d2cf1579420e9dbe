"""Whether a database accepts writes: a lock ends by itself, a deleted file does not."""

from contextlib import closing
from pathlib import Path

import pytest

from coolid.errors import StoreUnavailable
from coolid.sqlite.connections import connect
from coolid.sqlite.database import Database
from coolid.wiring import write_check
from coolid.wiring.write_check import WriteCheck


def test_a_lock_is_waited_for_briefly_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_check, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(Database, "accepts_writes", lambda _: True)  # it would wait for longer
    with Database.open(tmp_path / "a.db", is_durable=False) as database:
        check = WriteCheck(database)
        assert check.accepts_writes()
        with closing(connect(database.path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert not check.accepts_writes()
        assert check.accepts_writes()


@pytest.mark.parametrize(("name", "is_replaced"), [("a.db", False), ("a.db", True), ("a.db-wal", False)])
def test_a_deleted_or_replaced_file_is_an_error(tmp_path: Path, name: str, is_replaced: bool) -> None:
    with Database.open(tmp_path / "a.db", is_durable=False) as database:
        check = WriteCheck(database)
        (tmp_path / name).rename(tmp_path / "moved")
        if is_replaced:
            (tmp_path / name).touch()
        with pytest.raises(StoreUnavailable):
            check.accepts_writes()

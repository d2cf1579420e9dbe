"""Backups: one consistent state while others write, whole or absent, and never over another file."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from coolid.errors import UsageError
from coolid.sqlite.database import Database
from coolid.sqlite.store import sqlite_store
from tests.sqlite.limits import file_size_limit, without_privileges
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched
from tests.support.builders.samples import record

OWNER, KEY = "r4k2-9m3x-62", "tw0tywdj94"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "coolid.db", is_durable=False) as database:
        sqlite_store(database).records.create_record(record(KEY))
        yield database


def test_a_backup_is_a_private_database_with_the_same_rows(database: Database, tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        database.backup(tmp_path / "backup.db")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "backup.db").stat().st_mode) == 0o600
    with Database.open(tmp_path / "backup.db") as backup:
        assert sqlite_store(backup).records.record(OWNER, KEY) == record(KEY)
        assert backup.check() == ()
    assert {each.name for each in tmp_path.iterdir() if "backup" in each.name} == {"backup.db"}


def test_it_is_one_state_although_others_write_meanwhile(database: Database, tmp_path: Path) -> None:
    """Both counters always have the same number."""
    counters, ended = sqlite_store(database).counters, Event()

    def reserve_pairs() -> None:
        while not ended.is_set():
            database.write(
                lambda connection: connection.executemany(
                    "INSERT INTO counters VALUES (?, 1, 0, 0, 0, '') ON CONFLICT DO UPDATE "
                    "SET next_number = next_number + 1",
                    [("a",), ("b",)],
                )
            )

    thread = Thread(target=reserve_pairs)
    thread.start()
    try:
        for number in range(5):
            database.backup(tmp_path / f"{number}.db")
    finally:
        ended.set()
        thread.join()
    for number in range(5):
        with Database.open(tmp_path / f"{number}.db") as backup:
            copied = sqlite_store(backup).counters
            assert copied.reserve("a", 0, 1) == copied.reserve("b", 0, 1)
            assert backup.check() == ()
    assert counters.reserve("a", 0, 1) == counters.reserve("b", 0, 1)


def test_an_existing_file_is_never_overwritten(database: Database, tmp_path: Path) -> None:
    (tmp_path / "backup.db").write_text("another file")
    with pytest.raises(UsageError, match="exists already"):
        database.backup(tmp_path / "backup.db")
    with pytest.raises(UsageError, match="exists already"):
        database.backup(database.path)
    assert (tmp_path / "backup.db").read_text() == "another file"


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_nor_is_anything_else_of_this_name(database: Database, tmp_path: Path, obstacle: str) -> None:
    OBSTACLES[obstacle](tmp_path / "backup.db")
    with pytest.raises(UsageError):
        database.backup(tmp_path / "backup.db")
    assert is_untouched(obstacle, tmp_path / "backup.db")


def test_without_space_there_is_no_backup(database: Database, tmp_path: Path) -> None:
    before = {*tmp_path.iterdir()}
    with file_size_limit(20_000), pytest.raises(UsageError, match="disk"):
        database.backup(tmp_path / "backup.db")
    assert {*tmp_path.iterdir()} == before
    database.backup(tmp_path / "backup.db")


def test_a_limit_below_a_page_leaves_no_journal(database: Database, tmp_path: Path) -> None:
    before = {*tmp_path.iterdir()}
    with file_size_limit(2_000), pytest.raises(UsageError, match="disk"):
        database.backup(tmp_path / "backup.db")
    assert {*tmp_path.iterdir()} == before


def test_a_folder_that_is_missing_is_an_error(database: Database, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        database.backup(tmp_path / "missing" / "backup.db")


def test_a_folder_that_cannot_be_written_is_an_error(database: Database) -> None:
    with without_privileges(0o555) as folder, pytest.raises(UsageError, match="Permission denied"):
        database.backup(folder / "backup.db")

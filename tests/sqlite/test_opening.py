"""Opening a database: it is created whole and private, and a file that cannot be used is refused and left as it is."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from coolid.errors import UsageError
from coolid.identifiers.schemes import lui
from coolid.sqlite import connections, database_file
from coolid.sqlite.database import Database
from coolid.sqlite.schema import ADDITIONS, APPLICATION_ID, MIGRATIONS
from coolid.sqlite.store import sqlite_store
from tests.sqlite.limits import file_size_limit, without_privileges
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched
from tests.support.builders.samples import record

OWNER, KEY = "r4k2-9m3x-62", "tw0tywdj94"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The name of a database that does not exist yet."""
    return tmp_path / "coolid.db"


@pytest.fixture
def existing(path: Path) -> Path:
    """A database with one record."""
    with Database.open(path, is_durable=False) as database:
        sqlite_store(database).records.create_record(record(KEY))
    return path


def edit(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def schema_of(path: Path) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchall()
        return version + connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


class TestCreation:
    def test_a_new_database_is_private_and_has_all_tables_in_wal_mode(self, tmp_path: Path) -> None:
        path = tmp_path / "new" / "coolid.db"
        with Database.open(path) as database, database.read() as connection:
            assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
            assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
            modes = {name.name: stat.S_IMODE(name.stat().st_mode) for name in path.parent.iterdir()}
            assert modes == dict.fromkeys(("coolid.db", "coolid.db-wal", "coolid.db-shm"), 0o600)
            assert database.check() == ()
        assert [name.name for name in path.parent.iterdir()] == ["coolid.db"]

    @pytest.mark.parametrize("name", ["a?mode=ro", "a#b", "a%20b", "é 'b\"", ":memory:", "file:a"])
    def test_every_name_is_that_of_a_file(self, tmp_path: Path, name: str) -> None:
        with Database.open(tmp_path / name) as database:
            database.backup(tmp_path / f"{name}.backup")
        assert {each.name for each in tmp_path.iterdir()} == {name, f"{name}.backup"}

    def test_commits_wait_for_the_disk_unless_the_database_is_temporary(self, path: Path) -> None:
        for is_durable, level in ((True, 2), (False, 0)):
            with Database.open(path, is_durable=is_durable) as database:
                found = database.write(lambda connection: connection.execute("PRAGMA synchronous").fetchone())
                assert found == (level,)

    def test_of_two_processes_that_create_it_one_does_and_both_use_it(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        new_file = database_file._new_file

        @contextmanager
        def overtaken(name: Path) -> Iterator[Path]:
            with new_file(name) as new:
                yield new
                monkeypatch.undo()
                with Database.open(path) as other:
                    sqlite_store(other).records.create_record(record(KEY))

        monkeypatch.setattr(database_file, "_new_file", overtaken)
        with Database.open(path) as database:
            assert sqlite_store(database).records.record(OWNER, KEY) == record(KEY)

    def test_an_early_sqlite_is_refused(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 9))
        with pytest.raises(UsageError, match=r"needs SQLite 3\.37"):
            Database.open(path)
        assert not path.exists()


class TestMigrations:
    def test_the_schema_of_an_earlier_release_is_brought_up_to_date_and_keeps_its_rows(
        self, existing: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        later = (*MIGRATIONS, ("ALTER TABLE clients ADD COLUMN more TEXT", "CREATE TABLE further (a TEXT) STRICT"))
        monkeypatch.setattr(database_file, "MIGRATIONS", later)
        before = schema_of(existing)
        with Database.open(existing) as database:
            assert database.former_state == existing.with_name(f"coolid.db.schema-{len(MIGRATIONS)}.backup")
            assert schema_of(database.former_state) == before
            assert stat.S_IMODE(database.former_state.stat().st_mode) == 0o600
            assert sqlite_store(database).records.record(OWNER, KEY) == record(KEY)
            database.write(lambda connection: connection.execute("SELECT more FROM clients, further").fetchall())
        found = schema_of(existing)
        assert found[0] == (len(later),)
        with Database.open(existing) as database:
            assert database.former_state is None

    def test_tables_and_indexes_are_added_and_the_previous_release_can_still_use_the_file(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for additions in ({}, ADDITIONS, {}, ADDITIONS):
            monkeypatch.setattr(database_file, "ADDITIONS", additions)
            with Database.open(path, is_durable=False) as database:
                assert database.former_state is None
                store = sqlite_store(database)
                key = lui.encode(len(store.records.list_records(OWNER, 10, None)[0]))
                store.records.create_record(record(key))
                listed, _ = store.changes.list_changed(OWNER, None, None, 10, None)
                assert listed[-1].key == key
        assert set(ADDITIONS) <= {name for name, *_ in schema_of(path)[1:]}

    def test_a_migration_that_fails_changes_nothing(self, existing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        before = schema_of(existing)
        broken = ("CREATE TABLE further (a TEXT) STRICT", "CREATE TABLE further (a TEXT) STRICT")
        monkeypatch.setattr(database_file, "MIGRATIONS", (*MIGRATIONS, broken))
        with pytest.raises(sqlite3.OperationalError):
            Database.open(existing)
        assert schema_of(existing) == before
        monkeypatch.setattr(database_file, "MIGRATIONS", (*MIGRATIONS, broken[:1]))
        with Database.open(existing) as database:  # the copy of the first attempt stays
            assert database.former_state == existing.with_name(f"coolid.db.schema-{len(MIGRATIONS)}.2.backup")

    def test_a_database_that_cannot_be_copied_is_not_changed(
        self, existing: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = schema_of(existing)
        monkeypatch.setattr(database_file, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE further (a TEXT) STRICT",)))
        with file_size_limit(20_000), pytest.raises(UsageError, match="disk"):
            Database.open(existing)
        assert schema_of(existing) == before
        assert not [*existing.parent.glob("*.backup*")]

    def test_a_later_schema_is_refused(self, existing: Path) -> None:
        edit(existing, f"PRAGMA user_version={len(MIGRATIONS) + 1}")
        self.refuse(existing, "a later release")

    @staticmethod
    def refuse(path: Path, reason: str) -> None:
        before = path.read_bytes()
        with pytest.raises(UsageError, match=reason) as refused:
            Database.open(path)
        assert str(refused.value).startswith(f"{path}: ")
        assert path.read_bytes() == before


def write_nothing(path: Path) -> None:
    path.write_bytes(b"")


def write_text(path: Path) -> None:
    path.write_text("a letter" * 2_000)


def write_another_database(path: Path) -> None:
    edit(path, "CREATE TABLE letters (a TEXT)", "PRAGMA user_version=1")


def write_another_database_with_a_log(path: Path) -> None:
    edit(path, "PRAGMA journal_mode=WAL", "CREATE TABLE letters (a TEXT)")


FOREIGN: dict[str, Callable[[Path], None]] = {
    "empty": write_nothing,
    "text": write_text,
    "another database": write_another_database,
    "another database in WAL mode": write_another_database_with_a_log,
}


class TestUnusableFiles:
    @pytest.mark.parametrize("kind", FOREIGN)
    def test_a_file_of_another_application_is_refused(self, path: Path, kind: str) -> None:
        FOREIGN[kind](path)
        TestMigrations.refuse(path, "not a database of this program|not a database|damaged")

    @pytest.mark.parametrize("size", [99, 4_096, 10_000])
    def test_a_file_that_lacks_its_end_is_refused(self, existing: Path, size: int) -> None:
        os.truncate(existing, size)
        TestMigrations.refuse(existing, "damaged")

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    @pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
    def test_what_is_no_regular_file_is_refused(self, path: Path, obstacle: str, suffix: str) -> None:
        name = path.with_name(path.name + suffix)
        OBSTACLES[obstacle](name)
        with pytest.raises(UsageError, match=r"symbolic link|regular file"):
            Database.open(path)
        assert is_untouched(obstacle, name)

    def test_a_folder_that_cannot_be_made_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(UsageError, match=r"File exists|Not a directory"):
            Database.open(tmp_path / "file" / "coolid.db")

    def test_a_file_that_another_process_has_locked_is_refused(
        self, existing: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connections, "BUSY_SECONDS", 0.01)
        with closing(sqlite3.connect(existing, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            TestMigrations.refuse(existing, "another process")


class TestAccess:
    """Read-only files and folders, and full disks."""

    def test_a_new_database_in_a_folder_that_cannot_be_written_is_refused(self) -> None:
        with without_privileges(0o555) as folder:
            with pytest.raises(UsageError, match="Permission denied"):
                Database.open(folder / "coolid.db")
            assert [*folder.iterdir()] == []

    @pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o777, 0o444), (0o555, 0o666), (0o555, 0o444)])
    def test_a_file_that_cannot_be_written_is_refused_but_can_be_checked(
        self, existing: Path, folder_mode: int, file_mode: int
    ) -> None:
        def prepare(folder: Path) -> None:
            shutil.copyfile(existing, folder / "coolid.db")
            (folder / "coolid.db").chmod(file_mode)

        with without_privileges(folder_mode, prepare) as folder:
            TestMigrations.refuse(folder / "coolid.db", "cannot be (written|opened)")
            assert Database.check_file(folder / "coolid.db") == ()
            assert [each.name for each in folder.iterdir()] == ["coolid.db"]

    def test_without_space_nothing_is_created(self, path: Path) -> None:
        with file_size_limit(20_000), pytest.raises(UsageError, match="disk"):
            Database.open(path)
        assert [*path.parent.iterdir()] == []

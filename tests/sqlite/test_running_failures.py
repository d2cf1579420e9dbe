"""Failures while a database is open: a write that is not on the disk is never acknowledged, and reads go on."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from coolid.errors import StoreUnavailable, UsageError
from coolid.model.records import Record
from coolid.sqlite import connections, writer
from coolid.sqlite.database import Database
from coolid.sqlite.database_errors import is_damage
from coolid.sqlite.store import sqlite_store
from coolid.store.store import Store
from tests.sqlite.limits import file_size_limit
from tests.support.builders.samples import record

OWNER = "r4k2-9m3x-62"
FIRST, SECOND = record("0000000195", metadata={"what": "x" * 200_000}), record("0000000292")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """An open database with one record."""
    monkeypatch.setattr(writer, "BUSY_SECONDS", 0.01)
    monkeypatch.setattr(connections, "WAIT_SECONDS", 0.01)
    with Database.open(tmp_path / "coolid.db") as database:
        sqlite_store(database).records.create_record(FIRST)
        yield database


@pytest.fixture
def store(database: Database) -> Store:
    return sqlite_store(database)


@contextmanager
def moved(path: Path) -> Iterator[None]:
    """The file has another name."""
    path.rename(path.with_name("elsewhere"))
    yield
    path.with_name("elsewhere").rename(path)


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    """A copy has the file's name."""
    with moved(path):
        path.write_bytes(path.with_name("elsewhere").read_bytes())
        yield


@contextmanager
def without_log(path: Path) -> Iterator[None]:
    """The log, which contains the latest writes, has another name."""
    with moved(path.with_name(path.name + "-wal")):
        yield


@contextmanager
def full(path: Path) -> Iterator[None]:
    """No file can grow."""
    with file_size_limit(path.with_name(path.name + "-wal").stat().st_size):
        yield


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process writes for longer than a write waits."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


FAILURES: dict[str, tuple[Callable[[Path], AbstractContextManager[None]], str]] = {
    "moved": (moved, "deleted or replaced"),
    "replaced": (replaced, "deleted or replaced"),
    "log moved": (without_log, "deleted or replaced"),
    "full": (full, "disk"),
    "locked": (locked, "another process"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_writes_are_refused_while_it_lasts_and_reads_go_on(database: Database, store: Store, failure: str) -> None:
    cause, reason = FAILURES[failure]
    with cause(database.path):
        for write in (
            lambda: store.records.create_record(SECOND),
            lambda: store.counters.reserve("a", 0, 1),
            lambda: store.public_keys.add_public_key({"kid": "k"}),
        ):
            with pytest.raises(StoreUnavailable, match=reason):
                write()
        assert store.records.record(OWNER, FIRST.key) == FIRST
    assert store.counters.reserve("b", 7, 1) == 7
    assert store.records.record(OWNER, FIRST.key) == FIRST
    assert database.check() == ()


@pytest.mark.parametrize("failure", ["full", "locked"])
def test_a_refused_write_is_not_stored_and_succeeds_afterwards(database: Database, store: Store, failure: str) -> None:
    with FAILURES[failure][0](database.path), pytest.raises(StoreUnavailable):
        store.records.create_record(SECOND)
    assert store.records.record(OWNER, SECOND.key) is None
    store.records.create_record(SECOND)
    assert store.records.record(OWNER, SECOND.key) == SECOND


def test_a_file_that_is_deleted_during_a_commit_does_not_acknowledge_it(database: Database, store: Store) -> None:
    def change(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO counters (id, next_number) VALUES ('a', 1)")
        database.path.unlink()

    with pytest.raises(StoreUnavailable, match="deleted or replaced"):
        database.write(change)
    assert store.records.record(OWNER, FIRST.key) == FIRST


def test_a_reader_never_opens_another_file_of_the_same_name(database: Database, store: Store) -> None:
    with database.read():  # takes the open connection
        with replaced(database.path), pytest.raises(StoreUnavailable, match="cannot be opened again"):
            store.records.record(OWNER, FIRST.key)
        assert store.records.record(OWNER, FIRST.key) == FIRST


def test_a_connection_that_is_in_use_at_the_end_is_closed_after_its_use(database: Database) -> None:
    with database.read() as connection:
        database.close()
        connection.execute("SELECT 1")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_after_many_reads_at_the_same_time_few_connections_stay_open(database: Database) -> None:
    limit = connections.MAX_IDLE
    with ExitStack() as ends:
        lent = [ends.enter_context(database.read()) for _ in range(limit + 3)]
    with ExitStack() as ends:
        again = [ends.enter_context(database.read()) for _ in range(limit)]
    assert set(map(id, again)) <= set(map(id, lent))
    closed = [connection for connection in lent if connection not in again]
    assert len(closed) == 3
    for connection in closed:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_a_read_that_fails_in_the_middle_leaves_no_old_state_to_others(database: Database, store: Store) -> None:
    def fail() -> None:
        with database.read() as connection:
            cursor = connection.execute("SELECT pid FROM records UNION ALL SELECT pid FROM records")
            next(cursor)
            raise RuntimeError

    with pytest.raises(RuntimeError) as failure:  # its traceback keeps the cursor
        fail()
    store.records.create_record(SECOND)
    assert store.records.record(OWNER, SECOND.key) == SECOND
    assert failure.tb is not None


def damage(path: Path, record: Record) -> None:
    """Overwrite the page where a record begins. The next pages may belong to the schema."""
    content = path.read_bytes()
    start = content.index(b"x" * 1_000)
    with path.open("r+b") as file:
        file.seek(start - start % 4_096)
        file.write(b"\xff" * 4_096)


def test_a_damaged_page_is_never_taken_for_an_absent_row(tmp_path: Path) -> None:
    path = tmp_path / "coolid.db"
    with Database.open(path) as database:
        sqlite_store(database).records.create_record(FIRST)
        assert database.check() == ()
    damage(path, FIRST)
    with Database.open(path) as database:
        found = database.check()
        assert found[:2] == ("the database file is damaged", "the table records is damaged")
        assert not any("\n" in fault or "***" in fault for fault in found)
        with pytest.raises(UsageError, match="damaged, so no backup"):
            database.backup(tmp_path / "backup.db")
        assert not [*tmp_path.glob("backup*")]
        with pytest.raises(StoreUnavailable, match="damaged"):
            sqlite_store(database).records.record(OWNER, FIRST.key)


@pytest.mark.parametrize("body", [b"\xff", b"{", b"{}", b"[]"])
def test_a_row_that_cannot_be_read_is_unavailable(database: Database, store: Store, body: bytes) -> None:
    database.write(
        lambda connection: (
            connection.execute("UPDATE records SET body = CAST(? AS TEXT)", (body,)),
            connection.execute("INSERT INTO public_keys (kid, body) VALUES ('k', '{')"),
            connection.execute(
                "INSERT INTO prefixes (name, kind, revision, body) VALUES ('go', 'provider', 1, CAST(? AS TEXT))",
                (body,),
            ),
        )
    )
    for read in (
        lambda: store.records.record(OWNER, FIRST.key),
        lambda: store.records.history(OWNER, FIRST.key, 9),
        lambda: store.records.list_records(OWNER, 10, None),
        store.prefixes.all_prefixes,
        store.public_keys.public_keys,
    ):
        with pytest.raises(StoreUnavailable) as failure:
            read()
        assert is_damage(failure.value)


def test_a_dangling_synonym_is_a_damage(database: Database) -> None:
    with closing(sqlite3.connect(database.path)) as other, other:
        other.execute("INSERT INTO prefixes (name, kind, target) VALUES ('a', 'synonym', 'missing')")
    assert database.check() == ("row 1 of the table prefixes names a missing row",)


def test_a_closed_database_is_unavailable(database: Database, store: Store) -> None:
    writer = database._open_connections().writer
    database.close()
    database.close()
    for call in (
        lambda: store.records.record(OWNER, FIRST.key),
        lambda: store.counters.reserve("a", 0, 1),
        lambda: writer.write(lambda connection: connection.execute("SELECT 1")),
    ):
        with pytest.raises(StoreUnavailable, match="closed"):
            call()

"""The search index of a database: complete whoever wrote the records, and never in the way of writes."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path
from threading import Event

import pytest

from coolid.errors import StoreUnavailable
from coolid.identifiers.schemes import lui
from coolid.local import start_warnings
from coolid.local.search_indexer import SearchIndexer
from coolid.sqlite import database_file, record_search, search_index
from coolid.sqlite.database import Database
from coolid.sqlite.record_search import SqliteRecordSearch
from coolid.sqlite.schema import SEARCH
from coolid.sqlite.store import sqlite_store
from coolid.store.record_search import Order, RecordQuery
from coolid.wiring.database_access import DatabaseAccess
from tests.contract.test_record_search import KEYS, OTHER, OWNER, fill, found, titled
from tests.support.builders.samples import BASE_URL

MANY = [lui.encode(number) for number in range(600)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "coolid.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with Database.open(path, is_durable=False) as database:
        yield database


def add(database: Database, keys: list[str], title: str = "tea") -> None:
    records = sqlite_store(database).records
    for key in keys:
        records.create_record(titled(key, title))


def complete(database: Database) -> int:
    """Index everything. Return the number of transactions."""
    return len([*takewhile(bool, iter(SqliteRecordSearch(database).index_pending, None))])


def without_fts5(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (database_file, record_search, start_warnings, search_index):
        monkeypatch.setattr(module, "has_full_text_search", lambda: False)


class TestCompleteness:
    def test_records_of_an_earlier_release_are_added_in_portions_the_newest_first(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as earlier:
            earlier.setattr(database_file, "SEARCH", {})
            with Database.open(path, is_durable=False) as database:
                add(database, MANY)
        with Database.open(path, is_durable=False) as database:
            store = sqlite_store(database)
            assert 0 < len(found(store, "tea")) <= search_index.PORTION
            add(database, ["zzzzzzzz00"])
            assert "zzzzzzzz00" in found(store, "tea")
            complete(database)
            assert sorted(found(store, "tea", limit=250)) == [*MANY, "zzzzzzzz00"]

    def test_what_an_earlier_release_writes_into_the_file_is_added(self, database: Database) -> None:
        """It writes rows, and the triggers of the file note them."""
        store = sqlite_store(database)
        add(database, KEYS[:2])
        assert sorted(found(store, "tea")) == sorted(KEYS[:2])
        database.write(
            lambda connection: connection.execute(
                "UPDATE records SET body = replace(body, 'tea', 'coffee') WHERE pid = ?", (f"{OWNER}/{KEYS[0]}",)
            )
        )
        assert (found(store, "coffee"), found(store, "tea")) == ([KEYS[0]], [KEYS[1]])

    def test_a_record_that_cannot_be_read_keeps_no_other_out(self, database: Database) -> None:
        add(database, KEYS[:3])
        assert len(found(sqlite_store(database), "tea")) == 3
        database.write(
            lambda connection: connection.execute(
                "UPDATE records SET body = '{' WHERE pid = ?", (f"{OWNER}/{KEYS[0]}",)
            )
        )
        add(database, KEYS[3:4])
        assert sorted(found(sqlite_store(database), "tea")) == sorted(KEYS[1:4])

    def test_two_processes_that_index_at_once_add_each_record_once(self, path: Path, database: Database) -> None:
        add(database, MANY)
        with Database.open(path, is_durable=False) as other, ThreadPoolExecutor(2) as threads:
            assert sum(threads.map(complete, (database, other))) >= len(MANY) // search_index.PORTION
        assert sorted(found(sqlite_store(database), "tea", limit=1_000)) == MANY

    def test_the_service_indexes_until_it_stops(self, database: Database) -> None:
        add(database, MANY)
        indexing, is_indexed = SearchIndexer(database, pytest.fail), Event()
        database_index = indexing._search.index_pending

        def index_pending() -> int:
            count = database_index()
            if not count:
                is_indexed.set()
            return count

        indexing._search.index_pending = index_pending  # type: ignore[method-assign]
        indexing.start()
        assert is_indexed.wait(60)
        indexing.stop()
        with database.read() as connection:
            assert connection.execute("SELECT count(*) FROM search_rows").fetchone() == (len(MANY),)


class TestFailures:
    def test_a_damaged_index_hinders_no_write_and_searches_are_unavailable(self, database: Database) -> None:
        add(database, KEYS[:1])
        assert found(sqlite_store(database), "tea") == KEYS[:1]
        damage = "UPDATE search_terms_data SET block = x'ff' WHERE id > ?"
        database.write(lambda connection: connection.execute(damage, (10,)))  # not the description of its structure
        warnings: list[str] = []
        stopped = Event()

        def warn(text: str) -> None:
            warnings.append(text)
            stopped.set()

        with Database.open(database.path, is_durable=False) as other:
            add(other, KEYS[1:3])
            with pytest.raises(StoreUnavailable, match="damaged"):
                found(sqlite_store(other), "tea")
            database.write(lambda connection: connection.execute(damage, (0,)))
            add(other, KEYS[3:5])
            indexing = SearchIndexer(other, warn)
            indexing.start()
            assert stopped.wait(60)
            indexing.stop()
        assert "will try again: the " in warnings[0]
        assert "damaged" in warnings[0]

    def test_dropped_tables_are_built_anew(self, path: Path) -> None:
        with Database.open(path, is_durable=False) as database:
            add(database, KEYS)
            complete(database)
            for name in SEARCH:
                kind = "TRIGGER" if "after" in name else "TABLE"
                database.write(lambda connection, text=f"DROP {kind} {name}": connection.execute(text))  # type: ignore[misc]
        with Database.open(path, is_durable=False) as database:
            assert sorted(found(sqlite_store(database), "tea")) == sorted(KEYS)

    def test_backups_and_checks_include_the_index(self, database: Database, tmp_path: Path) -> None:
        add(database, KEYS)
        complete(database)
        assert database.check() == ()
        database.backup(tmp_path / "copy.db")
        with Database.open(tmp_path / "copy.db") as copy:
            assert len(found(sqlite_store(copy), "tea")) == len(KEYS)


class TestWithoutFts5:
    @pytest.mark.parametrize("order", ["-updated", "updated"])
    @pytest.mark.parametrize("scanned", [3, 2_000])
    def test_searches_read_the_records_themselves(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, order: Order, scanned: int
    ) -> None:
        without_fts5(monkeypatch)
        monkeypatch.setattr(record_search, "SCANNED", scanned)
        with Database.open(path, is_durable=False) as database:
            store = sqlite_store(database)
            fill(store)
            (warning,) = start_warnings.start_warnings(DatabaseAccess(database), BASE_URL, None, None)
            assert "FTS5" in warning
            for limit in (1, 4, 100):
                keys = found(store, "tea", limit=limit, owners=(OWNER, OTHER), order=order)
                assert [KEYS.index(key) // 2 for key in keys] == sorted(
                    (at // 2 for at in range(1, 12, 2)), reverse=order == "-updated"
                )
            assert store.record_search.search(RecordQuery((OWNER,), ("nothing",)), 10, None)[0] == []

    def test_the_index_is_built_once_there_is_fts5_again(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for keys, has_fts5 in ((KEYS[:2], False), (KEYS[2:4], True), (KEYS[4:6], False), (KEYS[6:8], True)):
            with monkeypatch.context() as build:
                if not has_fts5:
                    without_fts5(build)
                with Database.open(path, is_durable=False) as database:
                    add(database, keys)
                    assert sorted(found(sqlite_store(database), "tea")) == sorted(KEYS[: KEYS.index(keys[-1]) + 1])

"""The transparency log over SQLite: its triggers, imports, upgrades, and a rollback to the previous release."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from coolid.log.sequencer import Sequencer
from coolid.log.subject_entries import version_entry
from coolid.log.sweep import Sweep
from coolid.model.clients import Client
from coolid.model.conditions import Condition
from coolid.model.records import RESERVED, Record
from coolid.sqlite import database_file
from coolid.sqlite.bulk import SqliteBulkWriter
from coolid.sqlite.database import Database
from coolid.sqlite.log.folder import LogFolder
from coolid.sqlite.log.pending_changes import PORTION
from coolid.sqlite.log.rows import SqliteLogRows
from coolid.sqlite.schema import ADDITIONS
from coolid.sqlite.store import sqlite_store
from coolid.store.bulk import RecordRow, WriteGroup
from coolid.store.log import LogAccess
from coolid.store.rows import record_body
from coolid.store.store import Store
from coolid.wiring.log_sequencer import build_sequencer
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.builders.transparency_log import MessageLog
from tests.support.fixtures.note_keys import NoteKey
from tests.support.fixtures.ports import FixedClock, prover

OWNER = repository()
LOG_TABLES = {name: statement for name, statement in ADDITIONS.items() if name.startswith("log_")}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "coolid.db", is_durable=False) as database:
        yield database


@pytest.fixture
def store(database: Database) -> Store:
    return sqlite_store(database)


@pytest.fixture
def rows(database: Database) -> SqliteLogRows:
    return SqliteLogRows(database, FixedClock())


def versions(*statuses: str, key: str = "tw0tywdj94") -> list[Record]:
    """Return the versions of a record with these states. Their proofs only have to be different texts."""
    return [
        record(key, version=number, status=status, proof=f"eyJ.{key}{number}.x")
        for number, status in enumerate(statuses, 1)
    ]


def write(store: Store, history: list[Record]) -> None:
    store.records.create_record(history[0])
    for former, version in pairwise(history):
        store.records.replace_record(version, former)


def names(rows: SqliteLogRows) -> list[str]:
    return [entry.name.removeprefix("version/r4k2-9m3x-62/") for entry in rows.waiting_entries(1_000)]


def sequencer_over(database: Database, folder: Path) -> tuple[Sequencer, SqliteLogRows]:
    store, clock = sqlite_store(database), FixedClock()
    access = LogAccess("id.example.org/log", SqliteLogRows(database, clock), LogFolder(folder / "log"), NoteKey())
    signer = prover(store.public_keys)
    return build_sequencer(access, store, signer, BASE_URL, MessageLog()), access.rows  # type: ignore[return-value]


def test_each_version_waits_with_its_proof(store: Store, rows: SqliteLogRows) -> None:
    history = versions("active", "active", "withdrawn")
    write(store, history)
    assert list(rows.waiting_entries(9)) == [version_entry(each, FixedClock().milliseconds()) for each in history]
    rows.settle({f"version/r4k2-9m3x-62/tw0tywdj94#{number}": number for number in (1, 2, 3)})
    assert names(rows) == []


def test_of_a_reserved_record_nothing_waits_until_it_is_public(store: Store, rows: SqliteLogRows) -> None:
    history = versions(RESERVED, RESERVED, "active", "withdrawn")
    write(store, history[:2])
    assert names(rows) == []
    store.records.replace_record(history[2], history[1])
    assert names(rows) == ["tw0tywdj94#3"]
    store.records.replace_record(history[3], history[2])
    assert names(rows) == ["tw0tywdj94#3", "tw0tywdj94#4"]


def test_a_restored_record_goes_on(store: Store, rows: SqliteLogRows) -> None:
    write(store, versions(RESERVED, "withdrawn", "active"))
    assert names(rows) == ["tw0tywdj94#2", "tw0tywdj94#3"]


def test_an_imported_history_waits_whole(database: Database, rows: SqliteLogRows) -> None:
    history = versions(RESERVED, "active", "active", "withdrawn")
    group = WriteGroup(
        *(
            RecordRow(
                each.repository, each.key, each.version, each.status, record_body(each), None, each is history[-1]
            )
            for each in history
        )
    )
    writer = SqliteBulkWriter(database)
    writer.put([group])
    writer.put([group])
    assert names(rows) == ["tw0tywdj94#2", "tw0tywdj94#3", "tw0tywdj94#4"]


def test_checks_of_targets_are_no_versions(store: Store, rows: SqliteLogRows) -> None:
    (version,) = versions("active")
    store.records.create_record(version)
    rows.settle(dict.fromkeys((entry.name for entry in rows.waiting_entries(9)), 0))
    health = {"https://content.example.org/v1": Condition("up", MOMENT)}
    assert store.conditions.set_record_condition(version.repository, version.key, 1, health)
    assert names(rows) == []


def test_each_state_of_names_and_keys_waits(store: Store, rows: SqliteLogRows) -> None:
    store.repositories.create_repository(OWNER)
    store.prefixes.put_prefix(namespace("mp", OWNER), None)
    changed = replace(OWNER, title="Other", revision=2, updated=LATER, canonical="mp")
    store.repositories.change_repository(changed, OWNER)
    store.prefixes.put_prefix(provider_prefix("go", "https://example.org/{$id}", synonyms=("gene_ontology",)), None)
    client = Client("abcdefgh", "0" * 64, ("admin",), MOMENT)
    store.clients.put_client(client)
    store.clients.record_use(client)
    store.clients.put_client(replace(client, revoked=LATER))
    store.public_keys.add_public_key({"kid": "k1", "kty": "EC"})
    assert sorted(names(rows)) == [
        "key/abcdefgh#1",
        "key/abcdefgh#2",
        "prefix/go#1",
        "prefix/mp#1",
        "prefix/mp#2",
        "public_key/k1#1",
        "repository/r4k2-9m3x-62#1",
        "repository/r4k2-9m3x-62#2",
        "synonym/gene_ontology#go#1",
    ]


def test_triggers_and_the_sweep_make_the_same_entries(store: Store, rows: SqliteLogRows) -> None:
    store.repositories.create_repository(OWNER)
    store.prefixes.put_prefix(namespace("mp", OWNER), None)
    store.prefixes.put_prefix(provider_prefix("go", "https://example.org/{$id}", mapped={"x": ["y"]}), None)
    store.clients.put_client(Client("abcdefgh", "0" * 64, ("admin", "mint:mp"), MOMENT))
    write(store, versions("active"))
    found = {entry.name: entry for entry in rows.waiting_entries(99)}
    rows._database.write(lambda connection: connection.execute("DELETE FROM log_entries"))
    Sweep(rows, store, FixedClock()).run()
    assert {entry.name: entry for entry in rows.waiting_entries(99)} == found


def test_a_row_of_a_later_release_keeps_no_other_out(database: Database, store: Store, rows: SqliteLogRows) -> None:
    write(store, versions("active"))
    database.write(lambda connection: connection.execute("UPDATE records SET revision = 2, body = '{}'"))
    write(store, versions("active", key="tw0tywdjzz"))
    assert names(rows) == ["tw0tywdjzz#1"]


def test_more_changes_than_a_portion(store: Store, rows: SqliteLogRows) -> None:
    for number in range(PORTION + 5):
        write(store, versions("active", key=f"k{number:03d}"))
    assert len(rows.waiting_entries(3)) == 3
    assert len(names(rows)) == PORTION + 5


def test_a_database_of_an_earlier_release_is_filled_and_a_rollback_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "coolid.db"
    with monkeypatch.context() as earlier:
        earlier.setattr(
            database_file, "ADDITIONS", {name: text for name, text in ADDITIONS.items() if name not in LOG_TABLES}
        )
        with Database.open(path, is_durable=False) as database:
            store = sqlite_store(database)
            store.repositories.create_repository(OWNER)
            write(store, versions("active", "active", "active", key="k1"))
            write(store, versions(RESERVED, "active", key="k2"))
    with Database.open(path, is_durable=False) as database:
        sequencer, rows = sequencer_over(database, tmp_path)
        sqlite_store(database).records.create_record(versions("active", key="k3")[0])
        while Sweep(rows, sqlite_store(database), FixedClock()).run() or sequencer.run().added:
            pass
        entries = [f"version/r4k2-9m3x-62/{each}" for each in ("k1#1", "k1#2", "k1#3", "k2#2", "k3#1")]
        assert all(index is not None for index in rows.indexes(entries).values())
        assert len(rows.indexes([*entries, "version/r4k2-9m3x-62/k2#1"])) == 5
    with monkeypatch.context() as earlier:
        earlier.setattr(database_file, "ADDITIONS", {})
        with Database.open(path, is_durable=False) as database:
            write(sqlite_store(database), versions("active", "active", key="k4"))
    with Database.open(path, is_durable=False) as database:
        sequencer, rows = sequencer_over(database, tmp_path)
        assert sequencer.run().added == 2

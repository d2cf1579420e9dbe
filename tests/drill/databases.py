"""A backend over a SQLite database. Its calls fail as those of the store in memory do."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any
from weakref import finalize

from coolid.errors import StoreUnavailable
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.sqlite.bulk import SqliteBulkWriter
from coolid.sqlite.database import Database
from coolid.sqlite.store import sqlite_store
from coolid.sqlite.table_rows import rows_of
from coolid.store.bulk import WriteGroup
from coolid.store.rows import prefix_of, repository_of
from coolid.store.store import Store
from coolid.transfer.bulk_minter import BulkMinter
from coolid.transfer.journal import Journal
from coolid.transfer.progress import TransferProgress
from tests.drill.backends import Contents, MemoryBackend, split_versions
from tests.drill.faults import FAILED, LOST, RESPONSE_LOST, STALLED, THROTTLED, Faults
from tests.drill.hosts import CallListener, Host
from tests.drill.processes import Process
from tests.drill.scheduler import Scheduler
from tests.support.stores.store_wrappers import FlatStore


class SqliteBackend(MemoryBackend):
    """A backend over a new database in a folder."""

    def __init__(self, folder: Path, scheduler: Scheduler, faults: Faults, rng: Random, listener: CallListener) -> None:
        super().__init__(scheduler, faults, rng, listener)
        self._database = Database.open(folder / f"{rng.getrandbits(64):x}.db", is_durable=False)
        finalize(self, self._database.close)
        self.faultless_store = sqlite_store(self._database)
        self._flat_store: Any = _FlatDatabase(self.faultless_store)

    def bulk_minter(self, process: Process, journal: Journal, progress: TransferProgress) -> BulkMinter:
        """See `Backend`."""
        from tests.drill.importing_caller import minter_into

        writer = _FaultyBulkWriter(SqliteBulkWriter(self._database), process.host)
        return minter_into(writer, process, journal, progress)

    def contents(self) -> Contents:
        """See `Backend`."""
        records, archive = split_versions(self._rows("SELECT * FROM records"))
        rows = self._rows("SELECT * FROM prefixes")
        repositories = [
            repository_of(row["body"], row.get("canonical"), row) for row in rows if row.get("kind") == "repository"
        ]
        prefixes = [prefix_of(row) for row in rows if not row["name"].startswith("/")]
        return Contents(
            records,
            archive,
            {
                row["id"]: self._idempotency_record(row["id"])
                for row in self._rows("SELECT id FROM idempotency_records")
            },
            {prefix.name: prefix for prefix in prefixes if prefix is not None},
            {repository.id: repository for repository in repositories},
            list(self.faultless_store.public_keys.public_keys()),
            {row["id"]: row["next_number"] for row in self._rows("SELECT * FROM counters") if "next_number" in row},
        )

    def _rows(self, statement: str) -> list[dict[str, Any]]:
        with self._database.read() as connection:
            return [*rows_of(connection.execute(statement))]

    def _idempotency_record(self, name: str) -> IdempotencyRecord:
        idempotency_record = self.faultless_store.records.idempotency_record(name)
        assert idempotency_record is not None
        return idempotency_record


class _FlatDatabase(FlatStore):
    """A store in a database with those members of `MemoryStore` that faults need."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.records_by_key = _CurrentRecords(store)

    def _mark_stems(self, name: str) -> None:
        """Leave nothing, because a change that fails in the middle is undone."""


class _CurrentRecords:
    """The current records by repository and key."""

    def __init__(self, store: Store) -> None:
        self._records = store.records

    def get(self, place: tuple[str, str]) -> Record | None:
        return self._records.record(*place)


class _FaultyBulkWriter:
    """Passes writes on to another writer, with the faults of a store."""

    def __init__(self, writer: SqliteBulkWriter, host: Host) -> None:
        self._writer = writer
        self._host = host

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """See `BulkWriter`."""
        host = self._host
        host.step()
        fault = host.faults.draw((THROTTLED, FAILED, LOST, STALLED, RESPONSE_LOST))
        if fault is not None:
            host.faults.count(fault)
        if fault == STALLED:
            host.scheduler.sleep(host.rng.uniform(0.2, 4))
        elif fault is not None and fault != RESPONSE_LOST:
            raise StoreUnavailable(f"the store: {fault}")
        self._writer.put(groups)
        if fault == RESPONSE_LOST:
            raise StoreUnavailable(f"the store: {fault}")
        host.step()

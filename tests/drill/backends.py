"""Backends: stores, keys and processes for a drill. This one is in memory; `tables` has the one over the embedded
DynamoDB, `databases` the one over SQLite.

A backend creates processes and signing keys, and returns everything that is stored at the end (`Contents`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from random import Random
from typing import Any, Protocol
from unittest.mock import patch

from msgspec import Struct

from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Prefix
from coolid.model.records import Record
from coolid.model.repositories import Repository
from coolid.store.rows import CURRENT, record_of
from coolid.store.store import Store
from coolid.transfer.bulk_minter import BulkMinter
from coolid.transfer.journal import Journal
from coolid.transfer.progress import TransferProgress
from tests.drill.faults import CLOCKS, KEY, KILLS, OUTAGE, STORE, WRONG_SIGNATURE, Faults
from tests.drill.hosts import CallListener, FaultyStore, FormerRows, Host
from tests.drill.processes import Process
from tests.drill.scheduled_threads import ScheduledLock, ScheduledPool
from tests.drill.scheduler import Scheduler
from tests.drill.signers import FaultySigner, SeededSigner
from tests.support.stores.memory_store import MemoryStore, whole


class Contents(Struct):
    """All stored rows: `records` by repository and key, `archive` by repository, key and version, and so on."""

    records: Mapping[tuple[str, str], Record]
    archive: Mapping[tuple[str, str, int], Record]
    idempotency_records: Mapping[str, IdempotencyRecord]
    prefixes: Mapping[str, Prefix]
    repositories: Mapping[str, Repository]
    keys: list[Mapping[str, Any]]
    counters: Mapping[str, int]


def split_versions(rows: Iterable[Mapping[str, Any]]) -> tuple[dict[Any, Record], dict[Any, Record]]:
    """Return the `records` and the `archive` of `Contents` from the rows of records."""
    records: dict[Any, Record] = {}
    archive: dict[Any, Record] = {}
    for row in rows:
        repository, _, key = row["pid"].partition("/")
        record = record_of(row["body"], row.get("author"))
        if row["version"] == CURRENT:
            records[repository, key] = record
        else:
            archive[repository, key, row["version"]] = record
    return records, archive


class Backend(Protocol):
    """The store and the key service of a drill."""

    fault_kinds: tuple[str, ...]
    faultless_store: Store
    """The store without faults, for the initial rows."""

    def scheduled(self) -> AbstractContextManager[None]:
        """Let the scheduler control the locks and pauses of the product while the context lasts."""
        ...

    def process(self) -> Process:
        """Return a new process with the current signing key."""
        ...

    def bulk_minter(self, process: Process, journal: Journal, progress: TransferProgress) -> BulkMinter:
        """Return the minter of an import in a process."""
        ...

    def rotate(self, process: Process) -> None:
        """Create a key, publish it, and use it for new processes."""
        ...

    def contents(self) -> Contents:
        """Return all stored rows."""
        ...


class MemoryBackend:
    """A backend over a `MemoryStore`."""

    fault_kinds = (*STORE, *KEY, WRONG_SIGNATURE, *CLOCKS, OUTAGE, *KILLS)

    def __init__(self, scheduler: Scheduler, faults: Faults, rng: Random, listener: CallListener) -> None:
        self._scheduler = scheduler
        self._faults = faults
        self._rng = rng
        self._listener = listener
        self._former_rows = FormerRows()
        self._signer = self._new_signer()
        self._memory = MemoryStore()
        self._flat_store: Any = self._memory
        self.faultless_store = whole(self._memory)

    def scheduled(self) -> AbstractContextManager[None]:
        """See `Backend`."""
        return scheduled_waits(self._scheduler)

    def process(self) -> Process:
        """See `Backend`."""
        host = Host(self._scheduler, self._faults, self._rng)
        store: Any = FaultyStore(self._flat_store, host, self._former_rows, self._listener)
        return Process(host, whole(store), store, FaultySigner(self._signer, host), self._rng.getrandbits(32))

    def bulk_minter(self, process: Process, journal: Journal, progress: TransferProgress) -> BulkMinter:
        """See `Backend`."""
        from tests.drill.importing_caller import MemoryClient, minter_into

        writer = DynamoBulkWriter(MemoryClient(self._memory, process.host), "a-table")
        return minter_into(writer, process, journal, progress)

    def rotate(self, process: Process) -> None:
        """See `Backend`. A key whose creation failed is not used."""
        signer = self._new_signer()
        key = FaultySigner(signer, process.host).public_key()
        process.store.public_keys.add_public_key(key)
        process.host.step()
        self._signer = signer

    def contents(self) -> Contents:
        """See `Backend`."""
        store = self._memory
        return Contents(
            store.records_by_key,
            store.archive,
            store.idempotency_records,
            store.rows,
            store.repositories,
            store.keys,
            store.counters,
        )

    def _new_signer(self) -> SeededSigner:
        return SeededSigner(self._rng.getrandbits(200) + 1)


@contextmanager
def scheduled_waits(scheduler: Scheduler) -> Iterator[None]:
    """Patch the waits that all backends share (`Backend.scheduled`)."""
    with ExitStack() as ends:
        ends.enter_context(
            patch("coolid.http.management.mint_batch.ThreadPoolExecutor", partial(ScheduledPool, scheduler))
        )
        ends.enter_context(patch("coolid.records.counters.Lock", partial(ScheduledLock, scheduler)))
        ends.enter_context(patch("coolid.registry.directory.Lock", partial(ScheduledLock, scheduler)))
        ends.enter_context(patch("coolid.aws.dynamodb.bulk_writer.sleep", scheduler.sleep))
        yield


Make = Callable[[Scheduler, Faults, Random, CallListener], Backend]

"""A backend over the embedded DynamoDB and its key service, used as on AWS.

Management reads and all writes use boto3 and pynamodb, public reads our own client, and the key service boto3.
"""

import json
import os
from contextlib import AbstractContextManager
from random import Random
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError
from msgspec.structs import replace

from coolid.aws import kms
from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.aws.dynamodb.store import dynamo_store
from coolid.aws.dynamodb.table_reader import plain_row
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.aws.kms import KmsSigner
from coolid.aws.settings import Settings
from coolid.errors import SignerUnavailable
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.repositories import Repository
from coolid.records.minter import Minter
from coolid.store.counters import CounterStore
from coolid.store.rows import CURRENT, KEYS, prefix_of, repository_of
from coolid.store.store import Store
from coolid.transfer.bulk_minter import BufferingRecords, BulkMinter
from coolid.transfer.journal import Journal
from coolid.transfer.progress import TransferProgress
from coolid.wiring.boto_clients import SIGNING, WRITES, client, dynamodb
from tests.drill.backends import Contents, split_versions
from tests.drill.faults import CLOCKS, KEY, KILLS, OUTAGE, TRANSPORT, WRONG_SIGNATURE, Faults
from tests.drill.faulty_transport import FaultyTransport, scheduled_clients
from tests.drill.hosts import CallListener, Host
from tests.drill.processes import Process
from tests.drill.scheduler import Scheduler
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.ports import SeededEntropy
from tests.support.fixtures.system import environment_for, new_tables
from tests.support.stores.moto_store import MotoStore

_RATE_FACTOR: Final = 2.5
_REPOSITORIES: Final = "/repositories/"


class _ObservedCounters:
    """Counters that report each successful reservation."""

    def __init__(self, counters: CounterStore, listener: CallListener) -> None:
        self._counters = counters
        self._listener = listener

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        first = self._counters.reserve(counter_id, floor, count)
        self._listener("reserve", (counter_id, floor, count), first)
        return first


class TablesBackend:
    """A backend over tables of its own, behind `transport`."""

    fault_kinds = (*TRANSPORT, *KEY, WRONG_SIGNATURE, *CLOCKS, OUTAGE, *KILLS)

    def __init__(
        self, transport: FaultyTransport, scheduler: Scheduler, faults: Faults, rng: Random, listener: CallListener
    ) -> None:
        self._scheduler = scheduler
        self._faults = faults
        self._rng = rng
        self._listener = listener
        transport.attach(scheduler, faults)
        faults.rate_factor = _RATE_FACTOR
        self._names = new_tables()
        self._settings = Settings.read(environment_for(self._names), writes=True)
        self._client = dynamodb(WRITES)
        self._tables = bind(self._settings, self._client)
        self._kms = client("kms", SIGNING)
        self._key = kms.create_key(self._kms)
        self.faultless_store = self._store()

    def scheduled(self) -> AbstractContextManager[None]:
        """See `Backend`."""
        return scheduled_clients(self._scheduler)

    def process(self) -> Process:
        """See `Backend`."""
        host = Host(self._scheduler, self._faults, self._rng)
        names = self._settings
        reader = DynamoReader(HttpTransport.read(os.environ), names.prefix_table, names.lui_table)
        return Process(host, self._store(), reader, KmsSigner(self._kms, self._key), self._rng.getrandbits(32))

    def bulk_minter(self, process: Process, journal: Journal, progress: TransferProgress) -> BulkMinter:
        """See `Backend`."""
        store = self._store()
        gathering = BufferingRecords(store.records)
        entropy = SeededEntropy(self._rng.getrandbits(32))
        minter = Minter(
            gathering,
            store.prefixes,
            store.counters,
            clock=process.host.clock,
            entropy=entropy,
            prover=process.prover,
            base_url=BASE_URL,
        )
        return BulkMinter(
            minter, gathering, DynamoBulkWriter(self._client, self._settings.lui_table), journal, progress
        )

    def rotate(self, process: Process) -> None:
        """See `Backend`."""
        try:
            key = kms.create_key(self._kms)
        except (BotoCoreError, ClientError) as error:  # as the command reports it; the operator repeats the command
            raise SignerUnavailable(str(error)) from error
        process.host.step()
        kms.publish(self._kms, key, process.store.public_keys)
        self._key = key

    def contents(self) -> Contents:
        """See `Backend`."""
        items = self._items("LuiTable")
        records, archive = split_versions(item for item in items if item["pid"] != KEYS)
        published = [item for item in items if item["pid"] == KEYS and item["version"] != CURRENT]
        keys = {key["kid"]: key for key in (json.loads(item["body"]) for item in published)}
        rows = self._items("PrefixTable")
        repositories = [
            repository_of(row["body"], row.get("canonical"), row)
            for row in rows
            if row["name"].startswith(_REPOSITORIES)
        ]
        found = [prefix_of(row) for row in rows if not row["name"].startswith("/")]
        return Contents(
            records,
            archive,
            {row["id"]: self._idempotency_record(row["id"]) for row in self._items("RequestTable")},
            {prefix.name: prefix for prefix in found if prefix is not None},
            _by_id(repositories),
            list(keys.values()),
            {row["id"]: row["next_number"] for row in self._items("CounterTable") if "next_number" in row},
        )

    def _store(self) -> Store:
        store = dynamo_store(BotoTransport(self._client), self._tables)
        return replace(store, counters=_ObservedCounters(store.counters, self._listener))

    def _idempotency_record(self, name: str) -> IdempotencyRecord:
        idempotency_record = self.faultless_store.records.idempotency_record(name)
        assert idempotency_record is not None
        return idempotency_record

    def _items(self, table: str) -> list[dict[str, Any]]:
        return [plain_row(item) for item in MotoStore().items(self._names[table])]


def _by_id(repositories: list[Repository]) -> dict[str, Repository]:
    return {repository.id: repository for repository in repositories}

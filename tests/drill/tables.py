"""Tables: a world over the embedded DynamoDB and its key service, asked as in the cloud.

What keeps writes by boto3 and pynamodb, what everybody reads by our own client; the key service is asked by boto3.
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
from coolid.local.embedded_store import EmbeddedStore
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.model.repositories import Repository
from coolid.records.minter import Minter
from coolid.store.counters import CounterStore
from coolid.store.rows import CURRENT, KEYS, prefix_of, record_of, repository_of
from coolid.store.store import Store
from coolid.transfer.bulk_minter import BufferingRecords, BulkMinter
from coolid.transfer.journal import Journal
from coolid.transfer.progress import TransferProgress
from coolid.wiring.boto_clients import SIGNING, WRITES, client, dynamodb
from tests.drill.baton import Baton
from tests.drill.faults import CLOCKS, KEY, KILLS, NONSENSE, OUTAGE, WIRE, Faults
from tests.drill.processes import Process
from tests.drill.sites import Heard, Site
from tests.drill.wires import Wire, by_the_baton
from tests.drill.worlds import Contents
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.ports import SeededEntropy
from tests.support.fixtures.system import environment_for, new_tables

_EAGERNESS: Final = 2.5
_REPOSITORIES: Final = "/repositories/"


class _Hearing:
    """Counters that tell of each reservation that succeeds."""

    def __init__(self, counters: CounterStore, heard: Heard) -> None:
        self._counters = counters
        self._heard = heard

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        first = self._counters.reserve(counter_id, floor, count)
        self._heard("reserve", (counter_id, floor, count), first)
        return first


class TablesWorld:
    """Over tables of its own, at the end of `wire`."""

    kinds = (*WIRE, *KEY, NONSENSE, *CLOCKS, OUTAGE, *KILLS)

    def __init__(self, wire: Wire, baton: Baton, faults: Faults, dice: Random, heard: Heard) -> None:
        self._baton = baton
        self._faults = faults
        self._dice = dice
        self._heard = heard
        wire.belong_to(baton, faults)
        faults.eagerness = _EAGERNESS
        self._names = new_tables()
        self._settings = Settings.read(environment_for(self._names), writes=True)
        self._client = dynamodb(WRITES)
        self._tables = bind(self._settings, self._client)
        self._kms = client("kms", SIGNING)
        self._key = kms.create_key(self._kms)
        self.plain = self._store()

    def turns(self) -> AbstractContextManager[None]:
        """As of `World`."""
        return by_the_baton(self._baton)

    def process(self) -> Process:
        """As of `World`."""
        site = Site(self._baton, self._faults, self._dice)
        names = self._settings
        reader = DynamoReader(HttpTransport.read(os.environ), names.prefix_table, names.lui_table)
        return Process(site, self._store(), reader, KmsSigner(self._kms, self._key), self._dice.getrandbits(32))

    def importing(self, process: Process, journal: Journal, tally: TransferProgress) -> BulkMinter:
        """As of `World`."""
        store = self._store()
        gathering = BufferingRecords(store.records)
        entropy = SeededEntropy(self._dice.getrandbits(32))
        minter = Minter(
            gathering,
            store.prefixes,
            store.counters,
            clock=process.site.clock,
            entropy=entropy,
            prover=process.prover,
            base_url=BASE_URL,
        )
        return BulkMinter(minter, gathering, DynamoBulkWriter(self._client, self._settings.lui_table), journal, tally)

    def rotate(self, process: Process) -> None:
        """As of `World`."""
        try:
            key = kms.create_key(self._kms)
        except (BotoCoreError, ClientError) as error:  # as the command tells it, which is then given again
            raise SignerUnavailable(str(error)) from error
        process.site.step()
        kms.publish(self._kms, key, process.store.public_keys)
        self._key = key

    def contents(self) -> Contents:
        """As of `World`."""
        records: dict[tuple[str, str], Record] = {}
        archive: dict[tuple[str, str, int], Record] = {}
        keys: dict[str, Any] = {}
        for item in self._items("LuiTable"):
            if item["pid"] == KEYS:
                if item["version"] != CURRENT:
                    key = json.loads(item["body"])
                    keys[key["kid"]] = key
                continue
            repository, _, name = item["pid"].partition("/")
            record = record_of(item["body"], item.get("author"))
            if item["version"] == CURRENT:
                records[repository, name] = record
            else:
                archive[repository, name, item["version"]] = record
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
            {row["id"]: self._receipt(row["id"]) for row in self._items("RequestTable")},
            {prefix.name: prefix for prefix in found if prefix is not None},
            _by_id(repositories),
            list(keys.values()),
            {row["id"]: row["next_number"] for row in self._items("CounterTable") if "next_number" in row},
        )

    def _store(self) -> Store:
        store = dynamo_store(BotoTransport(self._client), self._tables)
        return replace(store, counters=_Hearing(store.counters, self._heard))

    def _receipt(self, name: str) -> IdempotencyRecord:
        receipt = self.plain.records.idempotency_record(name)
        assert receipt is not None
        return receipt

    def _items(self, table: str) -> list[dict[str, Any]]:
        return [plain_row(item) for item in EmbeddedStore().items(self._names[table])]


def _by_id(repositories: list[Repository]) -> dict[str, Repository]:
    return {repository.id: repository for repository in repositories}

"""Imports of new records by `coolid.transfer`, killed at any call, and continued.

In memory, `MemoryClient` and a store that collects records replace the parts from `coolid.wiring.transfer`. The
minting, the bulk writer and the journal are the product's own.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson
from botocore.exceptions import ClientError, ConnectionClosedError

from coolid.aws.dynamodb.bulk_writer import item_of
from coolid.errors import Unavailable
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.records.minter import Minter
from coolid.store.bulk import BulkWriter, RecordRow
from coolid.store.rows import record_body, record_of
from coolid.transfer.bulk_minter import BufferingRecords, BulkMinter
from coolid.transfer.journal import SUFFIX, Journal
from coolid.transfer.progress import Refusal, TransferProgress
from coolid.transfer.row_reader import read
from tests.drill.callers import OwnedPrefixes
from tests.drill.faults import FAILED, LOST, RESPONSE_LOST, STALLED, THROTTLED
from tests.drill.hosts import Host
from tests.drill.oracle import PUBLIC, Mint
from tests.drill.processes import Process
from tests.drill.registering_caller import RegisteringCaller
from tests.drill.scheduler import Killed
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.ports import SeededEntropy
from tests.support.stores.memory_store import MemoryStore

_CHOSEN: Final = 100_000_000
_MAX_RUNS: Final = 5_000
"""The limit of attempts.

An import of some dozen rows may fail hundreds of times, because a process survives some dozen calls.
"""


class ImportingCaller(RegisteringCaller):
    """A caller that also imports files, by `backend`."""

    def __init__(self, context: Any, key: str, registrations: Any, backend: Any) -> None:
        super().__init__(context, key, registrations)
        self._backend = backend

    def import_rows(self) -> None:
        """Import a file of rows, and repeat this until all are imported."""
        repository = self.rng.choice(self.context.repositories)
        wanted = [self._row(repository, at) for at in range(self.rng.randrange(3, 30))]
        with TemporaryDirectory(prefix="drill-") as folder:
            path = Path(folder) / "rows.jsonl"
            path.write_bytes(b"".join(orjson.dumps(document) + b"\n" for _, document in wanted))
            for _ in range(_MAX_RUNS):
                progress = TransferProgress(self._refused)
                if self._run(path, progress):
                    break
                self.pause(10)
            else:
                raise AssertionError("an import came to no end")
            self._settle(path, wanted, progress)

    def _row(self, repository: OwnedPrefixes, at: int) -> tuple[Mint, dict[str, Any]]:
        number = self.context.next()
        mint = Mint(
            number, repository.names[0], f"https://content.example.org/{number}", PUBLIC, self.now, f"row {number}"
        )
        document = {"prefix": mint.prefix, "uri": mint.target}
        if isinstance(repository.rules, LuiRules) and at % 5 == 4:
            mint.chosen = document["id"] = lui.format(lui.encode(_CHOSEN + number, repository.rules.symbols))
        self.oracle.mints[mint.target] = mint
        return mint, document

    def _run(self, path: Path, progress: TransferProgress) -> bool:
        """Run the command once. Return whether it completed."""
        task = self.context.scheduler.task
        assert task is not None
        task.activity = "import"
        process = self._backend.process()  # each run of the command has its own process
        task.lifetime = process.host
        try:
            with cut_short(path) as journal, path.open("rb") as file:
                self._backend.bulk_minter(process, journal, progress).mint(progress.watch(file, read(file)))
        except (Killed, Unavailable) as error:
            self.context.log.line("import", type(error).__name__)
            return False
        finally:
            task.lifetime = None
        return True

    def _settle(self, path: Path, wanted: Sequence[tuple[Mint, Mapping[str, Any]]], progress: TransferProgress) -> None:
        """Acknowledge the mint of each row that the journal contains."""
        journal = path.with_name(path.name + SUFFIX).read_bytes()
        entries = map(orjson.loads, journal.splitlines())
        noted = {entry["line"]: entry["pid"] for entry in entries if "line" in entry}
        self.oracle.require(len(noted) == len(wanted) == progress.written + progress.present, f"an import: {progress}")
        for line, (mint, _) in enumerate(wanted, 1):
            mint.ids.add(noted[line])
        self.context.log.line("imported", *sorted(noted.values()))

    def _refused(self, refusal: Refusal) -> None:
        self.oracle.require(False, f"a row was refused: {refusal}")


@contextmanager
def cut_short(path: Path) -> Iterator[Journal]:
    """Open the journal of an import. After a kill, keep only what the operating system had received."""
    journal = Journal.open(path, "a-table")
    beside = path.with_name(path.name + SUFFIX)
    on_disk = None
    try:
        yield journal
    except Killed:
        on_disk = beside.stat().st_size
        raise
    finally:
        journal.close()
        if on_disk is not None:
            with beside.open("r+b") as file:
                file.truncate(on_disk)


def minter_into(writer: BulkWriter, process: Process, journal: Journal, progress: TransferProgress) -> BulkMinter:
    """Assemble `coolid.wiring.transfer.mint` for a process."""
    gathering = BufferingRecords(process.store.records)
    entropy = SeededEntropy(process.host.rng.getrandbits(32))
    minter = Minter(
        gathering,
        process.store.prefixes,
        process.store.counters,
        clock=process.host.clock,
        entropy=entropy,
        prover=process.prover,
        base_url=BASE_URL,
    )
    return BulkMinter(minter, gathering, writer, journal, progress)


class MemoryClient:
    """The part of DynamoDB's low-level client that puts new rows in one transaction."""

    def __init__(self, store: MemoryStore, host: Host) -> None:
        self._store = store
        self._host = host

    def transact_write_items(self, *, TransactItems: Sequence[Mapping[str, Any]]) -> None:  # noqa: N803 - AWS's name
        """Put all items, or none."""
        host = self._host
        host.step()
        fault = host.faults.draw((THROTTLED, FAILED, LOST, STALLED, RESPONSE_LOST))
        if fault is not None:
            host.faults.count(fault)
        if fault in (THROTTLED, FAILED):
            code = "ThrottlingException" if fault == THROTTLED else "InternalServerError"
            raise ClientError({"Error": {"Code": code}}, "TransactWriteItems")
        if fault == LOST:
            raise ConnectionClosedError(endpoint_url="https://dynamodb.example")
        if fault == STALLED:
            host.scheduler.sleep(host.rng.uniform(0.2, 4))
        reasons = [self._refusal(each["Put"]["Item"]) for each in TransactItems]
        if any(reason["Code"] != "None" for reason in reasons):
            answer: Any = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
            raise ClientError(answer, "TransactWriteItems")
        for each in TransactItems:
            item = each["Put"]["Item"]
            self._store.records_by_key[_place(item)] = record_of(item["body"]["S"], item["author"]["S"])
        if fault == RESPONSE_LOST:
            raise ConnectionClosedError(endpoint_url="https://dynamodb.example")
        for _ in range(8):  # a large response takes time
            host.step()

    def _refusal(self, item: Mapping[str, Any]) -> dict[str, Any]:
        present = self._store.records_by_key.get(_place(item))
        if present is None:
            return {"Code": "None"}
        body = record_body(present)
        row = RecordRow(*_place(item), present.version, present.status, body, present.author)
        return {"Code": "ConditionalCheckFailed", "Item": item_of(row)}


def _place(item: Mapping[str, Any]) -> tuple[str, str]:
    repository, _, key = item["pid"]["S"].partition("/")
    return repository, key

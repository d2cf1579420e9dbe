"""Imports: files of new records brought in by `coolid.transfer`, cut short at any moment, and gone on with.

In memory, a client of DynamoDB's puts (`MemoryClient`) and a store that gathers stand in for what
`coolid.wiring.transfer` puts together; the minting, the putting and the journal are the product's own.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson
from botocore.exceptions import ClientError, ConnectionClosedError

from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter, item_of
from coolid.errors import Unavailable
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.records.minter import Minter
from coolid.store.bulk import RecordRow
from coolid.store.rows import record_body, record_of
from coolid.transfer.bulk_minter import BufferingRecords, BulkMinter
from coolid.transfer.journal import SUFFIX, Journal
from coolid.transfer.progress import RejectedRow, TransferProgress
from coolid.transfer.row_reader import read
from tests.drill.baton import Killed
from tests.drill.callers import Home
from tests.drill.faults import FAILED, LOST, STALLED, THROTTLED, UNHEARD
from tests.drill.naming import Namer
from tests.drill.oracle import PUBLIC, Mint
from tests.drill.processes import Process
from tests.drill.sites import Site
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.ports import SeededEntropy
from tests.support.stores.memory_store import MemoryStore

_CHOSEN: Final = 100_000_000
_MOST_RUNS: Final = 5_000
"""An import of some dozen rows may fail hundreds of times where a process lives for some dozen calls."""


class Importer(Namer):
    """Imports, too. `world` says how."""

    def __init__(self, scene: Any, key: str, told: Any, world: Any) -> None:
        super().__init__(scene, key, told)
        self._world = world

    def bring_in(self) -> None:
        """A file of rows, until all are in; as often as it takes."""
        home = self.dice.choice(self.scene.homes)
        wanted = [self._row(home, at) for at in range(self.dice.randrange(3, 30))]
        with TemporaryDirectory(prefix="drill-") as folder:
            path = Path(folder) / "rows.jsonl"
            path.write_bytes(b"".join(orjson.dumps(document) + b"\n" for _, document in wanted))
            for _ in range(_MOST_RUNS):
                tally = TransferProgress(self._refused)
                if self._run(path, tally):
                    break
                self.pause(10)
            else:
                raise AssertionError("an import came to no end")
            self._settle(path, wanted, tally)

    def _row(self, home: Home, at: int) -> tuple[Mint, dict[str, Any]]:
        number = self.scene.next()
        mint = Mint(number, home.names[0], f"https://content.example.org/{number}", PUBLIC, self.now, f"row {number}")
        document = {"prefix": mint.prefix, "uri": mint.target}
        if isinstance(home.rules, LuiRules) and at % 5 == 4:
            mint.chosen = document["id"] = lui.format(lui.encode(_CHOSEN + number, home.rules.symbols))
        self.oracle.mints[mint.target] = mint
        return mint, document

    def _run(self, path: Path, tally: TransferProgress) -> bool:
        """One run of the command; whether it came to its end."""
        task = self.scene.baton.task
        assert task is not None
        task.doing = "import"
        process = self._world.process()  # each run of the command is one of its own
        task.life = process.site
        try:
            with cut_short(path) as journal, path.open("rb") as file:
                self._world.importing(process, journal, tally).mint(read(file, tally.add_read_bytes))
        except (Killed, Unavailable) as error:
            self.scene.log.line("import", type(error).__name__)
            return False
        finally:
            task.life = None
        return True

    def _settle(self, path: Path, wanted: Sequence[tuple[Mint, Mapping[str, Any]]], tally: TransferProgress) -> None:
        """What the journal says was minted for each row is acknowledged."""
        journal = path.with_name(path.name + SUFFIX).read_bytes()
        entries = map(orjson.loads, journal.splitlines())
        noted = {entry["line"]: entry["pid"] for entry in entries if "line" in entry}
        self.oracle.demand(len(noted) == len(wanted) == tally.written + tally.present, f"an import: {tally}")
        for line, (mint, _) in enumerate(wanted, 1):
            mint.ids.add(noted[line])
        self.scene.log.line("imported", *sorted(noted.values()))

    def _refused(self, refusal: RejectedRow) -> None:
        self.oracle.demand(False, f"a row was refused: {refusal}")


@contextmanager
def cut_short(path: Path) -> Iterator[Journal]:
    """The journal of an import; of one that is killed only that stays which the system had got by then."""
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


def memory_minter(process: Process, store: MemoryStore, journal: Journal, tally: TransferProgress) -> BulkMinter:
    """As `coolid.wiring.transfer.mint` puts it together, in a process over a store in memory."""
    gathering = BufferingRecords(process.store.records)
    entropy = SeededEntropy(process.site.dice.getrandbits(32))
    minter = Minter(
        gathering,
        process.store.prefixes,
        process.store.counters,
        clock=process.site.clock,
        entropy=entropy,
        prover=process.prover,
        base_url=BASE_URL,
    )
    return BulkMinter(minter, gathering, DynamoBulkWriter(MemoryClient(store, process.site), "a-table"), journal, tally)


class MemoryClient:
    """Of a low-level client of DynamoDB what puts rows: many at once, each on condition that it is not there."""

    def __init__(self, store: MemoryStore, site: Site) -> None:
        self._store = store
        self._site = site

    def transact_write_items(self, *, TransactItems: Sequence[Mapping[str, Any]]) -> None:  # noqa: N803 - AWS's name
        """Put all, or none."""
        site = self._site
        site.step()
        fault = site.faults.draw((THROTTLED, FAILED, LOST, STALLED, UNHEARD))
        if fault is not None:
            site.faults.count(fault)
        if fault in (THROTTLED, FAILED):
            code = "ThrottlingException" if fault == THROTTLED else "InternalServerError"
            raise ClientError({"Error": {"Code": code}}, "TransactWriteItems")
        if fault == LOST:
            raise ConnectionClosedError(endpoint_url="https://dynamodb.example")
        if fault == STALLED:
            site.baton.sleep(site.dice.uniform(0.2, 4))
        reasons = [self._refusal(each["Put"]["Item"]) for each in TransactItems]
        if any(reason["Code"] != "None" for reason in reasons):
            answer: Any = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
            raise ClientError(answer, "TransactWriteItems")
        for each in TransactItems:
            item = each["Put"]["Item"]
            self._store.records_by_key[_place(item)] = record_of(item["body"]["S"], item["author"]["S"])
        if fault == UNHEARD:
            raise ConnectionClosedError(endpoint_url="https://dynamodb.example")
        for _ in range(8):  # the answer to so much takes its time
            site.step()

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

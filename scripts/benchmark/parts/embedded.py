"""The whole system over the embedded backend: resolving and minting, and what a mint writes.

The backend (moto) runs in the same process, and most of the time is its own. What is asked of it is counted where it
arrives: requests by operation, signatures of the key service, and the write units of each item by its size.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import msgspec
from moto.core.models import botocore_stubber

from coolid.aws.settings import Settings
from coolid.identifiers.schemes import lui
from coolid.local.stack import find_template, load_tables
from coolid.model.prefixes import Namespace
from coolid.wiring.read_access import caching_reader
from scripts.benchmark.handlers import Event, demand, events
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.identifiers import NAMESPACE
from scripts.benchmark.results import Figure, exactly, figure
from scripts.benchmark.rows import MINTED, Item
from scripts.benchmark.tables import size_of
from tests.support.fixtures.events import to_event
from tests.support.fixtures.system import TablesSystem, system_over_tables
from tests.support.stores.moto_store import CREDENTIALS

UNIT_BYTES: Final = 1024
"""What one write unit writes, at the most (DynamoDB's guide, "Write requests")."""
WRITES: Final = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem")
COUNTED: Final = 20
MINTS: Final = 400


class Heard:
    """The operations and the write requests that the backend received since the last call."""

    def __init__(self) -> None:
        self.operations: Counter[str] = Counter()
        self.puts: list[Mapping[str, Any]] = []

    def hear(self, request: Any) -> None:
        """Record a request."""
        target = request.headers.get("X-Amz-Target", "")
        operation = (target.decode() if isinstance(target, bytes) else target).rpartition(".")[2]
        self.operations[operation] += 1
        if operation == "PutItem":
            self.puts.append(msgspec.json.decode(request.body))

    def told(self) -> tuple[Counter[str], list[Mapping[str, Any]]]:
        """Return operations and puts, and reset them."""
        told = self.operations, self.puts
        self.operations, self.puts = Counter(), []
        return told


@contextmanager
def _listening() -> Iterator[Heard]:
    """Record the requests to the backend that starts in this block."""
    heard, process = Heard(), botocore_stubber.process_request

    def hear(request: Any) -> Any:
        heard.hear(request)
        return process(request)

    botocore_stubber.process_request = hear  # type: ignore[method-assign]  # moto has no hook for it
    try:
        yield heard
    finally:
        botocore_stubber.process_request = process  # type: ignore[method-assign]  # as it was


def figures(_scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    with tempfile.TemporaryDirectory() as name, _listening() as heard:
        os.environ |= CREDENTIALS | {"LOG_REQUESTS": "on"}
        with system_over_tables(Path(name)) as local:
            return _figures(local, heard, effort)


def _figures(local: TablesSystem, heard: Heard, effort: Effort) -> list[Figure]:
    mint = _minting(local)
    minted = [_id_of(mint()) for _ in range(effort.number(MINTS))]
    counted, units = [], []
    for _ in range(effort.number(COUNTED)):
        heard.told()
        demand(mint(), 201)
        operations, puts = heard.told()
        assert operations["PutItem"] == sum(operations[write] for write in WRITES), operations
        counted.append(operations)
        units.append(sum(_units_of(put, local.tables) for put in puts))
    resolved = cycle(events(f"/{NAMESPACE}/{identifier}" for identifier in minted))
    local.invoke(next(resolved))
    heard.told()
    for _ in minted[1:]:
        demand(local.invoke(next(resolved)), 302)
    resolving, _ = heard.told()
    others = sum(number for name, number in resolving.items() if name not in ("GetItem", "BatchGetItem"))
    cases = [
        Case("embedded: mint, the handler", mint),
        Case("embedded: resolve a record, one read", _forgetful(local, resolved)),
    ]
    timed = measured(cases, effort.rounds(15), seconds=0.05)
    average = resolving.total() / (len(minted) - 1)
    return [
        *(figure(name, "µs", taken) for name, taken in timed.items()),
        figure("embedded: write units of a mint", "units", units),
        *_operations(counted),
        figure("round trips: writes and signatures of resolving", "requests", [others]).aiming(exactly(0)),
        figure("round trips: first resolves over the embedded backend", "requests", [average]).aiming(exactly(1)),
    ]


def _operations(counted: Sequence[Counter[str]]) -> Iterator[Figure]:
    for name in sorted({name for each in counted for name in each}):
        yield figure(f"embedded: {name} of a mint", "requests", [each[name] for each in counted])


def _units_of(put: Mapping[str, Any], names: Mapping[str, str]) -> int:
    """Of an item and of its entries in indexes, which hold keys alone and are small."""
    item: Item = put["Item"]
    tables = load_tables(find_template())
    (table,) = (tables[logical] for logical, name in names.items() if name == put["TableName"])
    entries = sum(
        all(key["AttributeName"] in item for key in index["KeySchema"])
        for index in table.get("GlobalSecondaryIndexes", ())
    )
    return -(-size_of(item) // UNIT_BYTES) + entries


def _forgetful(local: TablesSystem, resolved: Iterator[Event]) -> Callable[[], object]:
    """Resolve uncached records under a cached prefix."""
    reader = caching_reader(Settings.read(local.environment, writes=False))
    with reader.for_request() as watch:
        (namespace,) = watch.prefixes([NAMESPACE]).values()
    assert isinstance(namespace, Namespace)
    repository = namespace.repository.id

    def resolve() -> object:
        event = next(resolved)
        reader.evict_record(repository, lui.validate(event["path"].rpartition("/")[2]))
        return local.invoke(event)

    return resolve


def _minting(local: TablesSystem) -> Callable[[], Mapping[str, Any]]:
    headers = [("Authorization", f"Bearer {local.admin_key}"), ("Content-Type", "application/json")]
    body = msgspec.json.encode(MINTED)
    event: Event = to_event("POST", "/api/v1/records", "", headers=headers, body=body, request_id="bench")
    return lambda: local.invoke(event)


def _id_of(answer: Mapping[str, Any]) -> str:
    return str(msgspec.json.decode(demand(answer, 201)["body"])["id"])

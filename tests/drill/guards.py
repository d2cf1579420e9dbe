"""Guards: what keeps promises under failure, each of which can be taken away, so that a drill has to find it out.

Each is a patch of the store in memory, or of the product itself. A drill that passes without one of them would pass
without any.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

from botocore.awsrequest import AWSPreparedRequest
from msgspec.structs import replace

from coolid.aws.dynamodb.records import DynamoRecords
from coolid.errors import IdempotencyRecordTaken
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.model.repositories import Repository
from coolid.proofs.statements import Prover, digest_of
from coolid.resolution.caching_reader import CachingRequestReader
from coolid.resolution.request_budget import Budget
from coolid.transfer.journal import Journal
from tests.drill.wires import Answer, Ask, Wire
from tests.support.stores.memory_store import MemoryStore

Guard = Callable[[], AbstractContextManager[Any]]


def _create_over(store: MemoryStore, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
    known = store.receipts.get(idempotency_record.id) if idempotency_record else None
    if known and known.expires > record.created:
        raise IdempotencyRecordTaken
    store.records_by_key[record.repository, record.key] = record
    if idempotency_record:
        store.receipts[idempotency_record.id] = idempotency_record


def _replace_whatever(store: MemoryStore, record: Record, replaced: Record) -> None:
    store.archive[record.repository, record.key, replaced.version] = replaced
    store.records_by_key[record.repository, record.key] = record


def _create_again(store: MemoryStore, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
    _CREATE(store, record)
    if idempotency_record:
        store.receipts[idempotency_record.id] = idempotency_record


def _reserve_blindly(store: MemoryStore, counter_id: str, floor: int, count: int) -> int:
    store.counters[counter_id] = floor + count
    return floor


def _change_alone(store: MemoryStore, repository: Repository, replaced: Repository) -> None:
    known = store.repositories[repository.id]
    store.repositories[repository.id] = replace(repository, canonical=known.canonical)


def _prove_of_nothing(prover: Prover, record: Record) -> Record:
    return _PROVE(prover, record if record.previous is None else replace(record, previous=digest_of({})))


def _unconditionally(wire: Wire, request: Any, ask: Ask) -> Answer:
    """Every put and update is carried out, whatever there is."""
    body = json.loads(request.body)
    parts = [part for each in body.get("TransactItems", ()) for part in each.values()]
    for part in (body, *parts):
        condition = part.pop("ConditionExpression", None)
        said = [part.get("UpdateExpression", ""), part.get("KeyConditionExpression", "")]
        for kind in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
            used = {name: value for name, value in part.get(kind, {}).items() if any(name in each for each in said)}
            if condition is not None and part.pop(kind, None) and used:
                part[kind] = used
    headers: Any = request.headers
    return _ONCE(wire, AWSPreparedRequest(request.method, request.url, headers, json.dumps(body).encode(), False), ask)


def _nothing(*_: Sequence[Any]) -> None:
    """The guard does nothing."""


_CREATE: Final = MemoryStore.create_record
_PROVE: Final = Prover.prove
_ONCE: Final = Wire._once

GUARDS: Final[dict[str, Guard]] = {
    "mint": lambda: patch.object(MemoryStore, "create_record", _create_over),
    "replace": lambda: patch.object(MemoryStore, "replace_record", _replace_whatever),
    "receipt": lambda: patch.object(MemoryStore, "create_record", _create_again),
    "reserve": lambda: patch.object(MemoryStore, "reserve", _reserve_blindly),
    "previous": lambda: patch.object(Prover, "prove", _prove_of_nothing),
    "stale": lambda: patch.object(CachingRequestReader, "__exit__", _nothing),
    "publish": lambda: patch.object(Prover, "_publish", _nothing),
    "stems": lambda: patch.object(MemoryStore, "_mark_stems", _nothing),
    "aliases": lambda: patch.object(MemoryStore, "change_repository", _change_alone),
    "intend": lambda: patch.object(Journal, "intend", _nothing),
    "budget": lambda: patch.object(Budget, "charge", _nothing),
    "conditions": lambda: patch.object(Wire, "_once", _unconditionally),
    "tokens": lambda: patch.object(DynamoRecords, "_is_stored", lambda *_: False),
}
"""By name: the condition of a new record, of a new version, of a receipt, of a reservation; that the digest of the
version before is signed; that nothing is refused on what is stale; that a key is published before it signs; that stems
are marked; that aliases follow their repository; that an import says beforehand what it means to mint; that the reads
of one request are bounded; and, over the embedded DynamoDB, all conditions of all writes, and that a repeated write
finds its own token."""

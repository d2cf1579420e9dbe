"""Guards: the parts of the product that keep promises under failure. Without one of them a drill must fail.

Each guard is removed by a patch of the store in memory, or of the product.
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
from tests.drill.faulty_transport import Answer, FaultyTransport, Send
from tests.support.stores.memory_store import MemoryStore

Guard = Callable[[], AbstractContextManager[Any]]


def _create_unchecked(store: MemoryStore, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
    known = store.idempotency_records.get(idempotency_record.id) if idempotency_record else None
    if known and known.expires > record.created:
        raise IdempotencyRecordTaken
    store.records_by_key[record.repository, record.key] = record
    if idempotency_record:
        store.idempotency_records[idempotency_record.id] = idempotency_record


def _replace_unchecked(
    store: MemoryStore, record: Record, replaced: Record, _idempotency_record: IdempotencyRecord | None = None
) -> None:
    store.archive[record.repository, record.key, replaced.version] = replaced
    store.records_by_key[record.repository, record.key] = record


def _create_without_idempotency(
    store: MemoryStore, record: Record, idempotency_record: IdempotencyRecord | None = None
) -> None:
    _CREATE(store, record)
    if idempotency_record:
        store.idempotency_records[idempotency_record.id] = idempotency_record


def _reserve_unchecked(store: MemoryStore, counter_id: str, floor: int, count: int) -> int:
    store.counters[counter_id] = floor + count
    return floor


def _change_without_aliases(store: MemoryStore, repository: Repository, replaced: Repository) -> None:
    known = store.repositories[repository.id]
    store.repositories[repository.id] = replace(repository, canonical=known.canonical)


def _prove_wrong_previous(prover: Prover, record: Record) -> Record:
    return _PROVE(prover, record if record.previous is None else replace(record, previous=digest_of({})))


def _prove_unpublished(prover: Prover, record: Record) -> Record:
    prover._published.add(prover._signer.public_key()["kid"])
    return _PROVE(prover, record)


def _send_without_conditions(transport: FaultyTransport, request: Any, send: Send) -> Answer:
    """Perform every put and update without its condition."""
    body = json.loads(request.body)
    parts = [part for each in body.get("TransactItems", ()) for part in each.values()]
    for part in (body, *parts):
        condition = part.pop("ConditionExpression", None)
        message = [part.get("UpdateExpression", ""), part.get("KeyConditionExpression", "")]
        for kind in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
            used = {name: value for name, value in part.get(kind, {}).items() if any(name in each for each in message)}
            if condition is not None and part.pop(kind, None) and used:
                part[kind] = used
    headers: Any = request.headers
    return _ONCE(
        transport, AWSPreparedRequest(request.method, request.url, headers, json.dumps(body).encode(), False), send
    )


def _do_nothing(*_: Sequence[Any]) -> None:
    """Replace a guard without effect."""


_CREATE: Final = MemoryStore.create_record
_PROVE: Final = Prover.prove
_ONCE: Final = FaultyTransport._once

GUARDS: Final[dict[str, Guard]] = {
    "mint": lambda: patch.object(MemoryStore, "create_record", _create_unchecked),
    "replace": lambda: patch.object(MemoryStore, "replace_record", _replace_unchecked),
    "idempotency_record": lambda: patch.object(MemoryStore, "create_record", _create_without_idempotency),
    "reserve": lambda: patch.object(MemoryStore, "reserve", _reserve_unchecked),
    "previous": lambda: patch.object(Prover, "prove", _prove_wrong_previous),
    "stale": lambda: patch.object(CachingRequestReader, "__exit__", _do_nothing),
    "publish": lambda: patch.object(Prover, "prove", _prove_unpublished),
    "stems": lambda: patch.object(MemoryStore, "_mark_stems", _do_nothing),
    "aliases": lambda: patch.object(MemoryStore, "change_repository", _change_without_aliases),
    "intend": lambda: patch.object(Journal, "intend", _do_nothing),
    "budget": lambda: patch.object(Budget, "charge", _do_nothing),
    "conditions": lambda: patch.object(FaultyTransport, "_once", _send_without_conditions),
    "tokens": lambda: patch.object(DynamoRecords, "_is_stored", lambda *_: False),
}
"""Patches that remove a guard, by name.

The guards are the conditions of a new record, a new version, an idempotency record and a reservation; the signed digest
of the version before; no refusal because of stale rows; publishing a key before its first signature; marking stems;
rewriting aliases; the write-ahead notes of an import; the limit on reads of a request; and over the embedded DynamoDB
all conditions of writes, and the token of repeated writes.
"""

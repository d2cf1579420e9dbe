"""Idempotency records in SQLite. Each is written in the transaction that writes what the request created."""

import sqlite3
from datetime import UTC, datetime
from typing import Final

from coolid.errors import IdempotencyRecordTaken
from coolid.model.idempotency_record import IdempotencyRecord

_INSERT: Final = (
    "INSERT INTO idempotency_records (id, digest, outcome, expires) VALUES (:id, :digest, :outcome, :expires) "
    "ON CONFLICT (id) DO UPDATE SET digest = :digest, outcome = :outcome, expires = :expires "
    "WHERE idempotency_records.expires <= :now"
)
_SELECT: Final = "SELECT id, digest, outcome, expires FROM idempotency_records WHERE id = ?"


def insert_idempotency_record(connection: sqlite3.Connection, new: IdempotencyRecord | None, now: datetime) -> None:
    """Write a record, if there is one. Raises `IdempotencyRecordTaken` if the request has an unexpired one."""
    if new is None:
        return
    values = {
        "id": new.id,
        "digest": new.digest,
        "outcome": new.outcome,
        "expires": round(new.expires.timestamp()),
        "now": round(now.timestamp()),
    }
    if not connection.execute(_INSERT, values).rowcount:
        raise IdempotencyRecordTaken


def read_idempotency_record(connection: sqlite3.Connection, request_id: str) -> IdempotencyRecord | None:
    """Return the record of a request, or None."""
    rows = connection.execute(_SELECT, (request_id,)).fetchall()
    if not rows:
        return None
    identifier, digest, outcome, expires = rows[0]
    return IdempotencyRecord(identifier, digest, outcome, datetime.fromtimestamp(expires, UTC))

"""Idempotency records. Each is written in the transaction that writes what the request created."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from pynamodb.expressions.condition import Condition
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from coolid.aws.dynamodb.client import (
    CONDITION_FAILED,
    DynamoClient,
    Reasons,
    accept_own_write,
    is_refused,
    translate_errors,
)
from coolid.errors import IdempotencyRecordTaken, StoreUnavailable
from coolid.model.idempotency_record import IdempotencyRecord


def create_row(
    client: DynamoClient,
    row: Model,
    unused: Condition,
    is_stored: Callable[[], bool],
    refusal: Exception,
    idempotency_record: IdempotencyRecord | None,
    now: datetime,
) -> None:
    """Write a new row on the condition `unused`, and the idempotency record if there is one.

    Takes one conditional PutItem, or two in one transaction. Raises `refusal` if the row exists, unless `is_stored`
    finds this write's token in it. Raises `IdempotencyRecordTaken` if the request has an unexpired record.
    """
    with accept_own_write(is_stored, type(refusal), IdempotencyRecordTaken):
        if idempotency_record is None:
            with translate_errors(refusal):
                row.save(condition=unused)
            return
        with client.transaction(partial(creation_failure, refusal=refusal)) as transaction:
            save_idempotency_record(transaction, client, idempotency_record, now)
            transaction.save(row, condition=unused)


def save_idempotency_record(
    transaction: TransactWrite, client: DynamoClient, new: IdempotencyRecord, now: datetime
) -> None:
    """Add a record to a transaction, as its first part, unless the request has an unexpired one."""
    row = client.tables.request
    transaction.save(
        row(id=new.id, digest=new.digest, outcome=new.outcome, expires=round(new.expires.timestamp())),
        condition=row.id.does_not_exist() | (row.expires <= round(now.timestamp())),
    )


def read_idempotency_record(client: DynamoClient, request_id: str) -> IdempotencyRecord | None:
    """Return the record of a request, or None. Takes one GetItem."""
    row = client.reader.row(client.tables.request.Meta.table_name, {"id": {"S": request_id}})
    if row is None:
        return None
    return IdempotencyRecord(row["id"], row["digest"], row["outcome"], datetime.fromtimestamp(row["expires"], UTC))


def creation_failure(reasons: Reasons, refusal: Exception) -> Exception:
    """Return the exception for the refused creation of a row and its idempotency record.

    `refusal` is that of a failed condition of the row. A transaction conflict at the row does not mean that it exists,
    because the other write may fail too.
    """
    idempotency_record, row = reasons
    if is_refused(idempotency_record):
        return IdempotencyRecordTaken()
    return refusal if row == CONDITION_FAILED else StoreUnavailable("another write uses the row")


def change_failure(reasons: Reasons, refusal: Exception) -> Exception:
    """Return the exception for a refused change of a row with an idempotency record: `refusal` is that of the row."""
    return IdempotencyRecordTaken() if is_refused(reasons[0]) else refusal

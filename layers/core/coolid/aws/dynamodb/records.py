"""Records in the store: their versions, and the receipts of those who asked for them."""

from datetime import UTC, datetime
from typing import Final

from pynamodb.transactions import TransactWrite

from coolid.aws.dynamodb.items import CURRENT, pid_of, record_body
from coolid.aws.dynamodb.tables import LuiRow
from coolid.aws.dynamodb.writer import (
    CONDITION_FAILED,
    DynamoWriter,
    Reasons,
    accept_own_write,
    is_refused,
    translated,
)
from coolid.errors import IdentifierTaken, InvalidInput, Outdated, ReceiptTaken, StoreUnavailable
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import WITHDRAWN, Record

MOST_RECORD_BYTES: Final = 380_000
"""DynamoDB takes items of 400 KB."""
MOST_TOMBSTONE_BYTES: Final = 395_000
"""A tombstone keeps what there was and adds why and when: the largest record can be withdrawn. The rest is for keys."""


class DynamoRecords(DynamoWriter):
    """What of `coolid.store.store.Store` writes records."""

    def create_record(self, record: Record, key: str, receipt: IdempotencyRecord | None = None) -> None:
        """See `Store`. Takes one conditional PutItem, or two in one transaction; a GetItem or two if a condition fails.

        `InvalidInput` for a record larger than an item can be.
        """
        token, unused = self._new_token(), self._tables.lui.pid.does_not_exist()
        row = self._record_row(record, key, CURRENT, token)
        with accept_own_write(lambda: self._is_stored(record, key, token), IdentifierTaken, ReceiptTaken):
            if receipt is None:
                with translated(IdentifierTaken(record.id)):
                    row.save(condition=unused)
                return
            with self._transaction(lambda reasons: _why_not_made(reasons, record.id)) as transaction:
                self._save_receipt(transaction, receipt, record.created)
                transaction.save(row, condition=unused)

    def idempotency_record(self, errand_id: str) -> IdempotencyRecord | None:
        """As of `Store`."""
        row = self.item(self._tables.request.Meta.table_name, {"id": {"S": errand_id}}, consistent=True)
        if row is None:
            return None
        return IdempotencyRecord(row["id"], row["digest"], row["outcome"], datetime.fromtimestamp(row["expires"], UTC))

    def replace_record(self, record: Record, key: str, replaced: Record) -> None:
        """As of `Store`: two conditional puts in one transaction. `InvalidInput` for a record that is too large.

        The archived version keeps the token of the write that it comes from.
        """
        row, token = self._tables.lui, self._new_token()
        current = self._record_row(record, key, CURRENT, token)
        archived = self._record_row(replaced, key, replaced.version, replaced.write_token)
        with (
            accept_own_write(lambda: self._is_stored(record, key, token), Outdated),
            self._transaction(lambda _: Outdated(record.id)) as transaction,
        ):
            transaction.save(current, condition=row.revision == replaced.version)
            transaction.save(archived, condition=row.pid.does_not_exist())

    def _is_stored(self, record: Record, key: str, token: str) -> bool:
        """Whether this version of a record, current or archived, comes from the write with this token."""
        stored = self.record(record.repository, key, consistent=True)
        if stored is not None and stored.version > record.version:
            stored = self.superseded(record.repository, key, record.version)
        return stored is not None and stored.version == record.version and stored.write_token == token

    def _record_row(self, record: Record, key: str, version: int, token: str | None) -> LuiRow:
        body = record_body(record)
        require_row_size(record, body)
        pid = pid_of(record.repository, key)
        return self._tables.lui(
            pid=pid,
            version=version,
            status=record.status,
            revision=record.version,
            repository=record.repository if version == CURRENT else None,
            author=record.author,
            write_token=token,
            body=body,
        )

    def _save_receipt(self, transaction: TransactWrite, receipt: IdempotencyRecord, now: datetime) -> None:
        row = self._tables.request
        seconds = round(receipt.expires.timestamp())
        transaction.save(
            row(id=receipt.id, digest=receipt.digest, outcome=receipt.outcome, expires=seconds),
            condition=row.id.does_not_exist() | (row.expires <= round(now.timestamp())),
        )


def _why_not_made(reasons: Reasons, identifier: str) -> Exception:
    """What it means that a record and its receipt were refused.

    Others at the record's row say nothing of whether it will be there: the store may refuse them as well.
    """
    receipt, record = reasons
    if is_refused(receipt):
        return ReceiptTaken()
    return IdentifierTaken(identifier) if record == CONDITION_FAILED else StoreUnavailable("others are at that record")


def require_row_size(record: Record, body: str) -> None:
    """`InvalidInput` if a record's text is larger than a row may be."""
    limit = MOST_TOMBSTONE_BYTES if record.status == WITHDRAWN else MOST_RECORD_BYTES
    if len(body.encode()) > limit:
        raise InvalidInput.at("", f"the record is larger than {limit} bytes")

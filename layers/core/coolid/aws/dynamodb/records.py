"""Records, their versions and idempotency records."""

from datetime import UTC, datetime

from pynamodb.transactions import TransactWrite

from coolid.aws.dynamodb.client import (
    CONDITION_FAILED,
    DynamoClient,
    Reasons,
    accept_own_write,
    is_refused,
    translate_errors,
)
from coolid.aws.dynamodb.reader import DynamoRecordReader
from coolid.aws.dynamodb.tables import LuiRow
from coolid.errors import IdempotencyRecordTaken, IdentifierTaken, Outdated, StoreUnavailable
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.store.rows import CURRENT, record_row


class DynamoRecords(DynamoRecordReader):
    """Implements `RecordStore`."""

    def __init__(self, client: DynamoClient) -> None:
        super().__init__(client.reader, client.tables.lui.Meta.table_name)
        self._client = client
        self._model = client.tables.lui

    def create_record(self, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `RecordStore`. Takes one conditional PutItem, or two in one transaction.

        Reads the row back if a condition fails. Raises `InvalidInput` for a record that is too large.
        """
        token, unused = self._client.new_token(), self._model.pid.does_not_exist()
        row = self._record_row(record, CURRENT, token)
        with accept_own_write(lambda: self._is_stored(record, token), IdentifierTaken, IdempotencyRecordTaken):
            if idempotency_record is None:
                with translate_errors(IdentifierTaken(record.id)):
                    row.save(condition=unused)
                return
            with self._client.transaction(lambda reasons: _creation_failure(reasons, record.id)) as transaction:
                self._save_idempotency_record(transaction, idempotency_record, record.created)
                transaction.save(row, condition=unused)

    def idempotency_record(self, request_id: str) -> IdempotencyRecord | None:
        """See `RecordStore`."""
        row = self._reader.row(self._client.tables.request.Meta.table_name, {"id": {"S": request_id}})
        if row is None:
            return None
        return IdempotencyRecord(row["id"], row["digest"], row["outcome"], datetime.fromtimestamp(row["expires"], UTC))

    def replace_record(self, record: Record, replaced: Record) -> None:
        """See `RecordStore`. Takes two conditional puts in one transaction.

        Raises `InvalidInput` for a record that is too large.
        The archived version keeps the token of the write that it comes from.
        """
        row, token = self._model, self._client.new_token()
        current = self._record_row(record, CURRENT, token)
        archived = self._record_row(replaced, replaced.version, replaced.write_token)
        with (
            accept_own_write(lambda: self._is_stored(record, token), Outdated),
            self._client.transaction(lambda _: Outdated(record.id)) as transaction,
        ):
            transaction.save(current, condition=row.revision == replaced.version)
            transaction.save(archived, condition=row.pid.does_not_exist())

    def _is_stored(self, record: Record, token: str) -> bool:
        """Return whether this version of a record, current or archived, comes from the write with this token."""
        stored = self.record(record.repository, record.key, consistent=True)
        if stored is not None and stored.version > record.version:
            stored = self.superseded(record.repository, record.key, record.version)
        return stored is not None and stored.version == record.version and stored.write_token == token

    def _record_row(self, record: Record, version: int, token: str | None) -> LuiRow:
        return self._model(**record_row(record, version), write_token=token)

    def _save_idempotency_record(self, transaction: TransactWrite, new: IdempotencyRecord, now: datetime) -> None:
        row = self._client.tables.request
        seconds = round(new.expires.timestamp())
        transaction.save(
            row(id=new.id, digest=new.digest, outcome=new.outcome, expires=seconds),
            condition=row.id.does_not_exist() | (row.expires <= round(now.timestamp())),
        )


def _creation_failure(reasons: Reasons, identifier: str) -> Exception:
    """Return the exception for the refused creation of a record and its idempotency record.

    A transaction conflict at the record's row does not mean that the identifier is taken: the other write may fail too.
    """
    idempotency_record, record = reasons
    if is_refused(idempotency_record):
        return IdempotencyRecordTaken()
    return IdentifierTaken(identifier) if record == CONDITION_FAILED else StoreUnavailable("another write uses the row")

"""Records, their versions and idempotency records."""

from collections.abc import Sequence
from functools import partial

from coolid.aws.dynamodb.client import DynamoClient, accept_own_write
from coolid.aws.dynamodb.idempotency_records import (
    change_failure,
    create_row,
    read_idempotency_record,
    save_idempotency_record,
)
from coolid.aws.dynamodb.reader import DynamoRecordReader
from coolid.aws.dynamodb.tables import LuiRow
from coolid.errors import IdempotencyRecordTaken, IdentifierTaken, Outdated
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.store.change_positions import history_attributes, record_position
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
        token = self._client.new_token()
        create_row(
            self._client,
            self._record_row(record, CURRENT, token),
            self._model.pid.does_not_exist(),
            lambda: self._is_stored(record, token),
            IdentifierTaken(record.id),
            idempotency_record,
            record.created,
        )

    def idempotency_record(self, request_id: str) -> IdempotencyRecord | None:
        """See `RecordStore`."""
        return read_idempotency_record(self._client, request_id)

    def replace_record(
        self,
        record: Record,
        replaced: Record,
        idempotency_record: IdempotencyRecord | None = None,
        between: Sequence[Record] = (),
    ) -> None:
        """See `RecordStore`. Takes two conditional puts in one transaction, or more.

        Raises `InvalidInput` for a record that is too large.
        The archived version keeps the token of the write that it comes from.
        """
        row, token = self._model, self._client.new_token()
        current = self._record_row(record, CURRENT, token)
        archived = self._record_row(replaced, replaced.version, replaced.write_token)
        refusal = partial(change_failure, refusal=Outdated(record.id)) if idempotency_record else None
        with (
            accept_own_write(lambda: self._is_stored(record, token), Outdated, IdempotencyRecordTaken),
            self._client.transaction(refusal or (lambda _: Outdated(record.id))) as transaction,
        ):
            if idempotency_record is not None:
                save_idempotency_record(transaction, self._client, idempotency_record, record.updated)
            transaction.save(current, condition=row.revision == replaced.version)
            for each in (archived, *(self._record_row(each, each.version, token) for each in between)):
                transaction.save(each, condition=row.pid.does_not_exist())

    def _is_stored(self, record: Record, token: str) -> bool:
        """Return whether this version of a record, current or archived, comes from the write with this token."""
        stored = self.record(record.repository, record.key, consistent=True)
        if stored is not None and stored.version > record.version:
            stored = self.superseded(record.repository, record.key, record.version)
        return stored is not None and stored.version == record.version and stored.write_token == token

    def _record_row(self, record: Record, version: int, token: str | None) -> LuiRow:
        row = record_row(record, version)
        if version != CURRENT:
            row |= history_attributes(record.repository, record_position(record), version)
        return self._model(**row, write_token=token)

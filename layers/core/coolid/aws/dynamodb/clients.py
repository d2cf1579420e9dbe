"""API clients in DynamoDB."""

from functools import partial

from coolid.aws.dynamodb.client import DynamoClient, accept_own_write, translate_errors
from coolid.aws.dynamodb.idempotency_records import creation_failure, save_idempotency_record
from coolid.errors import IdempotencyRecordTaken, StoreUnavailable
from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.store.client_rows import client_of, client_row


class DynamoClients:
    """Implements `ClientStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._client = client
        self._reader = client.reader
        self._model = client.tables.client

    def client(self, client_id: str) -> Client | None:
        """See `ClientStore`. Takes one GetItem."""
        row = self._reader.row(self._model.Meta.table_name, {"id": {"S": client_id}})
        return client_of(row) if row is not None else None

    def put_client(self, client: Client, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `ClientStore`. Takes one PutItem, or two in one transaction."""
        row = self._model(**client_row(client))
        if idempotency_record is None:
            with translate_errors(None):
                row.save()
            return
        refusal = partial(creation_failure, refusal=StoreUnavailable("another write uses the row"))
        with (
            accept_own_write(lambda: self._is_stored(client), IdempotencyRecordTaken),
            self._client.transaction(refusal) as transaction,
        ):
            save_idempotency_record(transaction, self._client, idempotency_record, client.created)
            transaction.save(row)

    def _is_stored(self, client: Client) -> bool:
        """Return whether a client with the same random key is stored."""
        stored = self.client(client.id)
        return stored is not None and stored.digest == client.digest

"""API clients in DynamoDB."""

from coolid.aws.dynamodb.client import DynamoClient, translate_errors
from coolid.model.clients import Client
from coolid.store.client_rows import client_of, client_row


class DynamoClients:
    """Implements `ClientStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._reader = client.reader
        self._model = client.tables.client

    def client(self, client_id: str) -> Client | None:
        """See `ClientStore`. Takes one GetItem."""
        row = self._reader.row(self._model.Meta.table_name, {"id": {"S": client_id}})
        return client_of(row) if row is not None else None

    def put_client(self, client: Client) -> None:
        """See `ClientStore`."""
        with translate_errors(None):
            self._model(**client_row(client)).save()

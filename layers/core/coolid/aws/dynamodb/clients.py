"""API clients in DynamoDB."""

from coolid.aws.dynamodb.client import DynamoClient, translate_errors
from coolid.model.clients import Client, Quota
from coolid.model.records import format_time, parse_time


class DynamoClients:
    """Implements `ClientStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._reader = client.reader
        self._model = client.tables.client

    def client(self, client_id: str) -> Client | None:
        """See `ClientStore`. Takes one GetItem."""
        row = self._reader.row(self._model.Meta.table_name, {"id": {"S": client_id}})
        if row is None:
            return None
        limits = row.get("minute"), row.get("day")
        return Client(
            row["id"],
            row["digest"],
            tuple(sorted(row.get("scopes", ()))),
            parse_time(row["created"]),
            row.get("note", ""),
            Quota(*limits) if limits != (None, None) else None,
            parse_time(row["revoked"]) if "revoked" in row else None,
        )

    def put_client(self, client: Client) -> None:
        """See `ClientStore`."""
        with translate_errors(None):
            self._model(
                id=client.id,
                digest=client.digest,
                scopes=set(client.scopes) or None,
                created=format_time(client.created),
                note=client.note or None,
                minute=client.quota.minute if client.quota else None,
                day=client.quota.day if client.quota else None,
                revoked=format_time(client.revoked) if client.revoked else None,
            ).save()

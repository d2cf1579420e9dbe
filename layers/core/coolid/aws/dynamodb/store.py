"""The complete store in DynamoDB. It reads with a transport and writes with pynamodb."""

from contextlib import suppress

from coolid.aws.dynamodb.check_cursors import DynamoCheckCursors
from coolid.aws.dynamodb.check_states import DynamoCheckStates
from coolid.aws.dynamodb.prefixes import DynamoPrefixes
from coolid.aws.dynamodb.public_keys import DynamoPublicKeys
from coolid.aws.dynamodb.quota_usage import DynamoUsage
from coolid.aws.dynamodb.records import DynamoRecords
from coolid.aws.dynamodb.webhooks import DynamoWebhooks
from coolid.aws.dynamodb.writer import translate_errors
from coolid.model.clients import Client, Quota
from coolid.model.records import format_time, parse_time


class DynamoStore(
    DynamoRecords, DynamoPrefixes, DynamoPublicKeys, DynamoUsage, DynamoCheckStates, DynamoCheckCursors, DynamoWebhooks
):
    """Implements `Store`, `CheckStateStore`, `CheckCursorStore` and `WebhookStore`."""

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        """See `Store`. Takes one conditional update if the counter is at or below the floor, otherwise two."""
        row = self._tables.counter
        counter = row(counter_id)
        with suppress(_CounterIsAhead), translate_errors(_CounterIsAhead()):
            counter.update(
                actions=[row.next_number.set(floor + count)],
                condition=row.next_number.does_not_exist() | (row.next_number <= floor),
            )
            return floor
        with translate_errors(None):
            counter.update(actions=[row.next_number.add(count)])
        return int(counter.next_number) - count

    def client(self, client_id: str) -> Client | None:
        """See `Store`."""
        row = self.item(self._tables.client.Meta.table_name, {"id": {"S": client_id}}, consistent=True)
        if row is None:
            return None
        scopes = tuple(sorted(row.get("scopes", ())))
        limits = row.get("minute"), row.get("day")
        return Client(
            row["id"],
            row["digest"],
            scopes,
            parse_time(row["created"]),
            row.get("note", ""),
            Quota(*limits) if limits != (None, None) else None,
            parse_time(row["revoked"]) if "revoked" in row else None,
        )

    def put_client(self, client: Client) -> None:
        """See `Store`."""
        with translate_errors(None):
            self._tables.client(
                id=client.id,
                digest=client.digest,
                scopes=set(client.scopes) or None,
                created=format_time(client.created),
                note=client.note or None,
                minute=client.quota.minute if client.quota else None,
                day=client.quota.day if client.quota else None,
                revoked=format_time(client.revoked) if client.revoked else None,
            ).save()


class _CounterIsAhead(Exception):
    """The counter is above the floor already."""

"""Check states, check cursors and webhooks in a table of their own, and conditions in the rows of prefixes and records.

A condition is written only if its row has not changed since the check. Otherwise the next check writes it.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct
from pynamodb.expressions.condition import Condition

from coolid.aws.dynamodb.client import DynamoClient, translate_errors, try_write
from coolid.aws.dynamodb.tables import LuiRow, PrefixRow
from coolid.model.check_state import AilingScan, CheckCursor, CheckState, CheckSubject, repository_owner
from coolid.model.conditions import Health, truncated
from coolid.model.webhooks import Webhook
from coolid.store.check_rows import (
    CURSOR,
    PLANNER,
    REQUESTS,
    WEBHOOK,
    check_state_row,
    check_states_of,
    cursor_of,
    json_text,
    scan_of,
    webhook_of,
)
from coolid.store.rows import CURRENT, PROVIDER, health_body, pid_of

BY_AILING: Final = "ByAiling"


class DynamoCheckStates:
    """Implements `CheckStateStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._reader = client.reader
        self._model = client.tables.pulse
        self._table = self._model.Meta.table_name

    def check_states(self, subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
        """See `CheckStateStore`. Takes one BatchGetItem."""
        keys = [{"owner": {"S": each.owner}, "name": {"S": each.name}} for each in dict.fromkeys(subjects)]
        items = self._reader.items(self._table, keys, consistent=True)
        return dict(check_states_of({name: item[name]["S"] for name in ("owner", "name", "body")} for item in items))

    def put_check_state(self, subject: CheckSubject, check_state: CheckState) -> None:
        """See `CheckStateStore`."""
        with translate_errors(None):
            self._model(**check_state_row(subject, check_state)).save()

    def delete_check_state(self, subject: CheckSubject) -> None:
        """See `CheckStateStore`."""
        with translate_errors(None):
            self._model(subject.owner, subject.name).delete()

    def ailing(
        self, owner: str, limit: int, after: str | None
    ) -> tuple[Sequence[tuple[CheckSubject, CheckState]], str | None]:
        """See `CheckStateStore`. Takes a Query of the index, which is eventually consistent."""
        rows = self._reader.rows(
            self._table,
            IndexName=BY_AILING,
            KeyConditionExpression="ailing = :owner AND #name > :after",
            ExpressionAttributeNames={"#name": "name"},
            ExpressionAttributeValues={":owner": {"S": owner}, ":after": {"S": after or " "}},
            Limit=limit + 1,
        )
        found = [*islice(rows, limit + 1)]
        listed = found[:limit]
        return [*check_states_of(listed)], listed[-1]["name"] if len(found) > limit else None


class DynamoConditions:
    """Implements `ConditionStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._prefix_model = client.tables.prefix
        self._lui_model = client.tables.lui

    def set_prefix_condition(self, name: str, revision: int, health: Health) -> bool:
        """See `ConditionStore`."""
        model = self._prefix_model
        return _set_health(model(name), health, (model.kind == PROVIDER) & (model.revision == revision))

    def set_record_condition(self, repository: str, key: str, version: int, health: Health) -> bool:
        """See `ConditionStore`."""
        model = self._lui_model
        return _set_health(model(pid_of(repository, key), CURRENT), health, model.revision == version)


class DynamoCheckCursors:
    """Implements `CheckCursorStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._client = client

    def cursor(self, repository_id: str) -> CheckCursor | None:
        """See `CheckCursorStore`. Takes one GetItem."""
        return cursor_of(_body_of(self._client, repository_owner(repository_id), CURSOR))

    def put_cursor(self, repository_id: str, cursor: CheckCursor) -> None:
        """See `CheckCursorStore`."""
        _put_body(self._client, repository_owner(repository_id), CURSOR, cursor)

    def ailing_scan(self) -> AilingScan | None:
        """See `CheckCursorStore`. Takes one GetItem."""
        return scan_of(_body_of(self._client, PLANNER, CURSOR))

    def put_ailing_scan(self, scan: AilingScan) -> None:
        """See `CheckCursorStore`."""
        _put_body(self._client, PLANNER, CURSOR, scan)


class DynamoCheckRequests:
    """Implements `CheckRequestStore` for a service on one machine. On AWS, a queue has the requests."""

    def __init__(self, client: DynamoClient) -> None:
        self._reader = client.reader
        self._model = client.tables.pulse

    def put_check_request(self, name: str, message: str, expires: int) -> None:
        """See `CheckRequestStore`."""
        with translate_errors(None):
            self._model(owner=REQUESTS, name=name, expires=expires, body=message).save()

    def take_check_requests(self, limit: int) -> Sequence[str]:
        """See `CheckRequestStore`. Takes a Query, and a DeleteItem for each message."""
        rows = self._reader.rows(
            self._model.Meta.table_name,
            ConsistentRead=True,
            KeyConditionExpression="#owner = :owner",
            ExpressionAttributeNames={"#owner": "owner"},
            ExpressionAttributeValues={":owner": {"S": REQUESTS}},
            Limit=limit,
        )
        taken = [*islice(rows, limit)]
        with translate_errors(None):
            for row in taken:
                self._model(REQUESTS, row["name"]).delete()
        return [row["body"] for row in taken]


class DynamoWebhooks:
    """Implements `WebhookStore`. Lists of failing addresses and exports do not include webhooks."""

    def __init__(self, client: DynamoClient) -> None:
        self._client = client

    def webhook(self, repository_id: str) -> Webhook | None:
        """See `WebhookStore`. Takes one GetItem."""
        return webhook_of(_body_of(self._client, repository_owner(repository_id), WEBHOOK))

    def put_webhook(self, repository_id: str, webhook: Webhook) -> None:
        """See `WebhookStore`."""
        _put_body(self._client, repository_owner(repository_id), WEBHOOK, webhook)

    def delete_webhook(self, repository_id: str) -> None:
        """See `WebhookStore`."""
        with translate_errors(None):
            self._client.tables.pulse(repository_owner(repository_id), WEBHOOK).delete()


def _body_of(client: DynamoClient, owner: str, name: str) -> str | None:
    key = {"owner": {"S": owner}, "name": {"S": name}}
    row = client.reader.row(client.tables.pulse.Meta.table_name, key)
    return None if row is None else row["body"]


def _put_body(client: DynamoClient, owner: str, name: str, value: Struct) -> None:
    with translate_errors(None):
        client.tables.pulse(owner=owner, name=name, body=json_text(value)).save()


def _set_health(row: PrefixRow | LuiRow, health: Health, unchanged: Condition) -> bool:
    """Set the attribute `health` if the row is unchanged; return whether it is."""
    attribute = type(row).health
    action = attribute.set(health_body(truncated(health))) if health else attribute.remove()
    return try_write(lambda: row.update(actions=[action], condition=unchanged))

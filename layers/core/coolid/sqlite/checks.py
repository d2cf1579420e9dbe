"""Check states, check cursors and webhooks in one table, and conditions in the rows of prefixes and records."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.model.check_state import AilingScan, CheckCursor, CheckState, CheckSubject, repository_owner
from coolid.model.conditions import Health, truncated
from coolid.model.webhooks import Webhook
from coolid.sqlite.database import Database
from coolid.sqlite.database_errors import translate_read_errors
from coolid.sqlite.table_rows import row_of, rows_of
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

_SELECT: Final = "SELECT owner, name, body FROM check_states WHERE owner = ? AND name = ?"
_SELECT_AILING: Final = "SELECT owner, name, body FROM check_states WHERE ailing = ? AND name > ? ORDER BY name LIMIT ?"
_SELECT_REQUEST: Final = "SELECT name FROM check_states WHERE owner = ? LIMIT 1"
_TAKE: Final = (
    "DELETE FROM check_states WHERE owner = :owner AND name IN "
    "(SELECT name FROM check_states WHERE owner = :owner ORDER BY name LIMIT :limit) RETURNING name, body"
)
_DELETE: Final = "DELETE FROM check_states WHERE owner = ? AND name = ?"
_PUT: Final = (
    "INSERT OR REPLACE INTO check_states (owner, name, ailing, expires, body) "
    "VALUES (:owner, :name, :ailing, :expires, :body)"
)


class SqliteCheckStates:
    """Implements `CheckStateStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check_states(self, subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
        """See `CheckStateStore`."""
        with self._database.read() as connection:
            found = [row_of(connection.execute(_SELECT, (each.owner, each.name))) for each in dict.fromkeys(subjects)]
            return dict(check_states_of(row for row in found if row is not None))

    def put_check_state(self, subject: CheckSubject, check_state: CheckState) -> None:
        """See `CheckStateStore`."""
        _put(self._database, check_state_row(subject, check_state))

    def delete_check_state(self, subject: CheckSubject) -> None:
        """See `CheckStateStore`."""
        _delete(self._database, subject.owner, subject.name)

    def ailing(
        self, owner: str, limit: int, after: str | None
    ) -> tuple[Sequence[tuple[CheckSubject, CheckState]], str | None]:
        """See `CheckStateStore`."""
        with self._database.read() as connection:
            found = [*rows_of(connection.execute(_SELECT_AILING, (owner, after or "", limit + 1)))]
            listed = found[:limit]
            return [*check_states_of(listed)], listed[-1]["name"] if len(found) > limit else None


class SqliteConditions:
    """Implements `ConditionStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set_prefix_condition(self, name: str, revision: int, health: Health) -> bool:
        """See `ConditionStore`."""
        return self._set(
            "UPDATE prefixes SET health = ? WHERE name = ? AND kind = ? AND revision = ?",
            (_health_text(health), name, PROVIDER, revision),
        )

    def set_record_condition(self, repository: str, key: str, version: int, health: Health) -> bool:
        """See `ConditionStore`."""
        return self._set(
            "UPDATE records SET health = ? WHERE pid = ? AND version = ? AND revision = ?",
            (_health_text(health), pid_of(repository, key), CURRENT, version),
        )

    def _set(self, statement: str, values: Sequence[Any]) -> bool:
        return self._database.write(lambda connection: connection.execute(statement, values).rowcount == 1)


class SqliteCheckCursors:
    """Implements `CheckCursorStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def cursor(self, repository_id: str) -> CheckCursor | None:
        """See `CheckCursorStore`."""
        return cursor_of(_body(self._database, repository_owner(repository_id), CURSOR))

    def put_cursor(self, repository_id: str, cursor: CheckCursor) -> None:
        """See `CheckCursorStore`."""
        _put(self._database, _row(repository_owner(repository_id), CURSOR, json_text(cursor)))

    def ailing_scan(self) -> AilingScan | None:
        """See `CheckCursorStore`."""
        return scan_of(_body(self._database, PLANNER, CURSOR))

    def put_ailing_scan(self, scan: AilingScan) -> None:
        """See `CheckCursorStore`."""
        _put(self._database, _row(PLANNER, CURSOR, json_text(scan)))


class SqliteCheckRequests:
    """Implements `CheckRequestStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_check_request(self, name: str, message: str, expires: int) -> None:
        """See `CheckRequestStore`."""
        _put(self._database, _row(REQUESTS, name, message) | {"expires": expires})

    def take_check_requests(self, limit: int) -> Sequence[str]:
        """See `CheckRequestStore`."""
        with self._database.read() as connection:
            if row_of(connection.execute(_SELECT_REQUEST, (REQUESTS,))) is None:  # most often, without a write
                return ()
        values = {"owner": REQUESTS, "limit": limit}
        taken = self._database.write(lambda connection: connection.execute(_TAKE, values).fetchall())
        return [body for _, body in sorted(taken)]


class SqliteWebhooks:
    """Implements `WebhookStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def webhook(self, repository_id: str) -> Webhook | None:
        """See `WebhookStore`."""
        body = _body(self._database, repository_owner(repository_id), WEBHOOK)
        with translate_read_errors():
            return webhook_of(body)

    def put_webhook(self, repository_id: str, webhook: Webhook) -> None:
        """See `WebhookStore`."""
        _put(self._database, _row(repository_owner(repository_id), WEBHOOK, json_text(webhook)))

    def delete_webhook(self, repository_id: str) -> None:
        """See `WebhookStore`."""
        _delete(self._database, repository_owner(repository_id), WEBHOOK)


def _row(owner: str, name: str, body: str) -> dict[str, Any]:
    return {"owner": owner, "name": name, "ailing": None, "expires": None, "body": body}


def _put(database: Database, row: Mapping[str, Any]) -> None:
    database.write(lambda connection: connection.execute(_PUT, row))


def _delete(database: Database, owner: str, name: str) -> None:
    database.write(lambda connection: connection.execute(_DELETE, (owner, name)))


def _body(database: Database, owner: str, name: str) -> str | None:
    with database.read() as connection:
        row = row_of(connection.execute(_SELECT, (owner, name)))
    return None if row is None else row["body"]


def _health_text(health: Health) -> str | None:
    return health_body(truncated(health)) if health else None

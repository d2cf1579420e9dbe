"""API clients and their sessions in SQLite."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from time import time
from typing import Final

from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.sessions import Session
from coolid.sqlite.database import Database
from coolid.sqlite.idempotency_records import insert_idempotency_record
from coolid.sqlite.table_rows import row_of, rows_of, set_text
from coolid.store.client_rows import client_of, client_row, day_of
from coolid.store.sessions import session_id

_PUT: Final = (
    "INSERT OR REPLACE INTO clients (id, digest, scopes, created, note, minute, day, revoked) "
    "VALUES (:id, :digest, :scopes, :created, :note, :minute, :day, :revoked)"
)
_SELECT: Final = "SELECT clients.*, last_used FROM clients LEFT JOIN client_uses USING (id)"
_RECORD_USE: Final = (
    "INSERT INTO client_uses (id, last_used) VALUES (?, ?) "
    "ON CONFLICT (id) DO UPDATE SET last_used = excluded.last_used WHERE last_used < excluded.last_used"
)
"""Its table is not a column of `clients`, because the previous release must be able to use the file."""
_SELECT_SESSION: Final = "SELECT outcome, expires FROM idempotency_records WHERE id = ?"
_INSERT_SESSION: Final = "INSERT OR REPLACE INTO idempotency_records (id, digest, outcome, expires) VALUES (?, ?, ?, ?)"
_DELETE_SESSION: Final = "DELETE FROM idempotency_records WHERE id = ?"


class SqliteClients:
    """Implements `ClientStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def client(self, client_id: str) -> Client | None:
        """See `ClientStore`."""
        with self._database.read() as connection:
            row = row_of(connection.execute(f"{_SELECT} WHERE clients.id = ?", (client_id,)))
            return client_of(row) if row is not None else None

    def list_clients(self, limit: int, after: str | None) -> tuple[Sequence[Client], str | None]:
        """See `ClientStore`. The order is that of the ids."""
        with self._database.read() as connection:
            statement = f"{_SELECT} WHERE clients.id > ? ORDER BY clients.id LIMIT ?"
            found = [client_of(row) for row in rows_of(connection.execute(statement, (after or "", limit + 1)))]
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    def record_use(self, client: Client) -> None:
        """See `ClientStore`."""
        day = day_of(time())
        if client.last_used != day:
            self._database.write(lambda connection: connection.execute(_RECORD_USE, (client.id, day.isoformat())))

    def put_client(self, client: Client, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `ClientStore`."""
        row = client_row(client)
        row["scopes"] = set_text(row["scopes"] or ())

        def change(connection: sqlite3.Connection) -> None:
            insert_idempotency_record(connection, idempotency_record, client.created)
            connection.execute(_PUT, row)
            if row["last_used"]:
                connection.execute(_RECORD_USE, (client.id, row["last_used"]))

        self._database.write(change)


class SqliteSessions:
    """Implements `SessionStore`, in the table of the idempotency records, whose rows expire too."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def session(self, digest: str) -> Session | None:
        """See `SessionStore`."""
        with self._database.read() as connection:
            for client, expires in connection.execute(_SELECT_SESSION, (session_id(digest),)).fetchall():
                return Session(digest, client, datetime.fromtimestamp(expires, UTC))
        return None

    def create_session(self, session: Session) -> None:
        """See `SessionStore`."""
        values = session_id(session.digest), session.digest, session.client, round(session.expires.timestamp())
        self._database.write(lambda connection: connection.execute(_INSERT_SESSION, values))

    def delete_session(self, digest: str) -> None:
        """See `SessionStore`."""
        self._database.write(lambda connection: connection.execute(_DELETE_SESSION, (session_id(digest),)))

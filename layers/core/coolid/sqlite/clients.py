"""API clients in SQLite."""

import sqlite3
from typing import Final

from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.sqlite.database import Database
from coolid.sqlite.idempotency_records import insert_idempotency_record
from coolid.sqlite.table_rows import row_of, set_text
from coolid.store.client_rows import client_of, client_row

_PUT: Final = (
    "INSERT OR REPLACE INTO clients (id, digest, scopes, created, note, minute, day, revoked) "
    "VALUES (:id, :digest, :scopes, :created, :note, :minute, :day, :revoked)"
)


class SqliteClients:
    """Implements `ClientStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def client(self, client_id: str) -> Client | None:
        """See `ClientStore`."""
        with self._database.read() as connection:
            row = row_of(connection.execute("SELECT * FROM clients WHERE id = ?", (client_id,)))
            return client_of(row) if row is not None else None

    def put_client(self, client: Client, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `ClientStore`."""
        row = client_row(client)
        row["scopes"] = set_text(row["scopes"] or ())

        def change(connection: sqlite3.Connection) -> None:
            insert_idempotency_record(connection, idempotency_record, client.created)
            connection.execute(_PUT, row)

        self._database.write(change)

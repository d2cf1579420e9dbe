"""API clients in SQLite."""

from coolid.model.clients import Client
from coolid.sqlite.database import Database
from coolid.sqlite.table_rows import row_of, set_text
from coolid.store.client_rows import client_of, client_row


class SqliteClients:
    """Implements `ClientStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def client(self, client_id: str) -> Client | None:
        """See `ClientStore`."""
        with self._database.read() as connection:
            row = row_of(connection.execute("SELECT * FROM clients WHERE id = ?", (client_id,)))
            return client_of(row) if row is not None else None

    def put_client(self, client: Client) -> None:
        """See `ClientStore`."""
        row = client_row(client)
        row["scopes"] = set_text(row["scopes"] or ())
        self._database.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO clients (id, digest, scopes, created, note, minute, day, revoked) "
                "VALUES (:id, :digest, :scopes, :created, :note, :minute, :day, :revoked)",
                row,
            )
        )

"""The port of API clients."""

from collections.abc import Sequence
from typing import Protocol

from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord


class ClientStore(Protocol):
    """The API clients, with the digests of their keys."""

    def client(self, client_id: str) -> Client | None:
        """Return the API client, or None (consistent)."""

    def list_clients(self, limit: int, after: str | None) -> tuple[Sequence[Client], str | None]:
        """Return at most `limit` clients in the store's own order, after the id `after`.

        Also return the id to continue after, or None at the end. The newest clients may be missing.
        """

    def record_use(self, client: Client) -> None:
        """Store today as the day when the client was last used.

        Writes nothing if it is that day already, or if that may take long.

        `client` was read from the store shortly before. Its other members do not change.
        """

    def put_client(self, client: Client, idempotency_record: IdempotencyRecord | None = None) -> None:
        """Write a client, replacing one of the same id.

        With an idempotency record, write both or neither. Raises `IdempotencyRecordTaken` as
        `RecordStore.create_record` does.
        """

"""The port of API clients."""

from typing import Protocol

from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord


class ClientStore(Protocol):
    """The API clients, with the digests of their keys."""

    def client(self, client_id: str) -> Client | None:
        """Return the API client, or None (consistent)."""

    def put_client(self, client: Client, idempotency_record: IdempotencyRecord | None = None) -> None:
        """Write a client, replacing one of the same id.

        With an idempotency record, write both or neither. Raises `IdempotencyRecordTaken` as
        `RecordStore.create_record` does.
        """

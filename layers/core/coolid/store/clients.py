"""The port of API clients."""

from typing import Protocol

from coolid.model.clients import Client


class ClientStore(Protocol):
    """The API clients, with the digests of their keys."""

    def client(self, client_id: str) -> Client | None:
        """Return the API client, or None (consistent)."""

    def put_client(self, client: Client) -> None:
        """Write a client, replacing one of the same id."""

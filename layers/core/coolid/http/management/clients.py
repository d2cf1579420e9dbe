"""API keys over HTTP, for administrators: `/api/v1/clients`. A key is told once, in the answer that makes it."""

from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import Contended, InvalidInput, UnknownClient, Violation
from coolid.http.api_documents import ClientBody, parse
from coolid.http.authentication import client_of
from coolid.http.message import Request, Response
from coolid.http.request_body import json_of, stored
from coolid.http.routes import Route
from coolid.model.clients import Client, Quota, is_scope, issue
from coolid.model.prefixes import fold
from coolid.model.records import format_time
from coolid.ports import Clock, Entropy
from coolid.registry.references import decode
from coolid.store.store import Store

CLIENTS: Final = "/api/v1/clients"
_ATTEMPTS: Final = 3


class ClientEndpoint(Struct, frozen=True):
    """Issues and revokes keys in `store`."""

    store: Store
    clock: Clock
    entropy: Entropy
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Two addresses."""
        return (
            Route(CLIENTS, {"POST": self.post}),
            Route(CLIENTS + "/", {"GET": self.get, "DELETE": self.delete}, below=True),
        )

    def post(self, request: Request, _path: str) -> Response:
        """Issue a key: 201, with the key, which nobody can be told again."""
        client_of(request, self.store).demand_admin()
        body = parse(ClientBody, json_of(request))
        scopes = tuple(_folded(scope) for scope in body.scopes)
        unknown = [
            Violation(f"/scopes/{at}", "a scope is admin, mint:PREFIX, update:PREFIX or watch:PREFIX")
            for at, scope in enumerate(scopes)
            if not is_scope(scope)
        ]
        if unknown:
            raise InvalidInput(unknown)
        quota = body.quota.to_domain() if body.quota else None
        client, key = self._issued(tuple(sorted(set(scopes))), body.note, quota if quota and quota.windows() else None)
        self.store.put_client(client)
        response = stored(201, {**document(client), "key": key})
        return response.with_headers(Location=f"{self.base_url}{CLIENTS}/{client.id}")

    def get(self, request: Request, path: str) -> Response:
        """A client as it is now, without its key."""
        client_of(request, self.store).demand_admin()
        return stored(200, document(self._client(path)))

    def delete(self, request: Request, path: str) -> Response:
        """Revoke the key, from now on: 200 with what the client was. Its row stays, for versions name it."""
        client_of(request, self.store).demand_admin()
        client = self._client(path)
        if client.revoked is None:
            client = replace(client, revoked=self.clock.now())
            self.store.put_client(client)
        return stored(200, document(client))

    def _issued(self, scopes: tuple[str, ...], note: str, quota: Quota | None) -> tuple[Client, str]:
        """A new client and its key; not one whose id an older one has, which it would replace."""
        for _ in range(_ATTEMPTS):
            client, key = issue(scopes, self.clock, self.entropy, note, quota)
            if self.store.client(client.id) is None:
                return client, key
        raise Contended("no free client id was drawn")

    def _client(self, path: str) -> Client:
        client_id = decode(path)
        client = self.store.client(client_id) if client_id and len(client_id) < 100 else None
        if client is None:
            raise UnknownClient(client_id)
        return client


def document(client: Client) -> dict[str, Any]:
    """All of a client that may be told."""
    return {
        "id": client.id,
        "scopes": list(client.scopes),
        "note": client.note or None,
        "quota": {"minute": client.quota.minute, "day": client.quota.day} if client.quota else None,
        "created": format_time(client.created),
        "revoked": format_time(client.revoked) if client.revoked else None,
    }


def _folded(scope: str) -> str:
    verb, colon, prefix = scope.partition(":")
    return verb + colon + fold(prefix)

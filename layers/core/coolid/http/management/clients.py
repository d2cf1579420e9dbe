"""API keys for administrators: `/api/v1/clients`. Only the response that creates a key contains it."""

from functools import partial
from typing import Any, Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import Contended, InvalidInput, KeyShownOnce, UnknownClient, Violation
from coolid.http.api_documents import ClientBody, parse
from coolid.http.authentication import client_of
from coolid.http.json_bodies import document_response, json_of
from coolid.http.management.idempotent_requests import IdempotentPosts, RecordOf
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, fitting, page_parameters
from coolid.http.routes import Route
from coolid.model.clients import ADMIN, Client, Quota, is_scope, issue_client
from coolid.model.prefixes import fold
from coolid.model.records import format_time
from coolid.ports import Clock, Entropy
from coolid.registry.references import decode
from coolid.store.clients import ClientStore

CLIENTS: Final = "/api/v1/clients"
_ATTEMPTS: Final = 3


class ClientEndpoint(Struct, frozen=True):
    """Issues and revokes the keys of `clients`."""

    clients: ClientStore
    posts: IdempotentPosts
    clock: Clock
    entropy: Entropy
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (
            Route(CLIENTS, {"GET": self.list_visible, "POST": self.post}),
            Route(CLIENTS + "/", {"GET": self.get, "DELETE": self.delete}, below=True),
        )

    def list_visible(self, request: Request, _path: str) -> Response:
        """Return all clients to an administrator, revoked ones too, and to others their own."""
        own = client_of(request, self.clients)
        limit, after = page_parameters(request, "clients")
        if ADMIN not in own.scopes:
            return document_response(200, {"clients": [document(replace(own, note=""))], "next": None})
        found, last = self.clients.list_clients(limit, after)
        documents = fitting([*map(document, found)])
        if len(documents) < len(found):
            last = found[len(documents) - 1].id
        next_cursor = cursor("clients", last) if last is not None else None
        return document_response(200, {"clients": documents, "next": next_cursor})

    def post(self, request: Request, _path: str) -> Response:
        """Issue a key: 201 with the key, which only this response contains. Raises `KeyShownOnce` if it is repeated."""
        admin = client_of(request, self.clients)
        admin.require_admin()
        sent = json_of(request)
        return self.posts.answer(request, admin, sent, partial(self._create, sent), _refuse_repetition)

    def _create(self, sent: Any, record_of: RecordOf) -> Response:
        body = parse(ClientBody, sent)
        scopes = tuple(_fold_scope(scope) for scope in body.scopes)
        unknown = [
            Violation(f"/scopes/{at}", "a scope is admin, mint:PREFIX, update:PREFIX or watch:PREFIX")
            for at, scope in enumerate(scopes)
            if not is_scope(scope)
        ]
        if unknown:
            raise InvalidInput(unknown)
        quota = body.quota.to_domain() if body.quota else None
        client, key = self._issue(tuple(sorted(set(scopes))), body.note, quota if quota and quota.windows() else None)
        self.clients.put_client(client, record_of(client.id))
        location = f"{self.base_url}{CLIENTS}/{client.id}"
        return document_response(201, {**document(client), "key": key}, Location=location)

    def get(self, request: Request, path: str) -> Response:
        """Return the client, without its key. Only administrators see other clients, and notes."""
        own = client_of(request, self.clients)
        if ADMIN not in own.scopes and decode(path) == own.id:
            return document_response(200, document(replace(own, note="")))
        own.require_admin()
        return document_response(200, document(self._client(path)))

    def delete(self, request: Request, path: str) -> Response:
        """Revoke the key: 200 with the client. Its row stays, because versions name it."""
        client_of(request, self.clients).require_admin()
        client = self._client(path)
        if client.revoked is None:
            client = replace(client, revoked=self.clock.now())
            self.clients.put_client(client)
        return document_response(200, document(client))

    def _issue(self, scopes: tuple[str, ...], note: str, quota: Quota | None) -> tuple[Client, str]:
        """Return a new client and its key, whose id no older client has."""
        for _ in range(_ATTEMPTS):
            client, key = issue_client(scopes, self.clock, self.entropy, note, quota)
            if self.clients.client(client.id) is None:
                return client, key
        raise Contended("no free client id was drawn")

    def _client(self, path: str) -> Client:
        client_id = decode(path)
        client = self.clients.client(client_id) if client_id and len(client_id) < 100 else None
        if client is None:
            raise UnknownClient(client_id)
        return client


def document(client: Client) -> dict[str, Any]:
    """Return the public members of a client."""
    return {
        "id": client.id,
        "scopes": list(client.scopes),
        "note": client.note or None,
        "quota": {"minute": client.quota.minute, "day": client.quota.day} if client.quota else None,
        "created": format_time(client.created),
        "revoked": format_time(client.revoked) if client.revoked else None,
        "last_used": client.last_used.isoformat() if client.last_used else None,
    }


def _refuse_repetition(client_id: str) -> NoReturn:
    """Raise `KeyShownOnce`, because only a digest of the key is stored."""
    raise KeyShownOnce(client_id)


def _fold_scope(scope: str) -> str:
    verb, colon, prefix = scope.partition(":")
    return verb + colon + fold(prefix)

"""Webhooks over HTTP, for administrators: `/api/v1/webhooks/{id}`, by the id of the repository whose links are told of.

A secret is told once, in the answer that makes it; whoever lost it asks for a new one by the same `PUT`. What is sent,
and how it is signed, is said in `coolid.health.webhooks`. Nothing is sent from here.
"""

from typing import Any, Final

from msgspec import Struct

from coolid.errors import UnknownRepository
from coolid.health.webhooks import Webhook, WebhookStore, new_secret
from coolid.http.api_documents import WebhookBody, parse
from coolid.http.authentication import client_of
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.request_body import json_of, stored
from coolid.http.routes import Route
from coolid.identifiers.schemes import lui
from coolid.model.records import format_time
from coolid.ports import Clock, Entropy
from coolid.registry.references import decode
from coolid.store.store import Store

WEBHOOKS: Final = "/api/v1/webhooks/"


class WebhookEndpoint(Struct, frozen=True):
    """Keeps in `webhooks` where the keepers of a repository in `store` want to hear of their links."""

    store: Store
    webhooks: WebhookStore
    clock: Clock
    entropy: Entropy
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """One address for each repository."""
        return (Route(WEBHOOKS, {"GET": self.get, "PUT": self.put, "DELETE": self.delete}, below=True),)

    def get(self, request: Request, path: str) -> Response:
        """Where letters go, without the secret; `NoSuchAddress` if they go nowhere."""
        repository_id = self._allowed(request, path)
        return stored(200, document(repository_id, self._present(repository_id)))

    def put(self, request: Request, path: str) -> Response:
        """Send letters there from now on: 201, or 200 where they went somewhere before; with a new secret."""
        repository_id = self._allowed(request, path)
        body = parse(WebhookBody, json_of(request))
        known = self.webhooks.webhook(repository_id)
        webhook = Webhook(body.url, new_secret(self.entropy), self.clock.now())
        self.webhooks.put_webhook(repository_id, webhook)
        told = {**document(repository_id, webhook), "secret": webhook.secret}
        if known is not None:
            return stored(200, told)
        return stored(201, told).with_headers(Location=f"{self.base_url}{WEBHOOKS}{repository_id}")

    def delete(self, request: Request, path: str) -> Response:
        """Send no more: 200 with where they went."""
        repository_id = self._allowed(request, path)
        webhook = self._present(repository_id)
        self.webhooks.delete_webhook(repository_id)
        return stored(200, document(repository_id, webhook))

    def _allowed(self, request: Request, path: str) -> str:
        """The repository's id, for an administrator."""
        client_of(request, self.store).demand_admin()
        repository_id = decode(path)
        if not lui.is_valid(repository_id) or self.store.repository(repository_id) is None:
            raise UnknownRepository(repository_id)
        return repository_id

    def _present(self, repository_id: str) -> Webhook:
        webhook = self.webhooks.webhook(repository_id)
        if webhook is None:
            raise NoSuchAddress("the repository has no webhook")
        return webhook


def document(repository_id: str, webhook: Webhook) -> dict[str, Any]:
    """All of a webhook that may be told again."""
    return {"repository": repository_id, "url": webhook.url, "since": format_time(webhook.since)}

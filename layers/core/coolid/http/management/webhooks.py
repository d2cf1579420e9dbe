"""The webhook endpoint for administrators: `/api/v1/webhooks/{id}`, by the id of the repository whose links it reports.

Only the response that creates a secret contains it; repeat the `PUT` to replace a lost one. See
`coolid.health.webhook_notices` for the messages and `webhook_signature` for their signatures. This module sends none.
"""

from typing import Any, Final

from msgspec import Struct

from coolid.health.webhook_signature import new_secret
from coolid.http.api_documents import WebhookBody, parse
from coolid.http.authentication import client_of
from coolid.http.errors import NoSuchAddress
from coolid.http.json_bodies import document_response, json_of
from coolid.http.management.record_access import stored_repository
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.records import format_time
from coolid.model.webhooks import Webhook
from coolid.ports import Clock, Entropy
from coolid.store.checks import WebhookStore
from coolid.store.clients import ClientStore
from coolid.store.prefixes import RepositoryStore

WEBHOOKS: Final = "/api/v1/webhooks/"


class WebhookEndpoint(Struct, frozen=True):
    """Shows and changes the `webhooks` of `repositories`, for administrators among the `clients`."""

    clients: ClientStore
    repositories: RepositoryStore
    webhooks: WebhookStore
    clock: Clock
    entropy: Entropy
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(WEBHOOKS, {"GET": self.get, "PUT": self.put, "DELETE": self.delete}, below=True),)

    def get(self, request: Request, path: str) -> Response:
        """Return the webhook without its secret. Raises `NoSuchAddress` if there is none."""
        repository_id = self._repository_id(request, path)
        return document_response(200, document(repository_id, self._webhook(repository_id)))

    def put(self, request: Request, path: str) -> Response:
        """Set the webhook: 201, or 200 if it replaces another one, with a new secret."""
        repository_id = self._repository_id(request, path)
        body = parse(WebhookBody, json_of(request))
        previous = self.webhooks.webhook(repository_id)
        webhook = Webhook(body.url, new_secret(self.entropy), self.clock.now())
        self.webhooks.put_webhook(repository_id, webhook)
        members = {**document(repository_id, webhook), "secret": webhook.secret}
        if previous is not None:
            return document_response(200, members)
        return document_response(201, members, Location=f"{self.base_url}{WEBHOOKS}{repository_id}")

    def delete(self, request: Request, path: str) -> Response:
        """Delete the webhook: 200 with the deleted one."""
        repository_id = self._repository_id(request, path)
        webhook = self._webhook(repository_id)
        self.webhooks.delete_webhook(repository_id)
        return document_response(200, document(repository_id, webhook))

    def _repository_id(self, request: Request, path: str) -> str:
        """Return the repository's id, if the client is an administrator."""
        client_of(request, self.clients).require_admin()
        return stored_repository(path, self.repositories).id

    def _webhook(self, repository_id: str) -> Webhook:
        webhook = self.webhooks.webhook(repository_id)
        if webhook is None:
            raise NoSuchAddress("the repository has no webhook")
        return webhook


def document(repository_id: str, webhook: Webhook) -> dict[str, Any]:
    """Return the members of a webhook without its secret."""
    return {"repository": repository_id, "url": webhook.url, "since": format_time(webhook.since)}

"""Management over HTTP: prefixes and repositories (`/api/v1/…`)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from coolid.domain.clients import Client
from coolid.domain.documents import dump
from coolid.domain.errors import InvalidInput, UnknownPrefix, UnknownRepository
from coolid.domain.finding import lookup
from coolid.domain.ports import Clock, Entropy
from coolid.domain.prefixes import Namespace, ProviderPrefix, as_target
from coolid.domain.references import decode
from coolid.domain.registering import create_repository, register_namespace, register_provider_prefix
from coolid.domain.repositories import Repository
from coolid.domain.schemes import lui
from coolid.domain.stores import Store
from coolid.domain.targets import objection
from coolid.web.authority import client_of
from coolid.web.bodies import json_of
from coolid.web.caching import NO_STORE, strong_etag
from coolid.web.message import Request, Response
from coolid.web.models import NamespaceBody, ProviderPrefixBody, RepositoryBody, parse, rules_from
from coolid.web.representations import prefixes
from coolid.web.routes import Route

PREFIXES: Final = "/api/v1/prefixes/"
REPOSITORIES: Final = "/api/v1/repositories"


@dataclass(frozen=True, slots=True)
class Managing:
    """Changes what `store` holds, for clients that it knows; `changed` is called when a prefix did."""

    store: Store
    clock: Clock
    entropy: Entropy
    base_url: str
    changed: Callable[[], None]

    def routes(self) -> tuple[Route, ...]:
        """Prefixes and repositories."""
        return (
            Route(PREFIXES, {"GET": self.get_prefix, "PUT": self.put_prefix}, below=True),
            Route(REPOSITORIES, {"POST": self.post_repository}),
            Route(REPOSITORIES + "/", {"GET": self.get_repository}, below=True),
        )

    def get_prefix(self, request: Request, path: str) -> Response:
        """A prefix as it is now."""
        client_of(request, self.store)
        name = decode(path)
        prefix = lookup(name, self.store, consistent=True)
        if prefix is None:
            raise UnknownPrefix(name)
        return _document(200, prefixes.document(prefix))

    def put_prefix(self, request: Request, path: str) -> Response:
        """Register a prefix (201) or change it (200)."""
        self._admin(request)
        name = decode(path)
        existed = lookup(name, self.store, consistent=True) is not None
        prefix = self._register(name, json_of(request))
        self.changed()
        response = _document(200 if existed else 201, prefixes.document(prefix))
        return response if existed else response.with_headers(Location=f"{self.base_url}{PREFIXES}{path}")

    def post_repository(self, request: Request, _path: str) -> Response:
        """Create a repository with its rules: 201, with the opaque id that it keeps."""
        self._admin(request)
        body = parse(RepositoryBody, json_of(request))
        reason = body.target and objection(as_target(body.target, "x"), body.domains)
        if reason:
            raise InvalidInput.at("/target", reason)
        now = self.clock.now()
        draft = Repository(
            id="",
            title=body.title,
            created=now,
            updated=now,
            rules=rules_from(body.scheme, body.rules),
            ttl=body.ttl,
            redirect=body.redirect,
            domains=tuple(body.domains),
            passthrough=body.passthrough,
            target=body.target,
            choices=body.choices,
        )
        repository = create_repository(draft, self.store, self.entropy)
        location = f"{self.base_url}{REPOSITORIES}/{repository.id}"
        return _document(201, prefixes.repository_document(repository)).with_headers(Location=location)

    def get_repository(self, request: Request, path: str) -> Response:
        """A repository as it is now."""
        client_of(request, self.store)
        repository_id = decode(path)
        repository = self.store.repository(repository_id) if lui.is_valid(repository_id) else None
        if repository is None:
            raise UnknownRepository(repository_id)
        return _document(200, prefixes.repository_document(repository))

    def _register(self, name: str, document: object) -> Namespace | ProviderPrefix:
        kind = document.get("kind") if isinstance(document, dict) else None
        if kind == "namespace":
            alias = parse(NamespaceBody, document)
            return register_namespace(name, alias.repository, alias.title, self.store, self.clock)
        if kind != "provider":
            raise InvalidInput.at("/kind", 'it must be "namespace" or "provider"')
        body = parse(ProviderPrefixBody, document)
        now = self.clock.now()
        draft = ProviderPrefix(
            name=name,
            created=now,
            updated=now,
            providers=tuple(provider.to_domain() for provider in body.providers),
            synonyms=tuple(body.synonyms),
            **body.model_dump(exclude={"kind", "providers", "synonyms"}),
        )
        return register_provider_prefix(draft, self.store, self.clock)

    def _admin(self, request: Request) -> Client:
        client = client_of(request, self.store)
        client.demand_admin()
        return client


def _document(status: int, document: dict[str, object]) -> Response:
    text = dump(document)
    return Response(
        status, {"Content-Type": "application/json", "Cache-Control": NO_STORE, "ETag": strong_etag(text)}, text
    )

"""The endpoint of single prefixes: `/api/v1/prefixes/{prefix}`."""

from collections.abc import Callable

from msgspec import Struct

from coolid.errors import InvalidInput
from coolid.http.api_documents import NamespaceBody, ProviderPrefixBody, parse
from coolid.http.authentication import client_of
from coolid.http.formats.prefixes import prefix_document
from coolid.http.json_bodies import document_response, json_of
from coolid.http.management.lists import PREFIXES
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.ports import Clock
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.registry.prefix_lookup import prefix_by_name, prefix_named
from coolid.registry.references import decode
from coolid.registry.registration import register_namespace, register_provider_prefix
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixStore, RepositoryStore


class PrefixEndpoint(Struct, frozen=True):
    """Shows and changes `prefixes` for the `clients`; `on_change` is called after each change."""

    clients: ClientStore
    prefixes: PrefixStore
    repositories: RepositoryStore
    clock: Clock
    base_url: str
    on_change: Callable[[], None]
    region: Region = SINGLE_REGION

    def routes(self) -> tuple[Route, ...]:
        return (Route(PREFIXES + "/", {"GET": self.get_prefix, "PUT": self.put_prefix}, below=True),)

    def get_prefix(self, request: Request, path: str) -> Response:
        """Return the current prefix."""
        client_of(request, self.clients)
        return document_response(200, prefix_document(prefix_named(decode(path), self.prefixes, consistent=True)))

    def put_prefix(self, request: Request, path: str) -> Response:
        """Register a prefix (201) or change it (200)."""
        client_of(request, self.clients).require_admin()
        name = decode(path)
        self.region.require_names_home(f"the prefix {name!a}")
        existed = prefix_by_name(name, self.prefixes, consistent=True) is not None
        prefix = self._register(name, json_of(request))
        self.on_change()
        if existed:
            return document_response(200, prefix_document(prefix))
        return document_response(201, prefix_document(prefix), Location=f"{self.base_url}{PREFIXES}/{path}")

    def _register(self, name: str, document: object) -> Namespace | ProviderPrefix:
        kind = document.get("kind") if isinstance(document, dict) else None
        if kind == "namespace":
            alias = parse(NamespaceBody, document)
            return register_namespace(
                name,
                alias.repository,
                alias.title,
                prefixes=self.prefixes,
                repositories=self.repositories,
                clock=self.clock,
            )
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
        return register_provider_prefix(draft, self.prefixes, self.clock)

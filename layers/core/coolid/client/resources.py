"""Parts of the synchronous client: prefixes, repositories, API keys and reports.

`coolid.client.client.Client` has one of each.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar, Unpack

from coolid.client import registry_operations
from coolid.client.documents import ApiKey, D, Prefix, ReportedLink, Repository
from coolid.client.flows import Flow
from coolid.client.inputs import NO_MEMBERS, NewRepository, PrefixMembers, RepositoryTerms
from coolid.client.service_api import Listing, ServiceApi

T = TypeVar("T")


class Run(Protocol):
    """Carries out a flow."""

    def __call__(self, flow: Flow[T]) -> T:
        """Return the result of a flow."""


class Items(Protocol):
    """Reads a list."""

    def __call__(self, listing: Listing[D]) -> Iterator[D]:
        """Yield the members of all pages."""


class Prefixes:
    """The registered prefixes: `client.prefixes`."""

    def __init__(self, api: ServiceApi, run: Run, items: Items) -> None:
        self._api = api
        self._run = run
        self._items = items

    def list(self, text: str = "") -> Iterator[Prefix]:
        """Yield all prefixes, or those with a text in their name or title. Requires a key."""
        return self._items(registry_operations.prefix_listing(text))

    def get(self, name: str) -> Prefix:
        """Return a prefix: as stored with a key, otherwise its public document."""
        if self._api.key is None:
            return self.get_public(name)
        return self._run(registry_operations.get_prefix(self._api, name))

    def get_public(self, name: str) -> Prefix:
        """Return the public document of a prefix. No key is sent."""
        return self._run(registry_operations.get_public_prefix(self._api, name))

    def put(
        self, name: str, document: Mapping[str, object] = NO_MEMBERS, /, **members: Unpack[PrefixMembers]
    ) -> Prefix:
        """Register a prefix, or change it, from a document, its members as keyword arguments, or both.

        Raises:
            AlreadyExists: The prefix means something else, which cannot change.
        """
        return self._run(registry_operations.put_prefix(self._api, name, {**document, **members}))


class Repositories:
    """The repositories: `client.repositories`."""

    def __init__(self, api: ServiceApi, run: Run, items: Items) -> None:
        self._api = api
        self._run = run
        self._items = items

    def list(self) -> Iterator[Repository]:
        """Yield the repositories that the key may see, each with its `prefixes` that it may mint under."""
        return self._items(registry_operations.repository_listing())

    def create(
        self,
        document: Mapping[str, object] = NO_MEMBERS,
        /,
        *,
        idempotency_key: str | None = None,
        **members: Unpack[NewRepository],
    ) -> Repository:
        """Create a repository from a document, its members as keyword arguments, or both.

        The same `idempotency_key` and document return the same repository for a day.
        """
        flow = registry_operations.create_repository(self._api, {**document, **members}, idempotency_key)
        return self._run(flow)

    def get(self, repository_id: str) -> Repository:
        """Return a repository by its id."""
        return self._run(registry_operations.get_repository(self._api, repository_id))

    def update(
        self,
        repository: str | Repository,
        patch: Mapping[str, object] = NO_MEMBERS,
        /,
        *,
        etag: str | None = None,
        **members: Unpack[RepositoryTerms],
    ) -> Repository:
        """Change members other than the rules by a merge patch. See `Client.update` for `etag`."""
        flow = registry_operations.update_repository(self._api, repository, {**patch, **members}, etag)
        return self._run(flow)


class ApiKeys:
    """The API keys, for administrators: `client.keys`."""

    def __init__(self, api: ServiceApi, run: Run, items: Items) -> None:
        self._api = api
        self._run = run
        self._items = items

    def list(self) -> Iterator[ApiKey]:
        """Yield all API keys without secrets for an administrator, else the key in use alone."""
        return self._items(registry_operations.key_listing())

    def create(self, scopes: Sequence[str], *, note: str = "", quota: Mapping[str, int | None] | None = None) -> ApiKey:
        """Create a key with scopes such as `mint:demo`, and a quota per `minute` and `day`.

        Only this answer contains the `key`. The request is not repeated, because that would create another one.
        """
        return self._run(registry_operations.create_key(self._api, scopes, note, quota))

    def get(self, key_id: str) -> ApiKey:
        """Return what a key permits, without the key. `key_id` is its part after `cool_`."""
        return self._run(registry_operations.get_key(self._api, key_id))

    def own(self) -> ApiKey | None:
        """Return what the key in use permits, or None from a release that shows it only to administrators.

        Raises:
            InvalidKey: The service does not accept the key.
        """
        return self._run(registry_operations.own_key(self._api))

    def revoke(self, key_id: str) -> ApiKey:
        """Revoke a key permanently."""
        return self._run(registry_operations.revoke_key(self._api, key_id))


class Reports:
    """Reports of the service's own checks: `client.reports`."""

    def __init__(self, api: ServiceApi, run: Run, items: Items) -> None:
        self._api = api
        self._run = run
        self._items = items

    def links(self, prefix: str, states: Sequence[str] = ()) -> Iterator[ReportedLink]:
        """Yield the links of a repository's records that are dead, failing or moved, or in one of these states.

        The states are `down`, `degraded` and `moved`.
        """
        return self._items(registry_operations.link_listing(prefix, states))

    def feed(self, prefix: str, states: Sequence[str] = ()) -> str:
        """Return the first page of the same links as an Atom feed."""
        return self._run(registry_operations.link_feed(self._api, prefix, states))

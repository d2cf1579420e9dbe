"""The repositories that an API client may see and change: those of the namespaces that its scopes cover.

An alias is enough, because all aliases lead to the same records. Administrators see all repositories, also those
without an alias.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from coolid.errors import Forbidden
from coolid.model.clients import ADMIN, MINT, UPDATE, VERBS, Client
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.store.pages import PAGE_SIZE, all_members
from coolid.store.prefixes import PrefixStore, RepositoryStore

_FIRST: Final = "namespace "


class VisibleRepository(Struct, frozen=True):
    """A repository with the names of those of its namespaces under which the client may mint or update, in order."""

    repository: Repository
    prefixes: tuple[str, ...]


def visible_repositories(
    client: Client, prefixes: PrefixStore, repositories: RepositoryStore
) -> Mapping[str, VisibleRepository]:
    """Return the repositories that the client may see, by their ids, in the order of the ids."""
    names: dict[str, list[str]] = {}
    found: dict[str, Repository] = {}
    for namespace in _own_namespaces(client, prefixes):
        names.setdefault(namespace.repository.id, []).append(namespace.name)
        found[namespace.repository.id] = namespace.repository
    if ADMIN in client.scopes:
        found |= {each.id: each for each in all_members(repositories.list_repositories)}
    return {each: VisibleRepository(found[each], tuple(names.get(each, ()))) for each in sorted(found)}


def updatable_repositories(
    client: Client, prefixes: PrefixStore, repositories: RepositoryStore
) -> Mapping[str, Repository]:
    """Return the repositories whose records the client may change, by their ids, in the order of the ids."""
    return {
        each: found.repository
        for each, found in visible_repositories(client, prefixes, repositories).items()
        if ADMIN in client.scopes or any(client.is_allowed(name, UPDATE) for name in found.prefixes)
    }


def _own_namespaces(client: Client, prefixes: PrefixStore) -> Iterator[Namespace]:
    """Yield the namespaces under which the client may mint or update, each once, in the order of their names."""
    if ADMIN in client.scopes:
        yield from all_namespaces(prefixes)
        return
    stems = {stem for verb, _, stem in (scope.partition(":") for scope in client.scopes) if verb in VERBS}
    named = prefixes.prefixes([*stems], consistent=True) if stems else {}
    found = {name: each for name, each in named.items() if isinstance(each, Namespace)}
    for stem in stems:
        found |= {each.name: each for each in all_namespaces(prefixes, stem) if client.is_allowed(each.name, *VERBS)}
    yield from (found[name] for name in sorted(found))


def all_namespaces(prefixes: PrefixStore, start: str = "", page_size: int = PAGE_SIZE) -> Iterator[Namespace]:
    """Yield the namespaces whose names begin with a text and are longer, in the order of their names."""
    for each in all_members(
        prefixes.list_prefixes, _FIRST + start, page_size
    ):  # namespaces are first in the list of all
        if not isinstance(each, Namespace) or not each.name.startswith(start):
            return
        yield each


def require_visible(client: Client, repository: Repository, prefixes: PrefixStore) -> None:
    """Raise `Forbidden` unless `visible_repositories` would contain the repository, also if it is new."""
    if ADMIN in client.scopes:
        return
    if not any(client.is_allowed(alias, *VERBS) for alias in prefixes.aliases(repository.id)):
        raise Forbidden(f"{MINT}:{repository.canonical}" if repository.canonical else ADMIN)


def is_allowed(client: Client, namespace: Namespace, prefixes: PrefixStore, *verbs: str) -> bool:
    """Return whether a scope covers one of the verbs on any name of the namespace's repository.

    Takes no read if the scope covers the name itself, else at most one.
    """
    if client.is_allowed(namespace.name, *verbs):
        return True
    if not any(scope.partition(":")[0] in verbs for scope in client.scopes):
        return False
    return any(client.is_allowed(alias, *verbs) for alias in prefixes.aliases(namespace.repository.id))


def require_allowed(client: Client, namespace: Namespace, prefixes: PrefixStore, *verbs: str) -> None:
    """Raise `Forbidden` unless a scope covers one of the verbs on any name of the namespace's repository."""
    if not is_allowed(client, namespace, prefixes, *verbs):
        raise Forbidden(f"{verbs[0]}:{namespace.name}")

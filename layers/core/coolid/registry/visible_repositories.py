"""The repositories that an API client may see: those of the namespaces under which it may mint or update.

An alias is enough, because all aliases lead to the same records. Administrators see all repositories, also those
without an alias.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from coolid.model.clients import ADMIN, VERBS, Client
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.store.prefixes import PrefixStore, RepositoryStore

_PAGE: Final = 1_000
_FIRST: Final = "namespace "
_T = TypeVar("_T")


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
        found |= {each.id: each for each in _pages(repositories.list_repositories)}
    return {each: VisibleRepository(found[each], tuple(names.get(each, ()))) for each in sorted(found)}


def _own_namespaces(client: Client, prefixes: PrefixStore) -> Iterator[Namespace]:
    """Yield the namespaces under which the client may mint or update, each once, in the order of their names."""
    if ADMIN in client.scopes:
        yield from _namespaces(prefixes, "")
        return
    stems = {stem for verb, _, stem in (scope.partition(":") for scope in client.scopes) if verb in VERBS}
    named = prefixes.prefixes([*stems], consistent=True) if stems else {}
    found = {name: each for name, each in named.items() if isinstance(each, Namespace)}
    for stem in stems:
        found |= {each.name: each for each in _namespaces(prefixes, stem) if client.is_allowed(each.name, *VERBS)}
    yield from (found[name] for name in sorted(found))


def _namespaces(prefixes: PrefixStore, start: str) -> Iterator[Namespace]:
    """Yield the namespaces whose names begin with a text and are longer. Namespaces are first in the list of all."""
    for each in _pages(prefixes.list_prefixes, _FIRST + start):
        if not isinstance(each, Namespace) or not each.name.startswith(start):
            return
        yield each


def _pages(
    list_page: Callable[[int, str | None], tuple[Sequence[_T], str | None]], after: str | None = None
) -> Iterator[_T]:
    """Yield the members of all pages of a list."""
    while True:
        page, after = list_page(_PAGE, after)
        yield from page
        if after is None:
            return

"""The repositories whose records are harvested, and the sets that they are (section 2.6).

Each repository is a set by its id, and by each of its namespaces. The characters of a setSpec are limited: `~` stands
for the slash in the name of a namespace, and `!` for the colon, which would separate the levels of a hierarchy.

>>> set_spec("2021/06/mp"), set_spec("ark:99999/fk4")
('2021~06~mp', 'ark!99999~fk4')
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from coolid.model.prefixes import Namespace, fold
from coolid.model.repositories import Repository
from coolid.registry.visible_repositories import all_namespaces
from coolid.store.prefixes import PrefixStore

_PAGE: Final = 100
"""Small, because the prefixes of other services follow, which may be many."""
_CHARACTERS: Final = str.maketrans("/:", "~!")


class PublicRepository(Struct, frozen=True):
    """A repository with its namespaces, the canonical one first. There is at least one."""

    namespaces: tuple[Namespace, ...]

    @property
    def repository(self) -> Repository:
        """The repository."""
        return self.namespaces[0].repository

    @property
    def id(self) -> str:
        """The id of the repository."""
        return self.repository.id

    def sets(self) -> Iterator[tuple[str, str]]:
        """Yield the setSpec and the name of each set that the repository is."""
        yield self.id, self.repository.title or self.id
        for namespace in self.namespaces:
            yield set_spec(namespace.name), namespace.title or f"{self.repository.title} ({namespace.name})".strip()

    def has_set(self, spec: str) -> bool:
        """Return whether the repository is this set."""
        return any(each == spec for each, _ in self.sets())


def set_spec(name: str) -> str:
    """Return the setSpec of a namespace."""
    return name.translate(_CHARACTERS)


def public_repositories(prefixes: PrefixStore) -> Sequence[PublicRepository]:
    """Return the repositories that have a namespace, in the order of their ids. The newest may be missing."""
    found: dict[str, list[Namespace]] = {}
    for namespace in all_namespaces(prefixes, page_size=_PAGE):
        found.setdefault(namespace.repository.id, []).append(namespace)
    return [
        PublicRepository(tuple(sorted(each, key=lambda namespace: namespace.name != namespace.repository.canonical)))
        for _, each in sorted(found.items())
    ]


def repository_named(name: str, repositories: Sequence[PublicRepository]) -> PublicRepository | None:
    """Return the repository with this id, or with a namespace of this name, or None."""
    folded = fold(name)
    for each in repositories:
        if folded == each.id or any(folded == namespace.name for namespace in each.namespaces):
            return each
    return None

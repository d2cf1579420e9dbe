"""The ports of prefixes and of the repositories that namespaces belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.repositories import Repository

if TYPE_CHECKING:  # resolution does not load the classes of writes
    from coolid.model.idempotency_record import IdempotencyRecord

Prefixes = Sequence[Namespace | ProviderPrefix]
"""All prefixes that resolve. See `PrefixReader.all_prefixes`."""


def position_of(prefix: Namespace | ProviderPrefix) -> str:
    """Return the sort key of a prefix in a list of all: namespaces first, both kinds in the order of their names."""
    return f"{'namespace' if isinstance(prefix, Namespace) else 'provider'} {prefix.name}"


class PrefixReader(Protocol):
    """The reads of prefixes that resolution needs."""

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """Return the rows of at most 100 folded names, in one batch; `Synonym` and `Stem` rows are not followed."""

    def all_prefixes(self) -> Prefixes:
        """Return all registered prefixes, in the order of `position_of`; the newest may be missing.

        A full import of a public registry is some megabytes and takes more than one round trip.
        """


class PrefixStore(PrefixReader, Protocol):
    """The prefixes with their synonyms and stems."""

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Prefixes, str | None]:
        """Return at most `limit` prefixes in the order of `position_of`, after that position.

        Also return the position to continue after, or None at the end. The newest prefixes may be missing.
        """

    def aliases(self, repository_id: str) -> Sequence[str]:
        """Return the names of the namespaces of a repository (consistent), in order; none if it does not exist."""

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        """Register or change `prefix` if the row still is `replaced`; else raise `Contended`.

        Its synonyms become rows of their own, and former synonyms are removed. Raises `PrefixTaken` if another prefix
        owns one. Every shorter text that ends at a boundary of the name becomes a stem *before* the name is written.
        A lookup from the shortest to the longest candidate can therefore stop at the first missing row.

        A namespace's repository also receives the alias, and its canonical prefix if it has none. Raises `Contended`
        unless the repository exists, in the revision that the namespace copies.
        """


class RepositoryStore(Protocol):
    """The repositories. Each namespace has a copy of its repository."""

    def repository(self, repository_id: str) -> Repository | None:
        """Return the repository, or None (consistent)."""

    def list_repositories(self, limit: int, after: str | None) -> tuple[Sequence[Repository], str | None]:
        """Return at most `limit` repositories in the order of their ids, after the id `after`.

        Also return the id to continue after, or None at the end. The newest repositories may be missing.
        """

    def create_repository(self, repository: Repository, idempotency_record: IdempotencyRecord | None = None) -> None:
        """Write a repository if its id was never used; else raise `IdentifierTaken`.

        With an idempotency record, write both or neither. Raises `IdempotencyRecordTaken` as
        `RecordStore.create_record` does.
        """

    def change_repository(self, repository: Repository, replaced: Repository) -> None:
        """Write a repository's next revision, and the copies of it in all its aliases, all or nothing.

        Raises `Contended` if it was changed in between, or another alias is added at the same time. The stored
        canonical prefix does not change.
        """

"""A survey of a dump: the number of its entries, its identifiers by prefix and status, and the prefixes it lacks.

It reads the whole dump, so a damaged one is refused before anything is written.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from coolid.errors import InvalidInput
from coolid.migration.identifier_namespaces import IdentifierNamespaces
from coolid.migration.missing_prefixes import MissingPrefixes
from coolid.migration.source_identifiers import Entry, SourceIdentifier

OTHERS: Final = "(no prefix)"


class Survey(Struct):
    """The numbers of entries and of identifiers by prefix and status, and the prefixes that are not registered."""

    entries: int = 0
    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    missing: MissingPrefixes = field(default_factory=MissingPrefixes)

    def add(self, entries: Iterable[Entry], namespaces: IdentifierNamespaces) -> None:
        """Add all entries of a dump. Raises `UsageError` for a damaged one, `StoreUnavailable`."""
        for entry in entries:
            self.entries += 1
            if isinstance(entry, SourceIdentifier):
                prefix = self._prefix(namespaces, namespaces.full(entry.identifier))
                self.statuses.setdefault(prefix, Counter())[entry.current.status] += 1

    def _prefix(self, namespaces: IdentifierNamespaces, identifier: str) -> str:
        try:
            match = namespaces.find(identifier)
        except InvalidInput:
            return OTHERS
        return match.namespace.name if match else self.missing.add(identifier) or OTHERS

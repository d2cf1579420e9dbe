"""A prefix reader for many lookups: each registered name is read once, and few unregistered ones are.

Every row lists the registered names that are one boundary longer. So a name whose shorter neighbour excludes it has no
row, and is not read. Prefixes that an import would create can be added without being stored.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from coolid.model.prefixes import Namespace, Prefix, Stem, ancestors, parent
from coolid.store.prefixes import PrefixReader

_MAX_ROWS: Final = 50_000


class CachedPrefixes:
    """Implements `PrefixReader` over another one, for one run of an import."""

    def __init__(self, reader: PrefixReader) -> None:
        self._reader = reader
        self._rows: dict[str, Prefix | None] = {}
        self._planned: dict[str, Prefix] = {}
        self.all_prefixes = reader.all_prefixes

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:  # noqa: ARG002 - every read is
        """See `PrefixReader`."""
        if len(self._rows) > _MAX_ROWS:
            self._rows.clear()
        found = ((name, self._row(name)) for name in names)
        return {name: row for name, row in found if row is not None}

    def add(self, namespace: Namespace) -> None:
        """Add a namespace, as if it were registered."""
        longer = namespace.name
        self._planned[longer] = namespace
        for name in reversed(ancestors(longer)):
            row = self._row(name) or Stem(name=name)
            self._planned[name] = replace(row, longer=row.with_longer(longer))
            longer = name

    def clear(self) -> None:
        """Remove all rows, read and added ones, because prefixes were registered."""
        self._rows.clear()
        self._planned.clear()

    def _row(self, name: str) -> Prefix | None:
        if name in self._planned:
            return self._planned[name]
        if name not in self._rows:
            shorter = parent(name)
            if shorter is not None:
                row = self._row(shorter)
                if row is None or not row.may_begin(name):
                    return None
            self._rows[name] = self._reader.prefixes((name,), consistent=True).get(name)
        return self._rows[name]

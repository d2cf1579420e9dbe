"""The import of a registry's prefixes into a store that has others already.

A prefix that is new is registered. One that came from the same registry is replaced if it differs. One that an operator
registered or changed stays as it is, with its synonyms. A name that is taken is left out of the synonyms of others.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from coolid.errors import Contended, PrefixTaken
from coolid.model.prefixes import Prefix, ProviderPrefix, Stem, Synonym
from coolid.ports import Clock
from coolid.store.prefixes import PrefixStore

NEW: Final = "new"
CHANGED: Final = "changed"
UNCHANGED: Final = "unchanged"
SKIPPED: Final = "skipped"
"""The outcomes. A prefix is skipped if an operator registered or changed it, or if it changes at the same time."""


def import_registry(prefixes: Iterable[ProviderPrefix], store: PrefixStore, clock: Clock) -> Iterator[tuple[str, str]]:
    """Import prefixes one after the other. Yield the name and the outcome of each. Raises `StoreUnavailable`."""
    for prefix in prefixes:
        rows = store.prefixes((prefix.name, *prefix.synonyms), consistent=True)
        current = rows.get(prefix.name)
        former = None if current is None or isinstance(current, Stem) else current
        if former is not None and not _is_from(former, prefix):
            yield prefix.name, SKIPPED
            continue
        imported = _merged(prefix, former if isinstance(former, ProviderPrefix) else None, rows, clock)
        if imported == former:
            yield prefix.name, UNCHANGED
            continue
        try:
            store.put_prefix(imported, former)
        except (Contended, PrefixTaken):
            yield prefix.name, SKIPPED
        else:
            yield prefix.name, CHANGED if former else NEW


def _is_from(current: Prefix, prefix: ProviderPrefix) -> bool:
    """Return whether a stored prefix came from the registry of another one, in any release of the registry."""
    if not isinstance(current, ProviderPrefix) or not current.source or not prefix.source:
        return False
    return current.source.partition(" ")[0] == prefix.source.partition(" ")[0]


def _merged(
    prefix: ProviderPrefix, former: ProviderPrefix | None, rows: Mapping[str, Prefix], clock: Clock
) -> ProviderPrefix:
    """Return the prefix as it is stored: without names that are taken, and with the times and revision of a change."""
    synonyms = tuple(name for name in prefix.synonyms if _is_free(rows.get(name), prefix.name))
    mapped = {name: tuple(registries) for name, registries in prefix.mapped.items() if name in synonyms}
    imported = replace(prefix, synonyms=synonyms, mapped=mapped)
    if former is None:
        now = clock.now()
        return replace(imported, created=now, updated=now)
    same = replace(
        imported,
        longer=former.longer,
        health=former.health,
        created=former.created,
        updated=former.updated,
        revision=former.revision,
    )
    before = replace(former, mapped={name: tuple(registries) for name, registries in former.mapped.items()})
    return former if same == before else replace(same, updated=clock.now(), revision=former.revision + 1)


def _is_free(row: Prefix | None, target: str) -> bool:
    return row is None or isinstance(row, Stem) or (isinstance(row, Synonym) and row.target == target)

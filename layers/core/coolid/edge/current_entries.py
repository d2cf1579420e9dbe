"""The entries that the rows of prefixes require now, by strongly consistent reads."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from coolid.edge.entries import entries_of
from coolid.model.prefixes import Prefix, ProviderPrefix, Synonym
from coolid.store.prefixes import PrefixReader

MAX_NAMES: Final = 100
"""The most names of one read (`PrefixReader.prefixes`)."""

Group = Mapping[str, str | None]
"""The names of one prefix, each with its value at the edge, or None if the edge must not answer it."""


def current_groups(reader: PrefixReader, base_url: str, names: Collection[str]) -> Sequence[Group]:
    """Return the groups of the prefixes to which the names belong, and one for each name that belongs to none.

    Each value is that of rows that were stored after the call began. No name is in two groups.
    """
    rows = read_rows(reader, names, consistent=True)
    targets = {row.target for row in rows.values() if isinstance(row, Synonym)} - rows.keys()
    rows |= read_rows(reader, targets, consistent=True)
    prefixes = [row for row in rows.values() if isinstance(row, ProviderPrefix)]
    synonyms = read_rows(reader, (name for each in prefixes for name in each.synonyms), consistent=True)
    groups = [_group(prefix, base_url, synonyms) for prefix in prefixes]
    grouped = {name for group in groups for name in group}
    return [*groups, *({name: None} for name in dict.fromkeys(names) if name not in grouped)]


def _group(prefix: ProviderPrefix, base_url: str, rows: Mapping[str, Prefix]) -> Group:
    """Return the group of a prefix. A synonym that leads elsewhere by now belongs to another group."""
    own = [rows[name] for name in prefix.synonyms if name in rows]
    entries = entries_of(prefix, base_url, own)
    gone = [name for name in prefix.synonyms if name not in rows]
    names = [prefix.name, *gone, *(each.name for each in own if leads_to(each, prefix))]
    return {name: entries.get(name) for name in names}


def leads_to(row: Prefix, prefix: ProviderPrefix) -> bool:
    """Return whether a row is a synonym of the prefix."""
    return isinstance(row, Synonym) and row.target == prefix.name


def read_rows(reader: PrefixReader, names: Iterable[str], *, consistent: bool) -> dict[str, Prefix]:
    """Return the rows of any number of names."""
    rows: dict[str, Prefix] = {}
    wanted = list(dict.fromkeys(names))
    for start in range(0, len(wanted), MAX_NAMES):
        rows |= reader.prefixes(wanted[start : start + MAX_NAMES], consistent=consistent)
    return rows

"""Prefixes with their synonyms and stems in SQLite. A transaction covers all rows of a change."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.errors import Contended, PrefixTaken
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix, Stem
from coolid.sqlite.database import Database
from coolid.sqlite.table_rows import names_of, row_of, row_with, set_text
from coolid.store.limits import require_free_alias
from coolid.store.prefixes import Prefixes, position_of
from coolid.store.rows import (
    NAMESPACE,
    PROVIDER,
    SYNONYM,
    have_providers_changed,
    prefix_body,
    prefix_kind,
    prefix_of,
    repository_name,
    side_attributes,
    steps_to,
)

_MAX_CACHED: Final = 8_192
"""The most parsed rows in memory: several times the rows of the Bioregistry, each of about 5 kB."""
_CACHED: Final[dict[str, tuple[Sequence[Any], Prefix | None]]] = {}
"""The last row that was read of each name, and its prefix."""
SELECT_PREFIX: Final = "SELECT * FROM prefixes WHERE name = ?"
_SELECT_AFTER: Final = (
    "SELECT * FROM prefixes WHERE kind IS NOT NULL AND (kind, name) > (?, ?) AND kind <= ? ORDER BY kind, name LIMIT ?"
)
_INSERT_PREFIX: Final = (
    "INSERT INTO prefixes (name, kind, revision, body, home, terms) "
    "VALUES (:name, :kind, :revision, :body, :home, :terms) ON CONFLICT (name) DO UPDATE "
    "SET kind = :kind, revision = :revision, body = :body, home = :home, terms = :terms WHERE prefixes.kind IS NULL"
)
_REPLACE_PREFIX: Final = (
    "UPDATE prefixes SET kind = :kind, revision = :revision, body = :body, home = :home, terms = :terms, "
    "health = CASE WHEN :is_unchecked THEN NULL ELSE health END "
    "WHERE name = :name AND kind = :replaced_kind AND revision = :replaced_revision"
)
_CLAIM_SYNONYM: Final = (
    "INSERT INTO prefixes (name, kind, target) VALUES (:name, :kind, :target) ON CONFLICT (name) DO UPDATE "
    "SET kind = :kind, target = :target "
    "WHERE prefixes.kind IS NULL OR (prefixes.kind = :kind AND prefixes.target = :target)"
)
_DROP_SYNONYM: Final = "UPDATE prefixes SET kind = NULL, target = NULL WHERE name = ? AND kind = ? AND target = ?"
_SET_CANONICAL: Final = (
    "UPDATE prefixes SET canonical = :canonical, aliases = :aliases WHERE name = :name AND revision = :revision "
    "AND (canonical IS NULL OR canonical = :canonical)"
)


class SqlitePrefixes:
    """Implements `PrefixStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def prefixes(
        self,
        names: Sequence[str],
        *,
        consistent: bool = False,  # noqa: ARG002 - every read is consistent
    ) -> Mapping[str, Prefix]:
        """See `PrefixReader`."""
        with self._database.read() as connection:
            found = [
                prefix
                for name in dict.fromkeys(names)
                for prefix in _prefixes_of(connection.execute(SELECT_PREFIX, (name,)))
            ]
        return {prefix.name: prefix for prefix in found if prefix is not None}

    def all_prefixes(self) -> Prefixes:
        """See `PrefixReader`."""
        return tuple(self._prefixes_after("", "", -1))

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Prefixes, str | None]:
        """See `PrefixStore`. `after` has the form `KIND NAME`."""
        kind, _, name = (after or "").partition(" ")
        if kind not in ("", NAMESPACE, PROVIDER):
            return [], None
        found = self._prefixes_after(kind, name, limit + 1)
        listed = found[:limit]
        return listed, position_of(listed[-1]) if len(found) > limit else None

    def aliases(self, repository_id: str) -> Sequence[str]:
        """See `PrefixStore`."""
        with self._database.read() as connection:
            row = row_of(connection.execute(SELECT_PREFIX, (repository_name(repository_id),))) or {}
        return sorted(row.get("aliases", ()))

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        """See `PrefixStore`. One transaction covers everything."""
        assert isinstance(prefix, Namespace | ProviderPrefix)
        synonyms = prefix.synonyms if isinstance(prefix, ProviderPrefix) else ()
        former = replaced.synonyms if isinstance(replaced, ProviderPrefix) else ()

        def change(connection: sqlite3.Connection) -> None:
            for name in (*synonyms, prefix.name):
                _mark_stems(connection, name)
            for synonym in synonyms:
                values = {"name": synonym, "kind": SYNONYM, "target": prefix.name}
                if not connection.execute(_CLAIM_SYNONYM, values).rowcount:
                    raise PrefixTaken(synonym, f"is registered already and cannot become a synonym of {prefix.name}")
            update_prefix_row(connection, prefix, replaced)
            if isinstance(prefix, Namespace):
                _set_canonical(connection, prefix, is_new=replaced is None)
            for synonym in set(former) - set(synonyms):
                connection.execute(_DROP_SYNONYM, (synonym, SYNONYM, prefix.name))

        self._database.write(change)

    def _prefixes_after(self, kind: str, name: str, limit: int) -> list[Namespace | ProviderPrefix]:
        """Return at most `limit` prefixes after a position in the list of all. Without limit if it is -1."""
        with self._database.read() as connection:
            found = _prefixes_of(connection.execute(_SELECT_AFTER, (kind, name, PROVIDER, limit)))
        return [prefix for prefix in found if isinstance(prefix, Namespace | ProviderPrefix)]


def _prefixes_of(cursor: sqlite3.Cursor) -> list[Prefix | None]:
    names = names_of(cursor)
    return [_prefix_of(names, values) for values in cursor]


def _prefix_of(names: Sequence[str], values: Sequence[Any]) -> Prefix | None:
    """Return the prefix of a row. The cache makes lists fast: comparing rows takes a fraction of parsing or hashing."""
    name = values[0]
    row, prefix = _CACHED.get(name, ((), None))
    if row != values:
        prefix = prefix_of(row_with(names, values))
        if len(_CACHED) >= _MAX_CACHED:
            _CACHED.clear()
        _CACHED[name] = values, prefix
    return prefix


def update_prefix_row(
    connection: sqlite3.Connection, prefix: Namespace | ProviderPrefix, replaced: Prefix | None
) -> None:
    """Write a prefix's own row, without synonyms, if it still is `replaced`; else raise `Contended`."""
    attributes = side_attributes(prefix)
    values = {
        "name": prefix.name,
        "kind": prefix_kind(prefix),
        "revision": prefix.revision,
        "body": prefix_body(prefix),
        "home": attributes.get("home"),
        "terms": attributes.get("terms"),
    }
    statement = _INSERT_PREFIX
    if isinstance(replaced, Namespace | ProviderPrefix):
        statement = _REPLACE_PREFIX
        values |= {"replaced_kind": prefix_kind(replaced), "replaced_revision": replaced.revision}
        values["is_unchecked"] = have_providers_changed(prefix, replaced)
    if not connection.execute(statement, values).rowcount:
        raise Contended(f"the prefix {prefix.name} was changed by somebody else at the same time")


def _mark_stems(connection: sqlite3.Connection, name: str) -> None:
    for shorter, following in steps_to(name):
        row = row_of(connection.execute("SELECT longer FROM prefixes WHERE name = ?", (shorter,))) or {}
        stem = Stem(name=shorter, longer=frozenset(row.get("longer", ())))
        longer = stem.with_longer(following)
        if longer is not stem.longer:
            connection.execute(
                "INSERT INTO prefixes (name, longer) VALUES (:name, :longer) "
                "ON CONFLICT (name) DO UPDATE SET longer = :longer",
                {"name": shorter, "longer": set_text(longer)},
            )


def _set_canonical(connection: sqlite3.Connection, namespace: Namespace, *, is_new: bool) -> None:
    name, canonical = repository_name(namespace.repository.id), namespace.repository.canonical
    assert canonical is not None
    row = row_of(connection.execute(SELECT_PREFIX, (name,))) or {}
    aliases = {*row.get("aliases", ()), namespace.name}
    if is_new:
        require_free_alias(len(aliases))
    values = {
        "name": name,
        "canonical": canonical,
        "aliases": set_text(aliases),
        "revision": namespace.repository.revision,
    }
    if not connection.execute(_SET_CANONICAL, values).rowcount:
        raise Contended(f"the prefix {namespace.name} was changed by somebody else at the same time")

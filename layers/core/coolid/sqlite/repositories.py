"""Repositories in SQLite. A change of one also changes the copies of it in all its aliases."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from coolid.errors import Contended, IdentifierTaken
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.sqlite.database import Database
from coolid.sqlite.idempotency_records import insert_idempotency_record
from coolid.sqlite.prefixes import SELECT_PREFIX, update_prefix_row
from coolid.sqlite.table_rows import row_of, rows_of
from coolid.store.limits import require_changeable_aliases
from coolid.store.rows import prefix_of, repository_body, repository_name, repository_of, side_attributes

_SELECT_LIST: Final = "SELECT * FROM prefixes WHERE kind = 'repository' AND name > ? ORDER BY name LIMIT ?"


class SqliteRepositories:
    """Implements `RepositoryStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def repository(self, repository_id: str) -> Repository | None:
        """See `RepositoryStore`."""
        with self._database.read() as connection:
            row = row_of(connection.execute(SELECT_PREFIX, (repository_name(repository_id),)))
            return repository_of(row["body"], row.get("canonical"), row) if row else None

    def list_repositories(self, limit: int, after: str | None) -> tuple[Sequence[Repository], str | None]:
        """See `RepositoryStore`."""
        with self._database.read() as connection:
            rows = [*rows_of(connection.execute(_SELECT_LIST, (repository_name(after or ""), limit + 1)))]
            listed = [repository_of(row["body"], row.get("canonical"), row) for row in rows[:limit]]
        return listed, listed[-1].id if len(rows) > limit else None

    def create_repository(self, repository: Repository, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `RepositoryStore`."""
        values = _row(repository)

        def change(connection: sqlite3.Connection) -> None:
            insert_idempotency_record(connection, idempotency_record, repository.created)
            statement = (
                "INSERT INTO prefixes (name, kind, revision, canonical, home, terms, body) "
                "VALUES (:name, 'repository', :revision, :canonical, :home, :terms, :body) ON CONFLICT DO NOTHING"
            )
            if not connection.execute(statement, values).rowcount:
                raise IdentifierTaken(repository.id)

        self._database.write(change)

    def change_repository(self, repository: Repository, replaced: Repository) -> None:
        """See `RepositoryStore`. One transaction covers the rows of the repository and its aliases."""

        def change(connection: sqlite3.Connection) -> None:
            stored = row_of(connection.execute(SELECT_PREFIX, (repository_name(repository.id),))) or {}
            aliases = sorted(stored.get("aliases", ()))
            require_changeable_aliases(len(aliases))
            if stored.get("revision") != replaced.revision:
                raise Contended(f"the repository {repository.id} was changed by somebody else at the same time")
            changed = replace(repository, canonical=stored.get("canonical"))
            connection.execute(
                "UPDATE prefixes SET revision = :revision, home = :home, terms = :terms, body = :body "
                "WHERE name = :name",
                _row(changed),
            )
            for alias in aliases:
                _update_copy(connection, alias, changed)

        self._database.write(change)


def _update_copy(connection: sqlite3.Connection, alias: str, repository: Repository) -> None:
    row = row_of(connection.execute(SELECT_PREFIX, (alias,)))
    namespace = prefix_of(row) if row is not None else None
    assert isinstance(namespace, Namespace)
    changed = replace(namespace, repository=repository, updated=repository.updated, revision=namespace.revision + 1)
    update_prefix_row(connection, changed, namespace)


def _row(repository: Repository) -> dict[str, object]:
    attributes = side_attributes(repository)
    return {
        "name": repository_name(repository.id),
        "revision": repository.revision,
        "canonical": repository.canonical,
        "home": attributes.get("home"),
        "terms": attributes.get("terms"),
        "body": repository_body(repository),
    }

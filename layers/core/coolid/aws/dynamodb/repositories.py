"""Repositories. A change of one also changes the copies of it in all its aliases."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from coolid.aws.dynamodb.client import DynamoClient, accept_own_write
from coolid.aws.dynamodb.idempotency_records import create_row
from coolid.aws.dynamodb.prefixes import is_written, side_actions, update_prefix_row
from coolid.aws.dynamodb.reader import BY_KIND, DynamoPrefixReader
from coolid.errors import Contended, IdentifierTaken
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.store.limits import require_changeable_aliases
from coolid.store.rows import repository_body, repository_name, repository_of, side_attributes


class DynamoRepositories:
    """Implements `RepositoryStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._client = client
        self._model = client.tables.prefix
        self._prefixes = DynamoPrefixReader(client.reader, self._model.Meta.table_name)

    def repository(self, repository_id: str) -> Repository | None:
        """See `RepositoryStore`. Takes one GetItem."""
        row = self._row(repository_name(repository_id))
        return repository_of(row["body"], row.get("canonical"), row) if row else None

    def list_repositories(self, limit: int, after: str | None) -> tuple[Sequence[Repository], str | None]:
        """See `RepositoryStore`. Takes a Query, or more for large responses."""
        rows = self._client.reader.rows(
            self._model.Meta.table_name,
            IndexName=BY_KIND,
            KeyConditionExpression="kind = :kind AND #name > :name",
            ExpressionAttributeNames={"#name": "name"},
            ExpressionAttributeValues={":kind": {"S": "repository"}, ":name": {"S": repository_name(after or "")}},
            Limit=limit + 1,
        )
        found = [*islice(rows, limit + 1)]
        listed = [repository_of(row["body"], row.get("canonical"), row) for row in found[:limit]]
        return listed, listed[-1].id if len(found) > limit else None

    def create_repository(self, repository: Repository, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `RepositoryStore`. Takes one conditional PutItem, or two in one transaction."""
        model = self._model
        name, token, attributes = repository_name(repository.id), self._client.new_token(), side_attributes(repository)
        row = model(
            name=name,
            kind="repository",
            revision=repository.revision,
            canonical=repository.canonical,
            home=attributes.get("home"),
            terms=attributes.get("terms"),
            write_token=token,
            body=repository_body(repository),
        )
        create_row(
            self._client,
            row,
            model.name.does_not_exist(),
            lambda: is_written(self._client, name, token),
            IdentifierTaken(repository.id),
            idempotency_record,
            repository.created,
        )

    def change_repository(self, repository: Repository, replaced: Repository) -> None:
        """See `RepositoryStore`. Takes one transaction over the rows of the repository and its aliases."""
        row, name, token = self._model, repository_name(repository.id), self._client.new_token()
        stored = self._row(name) or {}
        aliases = sorted(stored.get("aliases", ()))
        require_changeable_aliases(len(aliases))
        repository = replace(repository, canonical=stored.get("canonical"))
        namespaces = self._prefixes.prefixes(aliases, consistent=True).values()
        contended = Contended(f"the repository {repository.id} was changed by somebody else at the same time")
        with (
            accept_own_write(lambda: is_written(self._client, name, token), Contended),
            self._client.transaction(lambda _: contended) as transaction,
        ):
            transaction.update(
                row(name),
                actions=[
                    row.revision.set(repository.revision),
                    row.body.set(repository_body(repository)),
                    row.write_token.set(token),
                    *side_actions(row, repository),
                ],
                condition=(row.revision == replaced.revision)
                & (row.aliases == set(aliases) if aliases else row.aliases.does_not_exist()),
            )
            for alias in namespaces:
                assert isinstance(alias, Namespace)
                changed = replace(alias, repository=repository, updated=repository.updated, revision=alias.revision + 1)
                update_prefix_row(transaction, row, changed, alias, token)

    def _row(self, name: str) -> dict[str, Any] | None:
        return self._client.reader.row(self._model.Meta.table_name, {"name": {"S": name}})

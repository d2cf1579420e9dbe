"""Writes of prefixes and repositories. A transaction covers all rows of a change."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from msgspec.structs import replace
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from coolid.aws.dynamodb.items import (
    SYNONYM,
    prefix_body,
    prefix_kind,
    repository_body,
    repository_name,
    repository_of,
    side_attributes,
    steps_to,
)
from coolid.aws.dynamodb.writer import CONDITION_FAILED, DynamoWriter, Reasons, accept_own_write, translate_errors
from coolid.errors import Contended, IdentifierTaken, InvalidInput, PrefixTaken
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.repositories import Repository

MAX_ALIASES: Final = 99
"""A DynamoDB transaction has at most 100 items, one of which is the repository."""


class DynamoPrefixes(DynamoWriter):
    """Implements the writes of prefixes and repositories of `coolid.store.store.Store`."""

    def repository(self, repository_id: str) -> Repository | None:
        """See `Store`."""
        table = self._tables.prefix.Meta.table_name
        row = self.item(table, {"name": {"S": repository_name(repository_id)}}, consistent=True)
        return repository_of(row["body"], row.get("canonical"), row) if row else None

    def change_repository(self, repository: Repository, replaced: Repository) -> None:
        """See `Store`. Takes one transaction over the rows of the repository and its aliases."""
        row = self._tables.prefix
        name = repository_name(repository.id)
        stored = self.item(row.Meta.table_name, {"name": {"S": name}}, consistent=True)
        aliases = sorted(stored.get("aliases", ())) if stored else []
        if len(aliases) > MAX_ALIASES:
            raise InvalidInput.at("", f"a repository with more than {MAX_ALIASES} aliases cannot be changed")
        repository = replace(repository, canonical=stored.get("canonical") if stored else None)
        rows = self.prefixes(aliases, consistent=True)
        contended = Contended(f"the repository {repository.id} was changed by somebody else at the same time")
        token = self._new_token()
        with (
            accept_own_write(lambda: self._is_written(name, token), Contended),
            self._transaction(lambda _: contended) as transaction,
        ):
            transaction.update(
                row(name),
                actions=[
                    row.revision.set(repository.revision),
                    row.body.set(repository_body(repository)),
                    row.write_token.set(token),
                    *self._side_actions(repository),
                ],
                condition=(row.revision == replaced.revision)
                & (row.aliases == set(aliases) if aliases else row.aliases.does_not_exist()),
            )
            for alias in rows.values():
                assert isinstance(alias, Namespace)
                changed = replace(alias, repository=repository, updated=repository.updated, revision=alias.revision + 1)
                self._update_prefix(transaction, changed, alias, token)

    def create_repository(self, repository: Repository) -> None:
        """See `Store`."""
        row = self._tables.prefix
        name, token, attributes = repository_name(repository.id), self._new_token(), side_attributes(repository)
        item = row(
            name=name,
            kind="repository",
            revision=repository.revision,
            canonical=repository.canonical,
            home=attributes.get("home"),
            terms=attributes.get("terms"),
            write_token=token,
            body=repository_body(repository),
        )
        with (
            accept_own_write(lambda: self._is_written(name, token), IdentifierTaken),
            translate_errors(IdentifierTaken(repository.id)),
        ):
            item.save(condition=row.name.does_not_exist())

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        """See `Store`. Updates the stems one by one, then prefix, synonyms and repository in one transaction."""
        assert isinstance(prefix, Namespace | ProviderPrefix)
        synonyms = prefix.synonyms if isinstance(prefix, ProviderPrefix) else ()
        if isinstance(prefix, Namespace) and replaced is None:
            self._require_free_alias(prefix)
        removed = set(replaced.synonyms) - set(synonyms) if isinstance(replaced, ProviderPrefix) else set()
        for name in (*synonyms, prefix.name):
            self._mark_stems(name)
        token = self._new_token()
        with (
            accept_own_write(lambda: self._is_written(prefix.name, token), Contended, PrefixTaken),
            self._transaction(lambda reasons: _cancelled(reasons, prefix.name, synonyms)) as transaction,
        ):
            self._update_prefix(transaction, prefix, replaced, token)
            for synonym in synonyms:
                self._claim_synonym(transaction, synonym, prefix.name)
            if isinstance(prefix, Namespace):
                self._set_canonical(transaction, prefix)
        for synonym in removed:  # after a failure here, the synonym still resolves to its old prefix
            self._drop_synonym(synonym, prefix)

    def _require_free_alias(self, namespace: Namespace) -> None:
        """Raise `InvalidInput` if the repository has the maximum of aliases."""
        row = self._tables.prefix
        name = {"name": {"S": repository_name(namespace.repository.id)}}
        stored = self.item(row.Meta.table_name, name, consistent=True) or {}
        if len({*stored.get("aliases", ()), namespace.name}) > MAX_ALIASES:
            raise InvalidInput.at("/repository", f"it has {MAX_ALIASES} aliases already, and cannot have more")

    def _mark_stems(self, name: str) -> None:
        row = self._tables.prefix
        for shorter, longer in steps_to(name):
            with translate_errors(None):
                row(shorter).update(actions=[row.longer.add({longer})])

    def _is_written(self, name: str, token: str) -> bool:
        """Return whether the row of a prefix or repository comes from the write with this token."""
        row = self.item(self._tables.prefix.Meta.table_name, {"name": {"S": name}}, consistent=True)
        return row is not None and row.get("write_token") == token

    def _update_prefix(
        self, transaction: TransactWrite, prefix: Namespace | ProviderPrefix, replaced: Prefix | None, token: str
    ) -> None:
        row = self._tables.prefix
        unchanged = (
            (row.kind == prefix_kind(replaced)) & (row.revision == replaced.revision)
            if isinstance(replaced, Namespace | ProviderPrefix)
            else row.kind.does_not_exist()
        )
        transaction.update(
            row(prefix.name),
            actions=[
                row.kind.set(prefix_kind(prefix)),
                row.revision.set(prefix.revision),
                row.body.set(prefix_body(prefix)),
                row.write_token.set(token),
                *self._side_actions(prefix),
                *self._health_actions(prefix, replaced),
            ],
            condition=unchanged,
        )

    def _side_actions(self, prefix: Repository | Prefix) -> list[Action]:
        row, attributes = self._tables.prefix, side_attributes(prefix)
        texts = ((row.home, attributes.get("home")), (row.terms, attributes.get("terms")))
        return [attribute.remove() if text is None else attribute.set(text) for attribute, text in texts]

    def _health_actions(self, prefix: Prefix, replaced: Prefix | None) -> list[Action]:
        """Return the removal of `health` if the providers change."""
        if not isinstance(prefix, ProviderPrefix) or not isinstance(replaced, ProviderPrefix):
            return []
        return [self._tables.prefix.health.remove()] if prefix.providers != replaced.providers else []

    def _claim_synonym(self, transaction: TransactWrite, synonym: str, target: str) -> None:
        row = self._tables.prefix
        transaction.update(
            row(synonym),
            actions=[row.kind.set(SYNONYM), row.target.set(target)],
            condition=row.kind.does_not_exist() | ((row.kind == SYNONYM) & (row.target == target)),
        )

    def _drop_synonym(self, synonym: str, prefix: Prefix) -> None:
        """Delete a synonym unless the prefix has changed since, because that change may have restored the synonym."""
        assert isinstance(prefix, Namespace | ProviderPrefix)
        row = self._tables.prefix
        with suppress(_SynonymChanged), self._transaction(lambda _: _SynonymChanged()) as transaction:
            transaction.update(
                row(prefix.name),
                actions=[row.revision.set(prefix.revision)],
                condition=row.revision == prefix.revision,
            )
            transaction.update(
                row(synonym),
                actions=[row.kind.remove(), row.target.remove()],
                condition=(row.kind == SYNONYM) & (row.target == prefix.name),
            )

    def _set_canonical(self, transaction: TransactWrite, namespace: Namespace) -> None:
        row = self._tables.prefix
        canonical = namespace.repository.canonical
        assert canonical is not None
        transaction.update(
            row(repository_name(namespace.repository.id)),
            actions=[row.canonical.set(canonical), row.aliases.add({namespace.name})],
            condition=row.name.exists()
            & (row.revision == namespace.repository.revision)
            & (row.canonical.does_not_exist() | (row.canonical == canonical)),
        )


class _SynonymChanged(Exception):
    """The synonym belongs to another prefix now, or to the same one again."""


def _cancelled(reasons: Reasons, name: str, synonyms: Sequence[str]) -> Exception:
    """Return the exception for the failed condition of `put_prefix`: a synonym's, or the unchanged revision."""
    for synonym, reason in zip(synonyms, reasons[1:], strict=False):
        if reason == CONDITION_FAILED:
            return PrefixTaken(synonym, f"is registered already and cannot become a synonym of {name}")
    return Contended(f"the prefix {name} was changed by somebody else at the same time")

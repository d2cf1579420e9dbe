"""Prefixes with their synonyms and stems. A transaction covers all rows of a change."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import Final

from msgspec.structs import replace
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from coolid.aws.dynamodb.client import CONDITION_FAILED, DynamoClient, Reasons, accept_own_write, translate_errors
from coolid.aws.dynamodb.reader import DynamoPrefixReader
from coolid.aws.dynamodb.tables import PrefixRow
from coolid.errors import Contended, PrefixTaken
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix, Stem
from coolid.model.repositories import Repository
from coolid.store.limits import require_free_alias
from coolid.store.rows import (
    SYNONYM,
    have_providers_changed,
    prefix_body,
    prefix_kind,
    repository_name,
    side_attributes,
    steps_to,
)

_MAX_BATCH: Final = 100
"""Keys of one BatchGetItem."""


class DynamoPrefixes(DynamoPrefixReader):
    """Implements `PrefixStore`."""

    def __init__(self, client: DynamoClient) -> None:
        super().__init__(client.reader, client.tables.prefix.Meta.table_name)
        self._client = client
        self._model = client.tables.prefix

    def aliases(self, repository_id: str) -> Sequence[str]:
        """See `PrefixStore`. Takes one GetItem."""
        stored = self._reader.row(self._table, {"name": {"S": repository_name(repository_id)}}) or {}
        return sorted(stored.get("aliases", ()))

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        """See `PrefixStore`. Updates the stems one by one, then prefix, synonyms and repository in one transaction."""
        assert isinstance(prefix, Namespace | ProviderPrefix)
        synonyms = prefix.synonyms if isinstance(prefix, ProviderPrefix) else ()
        if isinstance(prefix, Namespace) and replaced is None:
            self._require_free_alias(prefix)
        removed = set(replaced.synonyms) - set(synonyms) if isinstance(replaced, ProviderPrefix) else set()
        self._mark_stems([*synonyms, prefix.name])
        token = self._client.new_token()
        with (
            accept_own_write(lambda: is_written(self._client, prefix.name, token), Contended, PrefixTaken),
            self._client.transaction(lambda reasons: _cancelled(reasons, prefix.name, synonyms)) as transaction,
        ):
            update_prefix_row(transaction, self._model, prefix, replaced, token)
            for synonym in synonyms:
                self._claim_synonym(transaction, synonym, prefix.name)
            if isinstance(prefix, Namespace):
                self._set_canonical(transaction, prefix)
        for synonym in removed:  # after a failure here, the synonym still resolves to its old prefix
            self._drop_synonym(synonym, prefix)

    def _require_free_alias(self, namespace: Namespace) -> None:
        """Raise `InvalidInput` if the repository has the maximum of aliases."""
        require_free_alias(len({*self.aliases(namespace.repository.id), namespace.name}))

    def _mark_stems(self, names: Sequence[str]) -> None:
        """Add the names to the rows of their ancestors, the shortest first, unless the rows have them or `UNLISTED`.

        Entries are never removed, so the rows may be read before. Concurrent writes may exceed the limit a little.
        """
        row = self._model
        steps = sorted((step for name in names for step in steps_to(name)), key=lambda step: (len(step[0]), step[0]))
        shorter_names = list(dict.fromkeys(shorter for shorter, _ in steps))
        stored: dict[str, Prefix] = {}
        for start in range(0, len(shorter_names), _MAX_BATCH):
            stored |= self.prefixes(shorter_names[start : start + _MAX_BATCH], consistent=True)
        for shorter, group in groupby(steps, key=lambda step: step[0]):
            before = stored.get(shorter) or Stem(name=shorter)
            after = before
            for _, longer in group:
                after = replace(after, longer=after.with_longer(longer))
            if after.longer > before.longer:
                with translate_errors(None):
                    row(shorter).update(actions=[row.longer.add(set(after.longer - before.longer))])

    def _claim_synonym(self, transaction: TransactWrite, synonym: str, target: str) -> None:
        row = self._model
        transaction.update(
            row(synonym),
            actions=[row.kind.set(SYNONYM), row.target.set(target)],
            condition=row.kind.does_not_exist() | ((row.kind == SYNONYM) & (row.target == target)),
        )

    def _drop_synonym(self, synonym: str, prefix: Namespace | ProviderPrefix) -> None:
        """Delete a synonym unless the prefix has changed since, because that change may have restored the synonym."""
        row = self._model
        with suppress(_SynonymChanged), self._client.transaction(lambda _: _SynonymChanged()) as transaction:
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
        row = self._model
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


def is_written(client: DynamoClient, name: str, token: str) -> bool:
    """Return whether the row of a prefix or repository comes from the write with this token."""
    row = client.reader.row(client.tables.prefix.Meta.table_name, {"name": {"S": name}})
    return row is not None and row.get("write_token") == token


def update_prefix_row(
    transaction: TransactWrite,
    row: type[PrefixRow],
    prefix: Namespace | ProviderPrefix,
    replaced: Prefix | None,
    token: str,
) -> None:
    """Add the update of a prefix's own row to a transaction, if the row still is `replaced`."""
    unchanged = (
        (row.kind == prefix_kind(replaced)) & (row.revision == replaced.revision)
        if isinstance(replaced, Namespace | ProviderPrefix)
        else row.kind.does_not_exist()
    )
    health_actions = [row.health.remove()] if have_providers_changed(prefix, replaced) else []
    transaction.update(
        row(prefix.name),
        actions=[
            row.kind.set(prefix_kind(prefix)),
            row.revision.set(prefix.revision),
            row.body.set(prefix_body(prefix)),
            row.write_token.set(token),
            *side_actions(row, prefix),
            *health_actions,
        ],
        condition=unchanged,
    )


def side_actions(row: type[PrefixRow], prefix: Repository | Prefix) -> list[Action]:
    """Return the updates of the side attributes of a prefix or repository."""
    attributes = side_attributes(prefix)
    texts = ((row.home, attributes.get("home")), (row.terms, attributes.get("terms")))
    return [attribute.remove() if text is None else attribute.set(text) for attribute, text in texts]


def _cancelled(reasons: Reasons, name: str, synonyms: Sequence[str]) -> Exception:
    """Return the exception for the failed condition of `put_prefix`: a synonym's, or the unchanged revision."""
    for synonym, reason in zip(synonyms, reasons[1:], strict=False):
        if reason == CONDITION_FAILED:
            return PrefixTaken(synonym, f"is registered already and cannot become a synonym of {name}")
    return Contended(f"the prefix {name} was changed by somebody else at the same time")

"""The protocol of a store for minting and management, with the duties of its implementations.

The implementation is `coolid.aws.dynamodb.store`. `tests/contract` tests every implementation.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.quota_usage import Usage
from coolid.model.records import Record
from coolid.model.repositories import Repository
from coolid.store.reader import Reader


class Store(Reader, Protocol):
    """The reads and writes of minting and management. Each write is atomic and has the condition that it states.

    A retry never fails because of its own earlier attempt whose response was lost. If the outcome remains unknown, the
    write raises `StoreUnavailable`.
    """

    def create_record(self, record: Record, key: str, receipt: IdempotencyRecord | None = None) -> None:
        """Write the first version if the key was never used; else raise `IdentifierTaken`.

        With an idempotency record (`receipt`), write both or neither. If the same request has another unexpired one,
        raise `IdempotencyRecordTaken`, whether or not the key was used.
        """

    def idempotency_record(self, request_id: str) -> IdempotencyRecord | None:
        """Return the record of an idempotent request (consistent), until it expires and possibly longer."""

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """Return at most `limit` of a repository's current records in key order, after the key `after`.

        Also return the key to continue after, or None at the end. The newest records may be missing.
        """

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Sequence[Namespace | ProviderPrefix], str | None]:
        """Return at most `limit` prefixes in the order of `position_of`, after that position. See `list_records`."""

    def replace_record(self, record: Record, key: str, replaced: Record) -> None:
        """Write the next version and keep `replaced` under its number, both or neither.

        Raises `Outdated` unless `replaced` still is the current version.
        """

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """Add a public key to the published ones, once; concurrent calls do not lose each other's keys."""

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        """Reserve `count` successive numbers, none of them below `floor`, for ever; return the first."""

    def usage(self, counter_id: str) -> Usage:
        """Return a counter's usage (consistent); an empty one if nothing was spent yet."""

    def spend(self, counter_id: str, before: Usage, after: Usage, ceiling: int) -> int | None:
        """Add to a counter's `spent` what `after` has more than `before`; return the new `spent`.

        Also write the windows of `after`, and its `latest` unless the counter has a later one. Return None and write
        nothing unless the revision is that of `before` and `spent` is at most `ceiling`. `spent` may have grown since
        `before` was read.
        """

    def repository(self, repository_id: str) -> Repository | None:
        """Return the repository, or None (consistent)."""

    def create_repository(self, repository: Repository) -> None:
        """Write a repository if its id was never used; else raise `IdentifierTaken`."""

    def change_repository(self, repository: Repository, replaced: Repository) -> None:
        """Write a repository's next revision, and the copies of it in all its aliases, all or nothing.

        Raises `Contended` if it was changed in between, or another alias is added at the same time. The stored
        canonical prefix does not change.
        """

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        """Register or change `prefix` if the row still is `replaced`; else raise `Contended`.

        Its synonyms become rows of their own, and former synonyms are removed. Raises `PrefixTaken` if another prefix
        owns one. Every shorter text that ends at a boundary of the name becomes a stem *before* the name is written.
        A lookup from the shortest to the longest candidate can therefore stop at the first missing row.
        """

    def client(self, client_id: str) -> Client | None:
        """Return the API client, or None (consistent)."""

    def put_client(self, client: Client) -> None:
        """Write a client, replacing one of the same id."""

"""Storage as the domain sees it: a protocol, with the duties of whoever implements it written on it.

The implementation is `coolid.aws.dynamodb.store`; one suite of tests (`tests/contract`) holds every implementation to this.
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
    """What minting and management need besides. Each write happens wholly or not at all, on its stated condition.

    A write is never refused because of its own earlier attempt, whose answer was lost. If the outcome stays unknown, it
    raises `StoreUnavailable`.
    """

    def create_record(self, record: Record, key: str, receipt: IdempotencyRecord | None = None) -> None:
        """Write the first version, on the condition that the key was never used; else `IdentifierTaken`.

        With a receipt both are written or neither, on the condition that there is no other for the same errand that is
        still good; else `ReceiptTaken`, whether or not the key was used.
        """

    def idempotency_record(self, errand_id: str) -> IdempotencyRecord | None:
        """The receipt of an errand (consistent), for as long as it is good and possibly longer."""

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """At most `limit` of a repository's current records in the order of their keys, behind the key `after`.

        And the key to go on behind, or None at the end. What was written a moment ago may be missing.
        """

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Sequence[Namespace | ProviderPrefix], str | None]:
        """At most `limit` prefixes in the order of `position_of`, behind the position `after`; as of `list_records`."""

    def replace_record(self, record: Record, key: str, replaced: Record) -> None:
        """Write the next version and keep `replaced` under its number, both or neither.

        On the condition that `replaced` still is the current version; else `Outdated`.
        """

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """Add a public key to those that are published, once; whoever adds others at the same time loses nothing."""

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        """The first of `count` successive numbers, none of them below `floor`, that are never reserved again."""

    def usage(self, counter_id: str) -> Usage:
        """The usage that a counter has (consistent); an empty one if nothing was spent yet."""

    def spend(self, counter_id: str, before: Usage, after: Usage, ceiling: int) -> int | None:
        """Add to a counter's `spent` what `after` has more than `before`; return the new `spent`.

        Also write the windows of `after`, and its `latest` unless the counter has a later one. On the condition that
        the revision is that of `before`, and `spent` at most `ceiling`; else return None and write nothing. `spent` may
        have grown since `before` was read.
        """

    def repository(self, repository_id: str) -> Repository | None:
        """The repository as it is now (consistent)."""

    def create_repository(self, repository: Repository) -> None:
        """Write a repository, on the condition that its id was never used; else `IdentifierTaken`."""

    def change_repository(self, repository: Repository, replaced: Repository) -> None:
        """Write a repository's next revision, and the copies of it in all its aliases, all or nothing.

        On the condition that nobody changed it in between, nor gives it another alias at the same time; else
        `Contended`. Its canonical prefix stays the one that is stored.
        """

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        """Register `prefix`, or change it, on the condition that the row still is `replaced`; else `Contended`.

        Synonyms that it names become rows of their own and those it no longer names go, provided that no other
        prefix owns them (else `PrefixTaken`). Every shorter text that ends at a boundary of the name becomes, or is
        marked as, a stem *before* the name itself is written, so that whoever walks from the shortest to the longest
        candidate can stop at the first that is no stem.
        """

    def client(self, client_id: str) -> Client | None:
        """The API client as it is now (consistent)."""

    def put_client(self, client: Client) -> None:
        """Write a client, replacing one of the same id."""

"""The ports of records, their versions and idempotency records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from coolid.model.records import Record

if TYPE_CHECKING:  # resolution does not load the classes of writes
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from coolid.model.idempotency_record import IdempotencyRecord


MAX_BETWEEN: Final = 90
"""DynamoDB accepts 100 rows in one transaction."""


class RecordReader(Protocol):
    """The reads of records that resolution needs; each is one round trip."""

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """Return the current version of the record with this key, or None."""

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """Return the current versions of the existing records among at most 100 keys, in one batch."""

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """Return a version (from 1) that is no longer current (consistent); None also for the current version."""

    def history(self, repository: str, key: str, newest: int) -> Sequence[Record]:
        """Return the `newest` versions of a record, the newest first (consistent); none if there is no such record.

        Return fewer if they are large, but at least the current one, without gaps. The call is optional for its caller,
        so implementations may fail at once if the store has just failed.
        """

    def superseded_between(
        self, repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        """Return the superseded versions numbered from `first` to `last`, in this order or `descending` (consistent).

        Return at most `limit` (from 1): fewer if they are large, but at least one if there is one, and none between
        them is left out. A number of a version that does not exist is no error. The current version is never returned.
        """


class IdempotencyReader(Protocol):
    """The idempotency records. Each is written with what its request creates."""

    def idempotency_record(self, request_id: str) -> IdempotencyRecord | None:
        """Return the record of an idempotent request (consistent), until it expires and possibly longer."""


class ChangeIndex(Protocol):
    """The lists of records by time of change, for harvests and lists of recent changes."""

    def list_changed(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, after: str | None
    ) -> tuple[Sequence[Record], str | None]:
        """Return at most `limit` of a repository's current records that were changed from `since` to `until`.

        Both moments are included, to the second; None is open. The order is that of `updated`, then of the key, after
        the position `after`. Also return the position to continue after, or None at the end. A page may have fewer
        records, even none, before the end. While a store completes its index, the order is that of the keys.

        A record that changes between two pages moves towards the end of the list, so that no record is missing from a
        list without `until`. Only the changes of the last seconds may be missing.
        """

    def change_times(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[str], str | None]:
        """Return the times of at most `limit` changes, in the form of documents, and the position to continue after.

        Order and positions are those of `list_changed`, but no records are read, unless the index is incomplete.
        """

    def list_versions(
        self, repository: str, since: datetime | None, until: datetime | None, limit: int, before: str | None
    ) -> tuple[Sequence[Record], str | None]:
        """Return at most `limit` versions of a repository's records that were written from `since` to `until`.

        Both moments are included, to the second; None is open. The newest comes first, in the reverse order of
        `version_position`, and only versions before the position `before` are listed. It may be any text that compares
        with positions. Also return the position to continue before, or None at the end. The versions of the last
        seconds may be missing. In DynamoDB, superseded versions are missing that an earlier release replaced, and
        current ones until the index is complete.
        """

    def complete(self, repository: str, limit: int) -> int:
        """Examine at most about `limit` rows of a repository that an earlier release may have written.

        Add to the index those that it lacks. Return the number of examined rows, 0 if the index is complete.
        """


class RecordStore(RecordReader, IdempotencyReader, Protocol):
    """The records and their versions."""

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """Return at most `limit` of a repository's current records in key order, after the key `after`.

        Also return the key to continue after, or None at the end. The newest records may be missing.
        """

    def create_record(self, record: Record, idempotency_record: IdempotencyRecord | None = None) -> None:
        """Write the first version if its `key` was never used; else raise `IdentifierTaken`.

        With an idempotency record, write both or neither. If the same request has another unexpired one,
        raise `IdempotencyRecordTaken`, whether or not the key was used.
        """

    def replace_record(
        self,
        record: Record,
        replaced: Record,
        idempotency_record: IdempotencyRecord | None = None,
        between: Sequence[Record] = (),
    ) -> None:
        """Write the next version, and archive `replaced` under its number, both or neither.

        Raises `Outdated` unless `replaced` still is the current version. With an idempotency record, write all three
        or nothing. If the same request has another unexpired one, raise `IdempotencyRecordTaken` in any case.

        The versions `between` both are archived in the same write, and were never current here. There are at most
        `MAX_BETWEEN` of them.
        """

"""The port of searches among records.

Each current record has terms (`coolid.store.search_terms`): words of its PID, title, creators and targets, and terms
for its status, its health and the hosts of its targets. A search finds the records that have all its terms.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from msgspec import Struct

from coolid.model.records import Record
from coolid.store.search_terms import record_terms

Order = Literal["-updated", "updated"]


class RecordQuery(Struct, frozen=True):
    """A search in some repositories: the records that have all `terms`, and changed at `updated_after` or later.

    Without terms, it lists all records. `repositories` has at least one id. `order` is by time of change, to the
    second: `-updated` is the newest first. Records of one second have any order, but always the same.
    """

    repositories: tuple[str, ...]
    terms: tuple[str, ...] = ()
    updated_after: datetime | None = None
    order: Order = "-updated"

    def matches(self, record: Record) -> bool:
        """Return whether a record has the terms, and changed in the period."""
        if self.updated_after is not None and record.updated < self.updated_after:
            return False
        return not self.terms or record_terms(record).issuperset(self.terms)


class RecordSearch(Protocol):
    """An index of current records by their terms."""

    def search(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """Return at most `limit` records that match, after the position `after`, in the order of the query.

        Records of all repositories are in one order. Also return the position to continue after, or None at the end.
        Positions have at most 900 bytes and no line breaks. A page may have fewer records, even none, before the end.

        Records that changed in the last seconds may be missing, or in their former place. So may records that an
        earlier release wrote, until the index is complete.
        """

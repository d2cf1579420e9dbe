"""The port of searches among records.

Each current record has terms (`coolid.store.search_terms`): the words of its PID, title, creators and targets, and one
term each for its repository, status, health and target hosts. A search finds the records that have all its terms.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from msgspec import Struct

from coolid.model.records import Record

Order = Literal["-updated", "updated", "pid"]


class RecordQuery(Struct, frozen=True):
    """A search in one repository: the records that have all `terms`, and changed at `updated_after` or later.

    Without terms, it is a list of all records. `order` is by time of change (`-updated` is the newest first) or by key.
    """

    repository: str
    terms: tuple[str, ...] = ()
    updated_after: datetime | None = None
    order: Order = "-updated"


class RecordSearch(Protocol):
    """An index of current records by their terms."""

    def search(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """Return at most `limit` records that match, after the position `after`, in the order of the query.

        Also return the position to continue after, or None at the end. A page may have fewer records, even none, before
        the end. Records that changed in the last seconds may be missing, or in their former place.
        """

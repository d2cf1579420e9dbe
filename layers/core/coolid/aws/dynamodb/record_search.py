"""Searches among records by postings (`coolid.aws.dynamodb.postings`), or by the list of all without terms.

A search reads the postings of one term, the one that is rarest around the position where the page begins. It reads at
most `MAX_POSTINGS` of each repository for a page. Each record that they name is read and compared with the search, so a
posting that is outdated, or was left behind, is never visible.

Until all records of a repository have postings, searches read its records in their order, a few hundred for a page.

>>> after("2025-07-10T14:22:30Z r4k2 x5", "r4k2"), after("2025-07-10T14:22:30Z r4k2 x5", "t1w6")
('2025-07-10T14:22:30Z x5', '2025-07-10T14:22:30Z ')
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from coolid.aws.dynamodb.changes import DynamoChanges
from coolid.aws.dynamodb.client import DynamoClient
from coolid.aws.dynamodb.postings import partition, read_state
from coolid.aws.dynamodb.reader import LIST_BATCH_SIZE, DynamoRecordReader
from coolid.model.records import Record
from coolid.store.change_positions import change_range, record_position
from coolid.store.record_search import RecordQuery

MAX_POSTINGS: Final = 16_000
"""The most postings of a term that are read for a page, about 8 MB."""
_QUERY_SIZE: Final = 2_000
_SAMPLE: Final = 100
"""The postings of each term by which the rarest one is found."""
MAX_TERM: Final = 260
"""The most characters of a term of a record."""
_MAX_RECORDS: Final = 400
"""The most records of a repository that are read for a page, as long as it has not all postings."""
_THREADS: Final = 8

Positions = tuple[Sequence[str], str | None]
"""Positions, and the last one that was examined, or None at the end."""


class _Range(Struct, frozen=True):
    """The positions between two, both excluded, in ascending or descending order."""

    first: str
    last: str
    is_descending: bool

    def rest(self, position: str) -> "_Range":
        """Return the rest of the range behind a position."""
        first, last = (self.first, position) if self.is_descending else (position, self.last)
        return _Range(first, last, self.is_descending)


class _Place(Struct, frozen=True, order=True):
    """A place in the order of the records of all repositories: by time, then by repository and key."""

    time: str
    repository: str
    key: str

    @classmethod
    def of(cls, position: str, repository: str) -> "_Place":
        """Return the place of a position in the list of a repository."""
        time, _, key = position.partition(" ")
        return cls(time, repository, key)

    def __str__(self) -> str:
        return f"{self.time} {self.repository} {self.key}"

    @property
    def position(self) -> str:
        """The position in the list of the repository."""
        return f"{self.time} {self.key}"


class DynamoRecordSearch:
    """Implements `RecordSearch`. Without a table of postings, searches read the records themselves."""

    def __init__(self, client: DynamoClient, changes: DynamoChanges) -> None:
        self._reader = client.reader
        self._table = client.tables.index_table
        self._changes = changes
        self._records = DynamoRecordReader(client.reader, client.tables.lui.Meta.table_name)

    def search(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """See `RecordSearch`. Takes a GetItem and a few Queries for each repository, and BatchGetItems."""
        if any(len(term) > MAX_TERM for term in query.terms):  # no record has it, and no key may be so long
            return [], None
        is_descending = query.order == "-updated"
        candidates = partial(self._candidates, query, limit, after)
        if len(query.repositories) == 1:
            lists = [candidates(query.repositories[0])]
        else:
            with ThreadPoolExecutor(_THREADS) as pool:
                lists = [*pool.map(candidates, query.repositories)]
        places = sorted(
            (
                _Place.of(position, repository)
                for repository, (positions, _) in zip(query.repositories, lists, strict=True)
                for position in positions
            ),
            reverse=is_descending,
        )
        ends = [
            _Place.of(end, repository) for repository, (_, end) in zip(query.repositories, lists, strict=True) if end
        ]
        if not ends:
            return self._page(query, places, limit, None)
        # Behind the nearest end, places of that repository are still missing.
        end = max(ends) if is_descending else min(ends)
        certain = [each for each in places if (each >= end if is_descending else each <= end)]
        return self._page(query, certain, limit, end)

    def _page(
        self, query: RecordQuery, places: Sequence[_Place], limit: int, end: _Place | None
    ) -> tuple[Sequence[Record], str | None]:
        """Return the first records that fit the search. `end` is where the places end, unless no more follow."""
        found: list[Record] = []
        remaining = iter(places)
        while batch := list(islice(remaining, min(limit, LIST_BATCH_SIZE))):
            records = self._records_at(batch)
            for place in batch:
                record = records.get(place)
                if record and record_position(record) == place.position and query.matches(record):
                    found.append(record)
                    if len(found) == limit:
                        return found, None if end is None and place == places[-1] else str(place)
        return found, None if end is None else str(end)

    def _records_at(self, places: Sequence[_Place]) -> dict[_Place, Record]:
        keys: dict[str, dict[str, _Place]] = {}
        for place in places:
            keys.setdefault(place.repository, {})[place.key] = place
        return {
            wanted[key]: record
            for repository, wanted in keys.items()
            for key, record in self._records.records(repository, [*wanted]).items()
        }

    def _candidates(self, query: RecordQuery, limit: int, after_place: str | None, repository: str) -> Positions:
        """Return positions of records of a repository that may fit the search, in its order."""
        since = query.updated_after and query.updated_after + timedelta(microseconds=999_999)  # positions have seconds
        first, last = change_range(since, None, None)
        span = _Range(first, last, query.order == "-updated")
        if after_place is not None:
            span = span.rest(after(after_place, repository))
        if query.terms and self._is_complete(repository):
            return self._postings(repository, query.terms, span, limit)
        size = _MAX_RECORDS if query.terms else limit + 1
        found = self._changes.positions(repository, span.first, span.last, size, is_descending=span.is_descending)
        return found, found[-1] if len(found) == size else None

    def _is_complete(self, repository: str) -> bool:
        return bool(self._table) and read_state(self._reader, self._table, repository).is_complete

    def _postings(self, repository: str, terms: Sequence[str], span: _Range, limit: int) -> Positions:
        """Return at least `limit` positions of records that have all terms, or those that a bounded read finds."""
        rarest = self._rarest(repository, terms, span)
        others = [term for term in terms if term != rarest]
        found: list[str] = []
        for _ in range(MAX_POSTINGS // _QUERY_SIZE):
            size = _QUERY_SIZE if others else min(_QUERY_SIZE, limit + 1 - len(found))
            page, end = self._query(repository, rarest, span, size, others)
            found += page
            if end is None or len(found) > limit:
                return found, end
            span = span.rest(end)
        return found, end

    def _rarest(self, repository: str, terms: Sequence[str], span: _Range) -> str:
        """Return a term with fewer postings than a sample, or else the one whose sample reaches furthest."""
        if len(terms) == 1:
            return terms[0]
        ends: dict[str, str] = {}
        for term in sorted(terms, key=lambda term: ":" in term):  # most records have a common status
            _, end = self._query(repository, term, span, _SAMPLE)
            if end is None:
                return term
            ends[term] = end
        return (min if span.is_descending else max)(ends, key=ends.__getitem__)

    def _query(self, repository: str, term: str, span: _Range, size: int, others: Sequence[str] = ()) -> Positions:
        """Return the positions of those of the next `size` postings that have the other terms, and where these end."""
        if span.first >= span.last:
            return [], None
        filters = {f":term{number}": {"S": other} for number, other in enumerate(others)}
        request: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "term = :term AND changed BETWEEN :first AND :last",
            "ExpressionAttributeValues": {
                ":term": {"S": partition(repository, term)},
                ":first": {"S": span.first}, ":last": {"S": span.last},
            } | filters,
            "ProjectionExpression": "changed",
            "ScanIndexForward": not span.is_descending,
            "Limit": size,
        }  # fmt: skip
        if filters:
            request["FilterExpression"] = " AND ".join(f"contains(terms, {name})" for name in filters)
        answer = self._reader.call("Query", request)
        positions = [item["changed"]["S"] for item in answer["Items"]]
        end = answer.get("LastEvaluatedKey")
        return [each for each in positions if span.first < each < span.last], end and end["changed"]["S"]


def after(place: str, repository: str) -> str:
    """Return the position in the list of a repository that corresponds to a place in the order of several."""
    time, _, rest = place.partition(" ")
    owner, _, key = rest.partition(" ")
    if repository == owner:
        return f"{time} {key}"
    return f"{time}!" if repository < owner else f"{time} "  # after all keys of that time, or before

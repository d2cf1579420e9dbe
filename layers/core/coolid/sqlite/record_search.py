"""Searches among records in SQLite, by the full-text index of `coolid.sqlite.search_index`.

Without FTS5, a search reads records in the order of change and compares their terms, `SCANNED` records a page.
"""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from math import ceil
from typing import Final

from msgspec import json

from coolid.errors import StoreUnavailable
from coolid.model.records import Record
from coolid.sqlite.database import Database
from coolid.sqlite.schema import CHANGE
from coolid.sqlite.search_index import first_position, has_full_text_search, index_pending, repository_term
from coolid.sqlite.table_rows import RECORD_COLUMNS, record_of_row
from coolid.store.change_positions import change_range
from coolid.store.record_search import Order, RecordQuery

SCANNED: Final = 2_000
"""The most records that one page of a search without an index reads."""
_NUMBER: Final = re.compile("[0-9]{1,18}|[1-8][0-9]{18}")
_LAST: Final = (1 << 63) - 1
_TOKEN: Final = re.compile(r"(?:[-0-9a-z:._\[\]]|[^\x00-\x7f])+")
"""The terms that are tokens of the index, by the characters in its definition. No record has other terms."""
_COLUMNS: Final = ", ".join(f"records.{name}" for name in RECORD_COLUMNS.split(", "))
_SELECT: Final = f"""SELECT search_terms.rowid, {_COLUMNS}
    FROM search_terms
    CROSS JOIN search_rows ON search_rows.position = search_terms.rowid
    CROSS JOIN records ON records.pid = search_rows.pid AND records.version = 0
    WHERE search_terms MATCH ? AND search_terms.rowid BETWEEN ? AND ?
    ORDER BY search_terms.rowid """  # noqa: S608 - constants
_SCAN: Final = f"""SELECT {CHANGE}, {RECORD_COLUMNS} FROM records
    WHERE version = 0 AND repository IN (SELECT value FROM json_each(?)) AND {CHANGE} > ? AND {CHANGE} < ?
    ORDER BY {CHANGE} """  # noqa: S608 - constants
_DIRECTIONS: Final[Mapping[Order, str]] = {"-updated": "DESC LIMIT ?", "updated": "ASC LIMIT ?"}


class SqliteRecordSearch:
    """Implements `RecordSearch`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """See `RecordSearch`. The newest records are added to the index before the first page."""
        if not has_full_text_search():
            return self._scan(query, limit, after)
        if after is None:
            with suppress(StoreUnavailable):  # the index can be read even if the disk is full
                self.index_pending()
        return self._find(query, limit, after)

    def index_pending(self) -> int:
        """Add one portion of the records that wait for it to the index. Return how many there were.

        Raises `StoreUnavailable`.
        """
        with self._database.read() as connection:
            if connection.execute("SELECT 1 FROM search_pending LIMIT 1").fetchone() is None:
                return 0
        try:
            return self._database.write(index_pending)
        except sqlite3.Error as error:  # FTS5 reports some damages as violated constraints
            raise StoreUnavailable("the search index is damaged") from error

    def _find(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """Search the index. The position is the number of a row."""
        if not all(map(_TOKEN.fullmatch, query.terms)):
            return [], None
        first = first_position(ceil(query.updated_after.timestamp())) if query.updated_after else 0
        last = _LAST
        if after is not None:
            number = int(after) if _NUMBER.fullmatch(after) else 0
            first, last = (first, number - 1) if query.order == "-updated" else (max(first, number + 1), last)
        with self._database.read() as connection:
            values = _expression(query), first, last, limit + 1
            rows = connection.execute(_SELECT + _DIRECTIONS[query.order], values).fetchall()
            found = [record_of_row(*row) for _, *row in rows[:limit]]
        return found, str(rows[limit - 1][0]) if len(rows) > limit else None

    def _scan(self, query: RecordQuery, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """Compare the terms of one portion of all records. The position is that of the last one in the order."""
        since = query.updated_after and query.updated_after + timedelta(microseconds=999_999)
        first, last = change_range(since, None, None)
        if after is not None:
            first, last = (first, min(last, after)) if query.order == "-updated" else (max(first, after), last)
        with self._database.read() as connection:
            values = json.encode(query.repositories).decode(), first, last, SCANNED
            rows = connection.execute(_SCAN + _DIRECTIONS[query.order], values).fetchall()
            scanned = ((position, record_of_row(*row)) for position, *row in rows)
            matches = ((position, record) for position, record in scanned if query.matches(record))
            found = [*islice(matches, limit)]
        if len(found) == limit:
            return [record for _, record in found], found[-1][0]
        return [record for _, record in found], rows[-1][0] if len(rows) == SCANNED else None


def _expression(query: RecordQuery) -> str:
    """Return the query in the language of FTS5. Its texts need no escapes, because they are all one token.

    >>> _expression(RecordQuery(("r4k2", "x5"), ("tea", "status:active")))
    '("repository:r4k2" OR "repository:x5") AND "tea" AND "status:active"'
    """
    repositories = " OR ".join(f'"{repository_term(each)}"' for each in query.repositories)
    return " AND ".join([f"({repositories})", *(f'"{term}"' for term in query.terms)])

"""The maintenance of the search index: a table with the terms of each current record, and a full-text index over it.

The full-text index is FTS5 (https://sqlite.org/fts5.html) without positions, whose tokens are the terms themselves. The
number of its rows is the position of a record in the order of change: the seconds since 1970, then a number within the
second. FTS5 yields matches in the order of these numbers, in both directions and from any of them. So the first page of
a search is the same work in a large database as in a small one.

Triggers add every record that is written to `search_pending`, also those that an earlier release writes. The table
begins with all records of the database. A thread of the service (`coolid.local.search_indexer`) moves them to the
index, the newest first, and so does each search. Writes do not wait for this: it takes 0.1 ms a record in transactions
of many, and twice as much in one with the record.

A release with other terms of records gives all tables new names, and drops these.
"""

import sqlite3
from functools import cache
from typing import Final

from coolid.sqlite.table_rows import RECORD_COLUMNS, record_of_row
from coolid.store.rows import CURRENT
from coolid.store.search_terms import record_terms

PORTION: Final = 128
"""The most records that one transaction adds to the index; takes about 10 ms, for which others wait."""
_SECOND_BITS: Final = 31
"""The bits of a position for the number within a second."""

_SELECT_PENDING: Final = f"SELECT rowid, pid FROM search_pending ORDER BY rowid DESC LIMIT {PORTION}"  # noqa: S608
_SELECT_RECORD: Final = f"SELECT {RECORD_COLUMNS} FROM records WHERE pid = ? AND version = {CURRENT}"  # noqa: S608
_SELECT_INDEXED: Final = "SELECT position, terms FROM search_rows WHERE pid = ?"
_SELECT_LAST: Final = "SELECT max(position) FROM search_rows WHERE position BETWEEN ? AND ?"
_REMOVE: Final = "INSERT INTO search_terms (search_terms, rowid, terms) VALUES ('delete', ?, ?)"
_ADD: Final = "INSERT INTO search_terms (rowid, terms) VALUES (?, ?)"


def index_pending(connection: sqlite3.Connection) -> int:
    """Add one portion of the pending records to the index, in the open transaction. Return how many there were."""
    pending = connection.execute(_SELECT_PENDING).fetchall()
    for pid in dict.fromkeys([pid for _, pid in pending]):
        _index(connection, pid)
    connection.executemany("DELETE FROM search_pending WHERE rowid = ?", [(row,) for row, _ in pending])
    return len(pending)


@cache
def has_full_text_search() -> bool:
    """Return whether this SQLite has FTS5. Builds for unusual systems may lack it."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (text)")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


def first_position(seconds: int) -> int:
    """Return the least position of a record that changed in a second since 1970."""
    return seconds << _SECOND_BITS


def repository_term(repository_id: str) -> str:
    """Return the term of all records of a repository."""
    return f"repository:{repository_id}"


def _index(connection: sqlite3.Connection, pid: str) -> None:
    """Make the row of a record that of its current version. A record that cannot be read has no row."""
    indexed = connection.execute(_SELECT_INDEXED, (pid,)).fetchone()
    second, terms = _second_and_terms(connection.execute(_SELECT_RECORD, (pid,)).fetchone())
    first, last = first_position(second), first_position(second + 1) - 1
    if indexed:
        position, former = indexed
        if terms == former and first <= position <= last:
            return
        connection.execute(_REMOVE, indexed)
        connection.execute("DELETE FROM search_rows WHERE position = ?", (position,))
    if terms is None:
        return
    if not indexed or not first <= position <= last:
        (latest,) = connection.execute(_SELECT_LAST, (first, last)).fetchone()
        position = first if latest is None else latest + 1
    connection.execute("INSERT INTO search_rows (position, pid, terms) VALUES (?, ?, ?)", (position, pid, terms))
    connection.execute(_ADD, (position, terms))


def _second_and_terms(row: tuple[str, str | None, str | None, str] | None) -> tuple[int, str | None]:
    """Return the second of the last change and the terms of a record's row, or None for those of none."""
    if row is None:
        return 0, None
    try:
        record = record_of_row(*row)
        terms = record_terms(record)
    except Exception:  # noqa: BLE001 - a row of a later release must not keep others out of the index
        return 0, None
    return int(record.updated.timestamp()), " ".join((repository_term(record.repository), *sorted(terms)))

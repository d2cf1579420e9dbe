"""Rows of SQLite tables as dictionaries, in the form that `coolid.store.rows` converts for all stores.

>>> connection = sqlite3.connect(":memory:")
>>> row_of(connection.execute("SELECT 'mp' AS name, NULL AS kind, '[\\"mp/a\\"]' AS longer"))
{'name': 'mp', 'longer': {'mp/a'}}
>>> set_text({"b", "a"}), set_text(())
('["a","b"]', None)
"""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from msgspec import json

from coolid.model.records import Record
from coolid.store.rows import stored_record

_SETS: Final = frozenset({"longer", "aliases", "scopes"})
_TEXTS: Final = json.Decoder(set[str])
RECORD_COLUMNS: Final = "pid, author, health, body"


def rows_of(cursor: sqlite3.Cursor) -> Iterator[dict[str, Any]]:
    """Yield the rows of a cursor without columns that are NULL."""
    names = names_of(cursor)
    for values in cursor:
        yield row_with(names, values)


def names_of(cursor: sqlite3.Cursor) -> tuple[str, ...]:
    """Return the names of a cursor's columns."""
    return tuple([column[0] for column in cursor.description])


def row_with(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return the row with these columns and values, without columns that are NULL."""
    return {
        name: _TEXTS.decode(value) if name in _SETS else value
        for name, value in zip(names, values, strict=True)
        if value is not None
    }


def row_of(cursor: sqlite3.Cursor) -> dict[str, Any] | None:
    """Return the only row of a cursor, or None if there is none."""
    rows = [*rows_of(cursor)]
    return rows[0] if rows else None


def set_text(texts: Collection[str]) -> str | None:
    """Return the column of a set of texts, None for an empty set."""
    return json.encode(sorted(texts)).decode() if texts else None


def record_of_row(pid: str, author: str | None, health: str | None, body: str) -> Record:
    """Return the record of the columns `RECORD_COLUMNS`."""
    return stored_record(body, author, health, None, pid)

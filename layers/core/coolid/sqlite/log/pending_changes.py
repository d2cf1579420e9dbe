"""The changes that triggers record for the transparency log, and the entries that follow from them.

Triggers (`coolid.sqlite.schema`) write a row for each public version, and for each state of a repository, prefix or
key, in the transaction of the change itself. So no change is lost, and those of the previous release count too.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from msgspec import json

from coolid.log.subject_entries import (
    client_entries,
    prefix_entries,
    public_key_entry,
    repository_entry,
    version_entry,
)
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.sqlite.table_rows import RECORD_COLUMNS, record_of_row, rows_of
from coolid.store.client_rows import client_of
from coolid.store.log import WaitingEntry
from coolid.store.rows import CURRENT, prefix_of, repository_of

PORTION: Final = 128
"""The most changes of each table that one transaction moves. Takes about 10 ms, for which others wait."""
REPOSITORY: Final = "repository"
_SELECT_RECORD: Final = (
    f"SELECT {RECORD_COLUMNS} FROM records "  # noqa: S608 - constants
    f"WHERE pid = :pid AND version IN ({CURRENT}, :revision) AND revision = :revision"
)
_Row = Mapping[str, Any]


def has_pending(connection: sqlite3.Connection) -> bool:
    """Return whether changes wait to become entries."""
    return any(connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in _TABLES)  # noqa: S608


def take_pending(connection: sqlite3.Connection, since: int) -> list[WaitingEntry]:
    """Remove one portion of the pending changes, in the open transaction, and return their entries.

    Omits changes that this release cannot read. `since` is in milliseconds since 1970.
    """
    return [entry for table in _TABLES for entry in _take(connection, table, since)]


def _take(connection: sqlite3.Connection, table: str, since: int) -> list[WaitingEntry]:
    rows = [*rows_of(connection.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid LIMIT {PORTION}"))]  # noqa: S608
    if rows:
        connection.execute(f"DELETE FROM {table} WHERE rowid <= ?", (rows[-1]["rowid"],))  # noqa: S608
    return [*chain.from_iterable(_entries(connection, table, row, since) for row in rows)]


def _entries(connection: sqlite3.Connection, table: str, row: _Row, since: int) -> list[WaitingEntry]:
    with suppress(Exception):  # an unreadable row, or one of a later release, must not keep others out of the log
        return [*_TABLES[table](connection, row, since)]
    return []


def _of_version(connection: sqlite3.Connection, row: _Row, since: int) -> Iterator[WaitingEntry]:
    for values in connection.execute(_SELECT_RECORD, row).fetchall():
        if entry := version_entry(record_of_row(*values), since):
            yield entry


def _of_prefix(_: sqlite3.Connection, row: _Row, since: int) -> Iterator[WaitingEntry]:
    if row["kind"] == REPOSITORY:
        yield repository_entry(repository_of(row["body"], None, row), since)
        return
    prefix = prefix_of(row)
    if isinstance(prefix, Namespace | ProviderPrefix):
        yield from prefix_entries(prefix, since)


def _of_client(_: sqlite3.Connection, row: _Row, since: int) -> Iterator[WaitingEntry]:
    yield from client_entries(client_of({**row, "digest": ""}), since)


def _of_public_key(_: sqlite3.Connection, row: _Row, since: int) -> Iterator[WaitingEntry]:
    yield public_key_entry(json.decode(row["body"]), since)


_TABLES: Final[Mapping[str, Callable[[sqlite3.Connection, _Row, int], Iterator[WaitingEntry]]]] = {
    "log_pending_public_keys": _of_public_key,
    "log_pending_prefixes": _of_prefix,
    "log_pending_clients": _of_client,
    "log_pending_versions": _of_version,
}

"""The rows of the transparency log in SQLite."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from msgspec import json

from coolid.errors import Outdated
from coolid.ports import Clock
from coolid.sqlite.database import Database
from coolid.sqlite.log.pending_changes import has_pending, take_pending
from coolid.store.log import LogHead, WaitingEntry

_PORTION: Final = 256
"""The most entries that one transaction writes. Takes about 5 ms, for which others wait."""
_HEAD: Final = "head"
_SWEEP: Final = "sweep"
_SELECT_WAITING: Final = (
    "SELECT name, since, leaf, statement FROM log_entries WHERE position IS NULL ORDER BY since, name LIMIT ?"
)
_SELECT: Final = "SELECT position FROM log_entries WHERE name = ?"
_ADD: Final = "INSERT INTO log_entries (name, since, leaf, statement) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_SETTLE: Final = (
    "INSERT INTO log_entries (name, position) VALUES (?, ?) ON CONFLICT (name) DO UPDATE "
    "SET position = excluded.position, since = NULL, leaf = NULL, statement = NULL"
)
_SELECT_STATE: Final = "SELECT body FROM log_states WHERE name = ?"
_PUT_STATE: Final = "INSERT OR REPLACE INTO log_states (name, body) VALUES (?, ?)"
_HEADS: Final = json.Decoder(LogHead)


class SqliteLogRows:
    """Implements `LogRows`. The pending changes of the database become waiting entries when these are listed."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def waiting_entries(self, limit: int) -> Sequence[WaitingEntry]:
        """See `LogRows`."""
        for _ in range(limit):  # at least one entry each, as a rule
            with self._database.read() as connection:
                found = connection.execute(_SELECT_WAITING, (limit,)).fetchall()
                if len(found) >= limit or not has_pending(connection):
                    break
            self._database.write(self._move_pending)
        return [WaitingEntry(*values) for values in found]

    def add_entries(self, entries: Sequence[WaitingEntry]) -> None:
        """See `LogRows`."""
        self._write_all(_ADD, map(_values, entries))

    def indexes(self, names: Sequence[str]) -> Mapping[str, int | None]:
        """See `LogRows`."""
        with self._database.read() as connection:
            found = ((name, connection.execute(_SELECT, (name,)).fetchone()) for name in names)
            return {name: row[0] for name, row in found if row}

    def settle(self, indexes: Mapping[str, int]) -> None:
        """See `LogRows`."""
        self._write_all(_SETTLE, indexes.items())

    def head(self) -> LogHead | None:
        """See `LogRows`."""
        with self._database.read() as connection:
            return head_of(connection)

    def replace_head(self, head: LogHead, replaced: LogHead | None) -> None:
        """See `LogRows`."""

        def change(connection: sqlite3.Connection) -> None:
            if head_of(connection) != replaced:
                raise Outdated("the head of the transparency log")
            connection.execute(_PUT_STATE, (_HEAD, json.encode(head).decode()))

        self._database.write(change)

    def sweep_position(self) -> str | None:
        """See `LogRows`."""
        with self._database.read() as connection:
            return _state(connection, _SWEEP)

    def set_sweep_position(self, position: str) -> None:
        """See `LogRows`."""
        self._database.write(lambda connection: connection.execute(_PUT_STATE, (_SWEEP, position)))

    def _move_pending(self, connection: sqlite3.Connection) -> None:
        connection.executemany(_ADD, map(_values, take_pending(connection, self._clock.milliseconds())))

    def _write_all(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        for portion in _portions(rows):
            self._database.write(partial(_execute_all, statement, portion))


def head_of(connection: sqlite3.Connection) -> LogHead | None:
    """Return the head of the log in a database."""
    body = _state(connection, _HEAD)
    return None if body is None else _HEADS.decode(body)


def _state(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute(_SELECT_STATE, (name,)).fetchone()
    return row[0] if row else None


def _execute_all(statement: str, rows: Sequence[Sequence[Any]], connection: sqlite3.Connection) -> None:
    connection.executemany(statement, rows)


def _values(entry: WaitingEntry) -> tuple[str, int, str, str]:
    return entry.name, entry.since, entry.leaf, entry.statement


def _portions(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    rest = iter(rows)
    return iter(lambda: list(islice(rest, _PORTION)), [])

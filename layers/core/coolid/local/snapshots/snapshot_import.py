"""The conversion of a snapshot to a SQLite database."""

import sqlite3
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from msgspec import json

from coolid import private_files
from coolid.aws.dynamodb.table_reader import plain_row
from coolid.errors import UsageError
from coolid.local import bioregistry_prefixes
from coolid.local.first_import import MARKER, DatabaseImport
from coolid.local.service_files import signing_key_file
from coolid.local.snapshots.snapshot import BadSnapshot, load
from coolid.sqlite.database import Database
from coolid.sqlite.table_rows import set_text
from coolid.store.rows import KEYS

DATABASE_TABLES: Final = {
    "PrefixTable": "prefixes",
    "LuiTable": "records",
    "ClientTable": "clients",
    "CounterTable": "counters",
    "RequestTable": "idempotency_records",
    "PulseTable": "check_states",
}
"""The tables of the database by the logical names of those in the stack. Their columns have the attributes' names."""
_ONLY_IN_DYNAMODB: Final = frozenset({"changed", "write_token"})

Row = Mapping[str, Any]


def import_snapshot(snapshot: Path, target: Path, folder: Path) -> int:
    """Convert a snapshot to a new database with its signing key, and return the number of records.

    The registry's rows, which a snapshot omits, come from the cache in `folder`. Raises `UsageError` if the snapshot is
    damaged, or if the target or its signing key exists.
    """
    tables = {logical: [*map(plain_row, items)] for logical, items in load(snapshot).items()}
    rows = bioregistry_prefixes.cached_rows(folder)
    with (
        TemporaryDirectory(prefix="coolid-") as temporary,
        Database.open(Path(temporary) / target.name, is_durable=False) as database,
    ):
        first_import = DatabaseImport(database)
        first_import.begin()
        first_import.put(rows)
        database.write(lambda connection: _insert(connection, tables))
        first_import.end(sum("body" in row for row in rows))
        _copy_signing_key(snapshot, target)
        database.backup(target)
    return sum("repository" in row for row in tables.get("LuiTable", ()))


def _insert(connection: sqlite3.Connection, tables: Mapping[str, Iterable[Row]]) -> None:
    for logical, rows in tables.items():
        for row in rows:
            if row.get("pid") != KEYS and row.get("name") != MARKER:
                _insert_row(connection, DATABASE_TABLES[logical], row)
    keys = (row for row in tables.get("LuiTable", ()) if row["pid"] == KEYS)
    for row in sorted(keys, key=itemgetter("revision", "version")):
        body = json.decode(row["body"])
        for key in body if isinstance(body, list) else [body]:  # a list was written by release 0.1
            connection.execute(
                "INSERT INTO public_keys (kid, body) VALUES (?, ?) ON CONFLICT (kid) DO NOTHING",
                (key["kid"], json.encode(key).decode()),
            )


def _insert_row(connection: sqlite3.Connection, table: str, row: Row) -> None:
    columns = [column[0] for column in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]  # noqa: S608
    if unknown := row.keys() - {*columns} - _ONLY_IN_DYNAMODB:
        raise BadSnapshot(f"the snapshot has attributes that no release wrote: {', '.join(sorted(unknown))}")
    values = [set_text(value) if isinstance(value := row.get(name), list) else value for name in columns]
    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(columns))})", values)  # noqa: S608


def _copy_signing_key(snapshot: Path, target: Path) -> None:
    """Copy the signing key beside the snapshot, so that the service continues to sign with it."""
    content, copy = private_files.read(signing_key_file(snapshot)), signing_key_file(target)
    if content is not None and private_files.read(copy) != content:
        try:
            private_files.create(copy, content)
        except FileExistsError as error:
            raise UsageError(f"{copy} contains another signing key; it was left as it is") from error

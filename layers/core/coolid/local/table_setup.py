"""Creation of the stack's tables and the first import of prefixes into them, at any endpoint of DynamoDB."""

from collections.abc import Mapping, Sequence
from time import sleep
from typing import Any, Final

import boto3
from boto3.dynamodb.types import TypeSerializer

from coolid.local.first_import import BEGUN, MARKER
from coolid.local.stack import find_template, load_tables

TABLES: Final = {
    "PrefixTable": ("PREFIX_TABLE", "coolid-prefixes"),
    "LuiTable": ("LUI_TABLE", "coolid-luis"),
    "ClientTable": ("CLIENT_TABLE", "coolid-clients"),
    "CounterTable": ("COUNTER_TABLE", "coolid-counters"),
    "RequestTable": ("REQUEST_TABLE", "coolid-requests"),
    "PulseTable": ("PULSE_TABLE", "coolid-pulses"),
    "JobTable": ("JOB_TABLE", "coolid-jobs"),
    "IndexTable": ("INDEX_TABLE", "coolid-index"),
    "LogTable": ("LOG_TABLE", "coolid-log"),
}
"""By logical name: the setting that names the table, and the default name of the table."""

_BATCH: Final = 25
_ATTEMPTS: Final = 7
_MARKER_KEY: Final = {"name": {"S": MARKER}}


class TableTooSlow(Exception):
    """The table repeatedly left part of a batch unwritten."""


def prepare_tables(environment: dict[str, str], *, may_create: bool = True) -> "TableImport":
    """Create the missing tables, if permitted, and set the names of all in the environment.

    Raises `NoTemplate`, `TableTooSlow`.
    """
    names = {logical: environment.setdefault(variable, name) for logical, (variable, name) in TABLES.items()}
    created = create_tables(load_tables(find_template()), names) if may_create else ()
    return TableImport(names["PrefixTable"], is_new="PrefixTable" in created)


def create_tables(tables: Mapping[str, dict[str, Any]], names: Mapping[str, str]) -> list[str]:
    """Create the missing tables, with these arguments, under these names. Return the logical names of new tables."""
    client = _client()
    created, pending = [], []
    for logical, name in names.items():
        try:
            table = client.create_table(TableName=name, **tables[logical])["TableDescription"]
        except client.exceptions.ResourceInUseException:
            continue
        created.append(logical)
        if table.get("TableStatus") != "ACTIVE":
            pending.append(name)
    for name in pending:
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return created


def put_items(table: str, items: list[dict[str, Any]]) -> None:
    """Write items in DynamoDB's JSON, unconditionally, in batches."""
    client = _client()
    for start in range(0, len(items), _BATCH):
        unwritten = {table: [{"PutRequest": {"Item": item}} for item in items[start : start + _BATCH]]}
        for attempt in range(_ATTEMPTS):
            unwritten = client.batch_write_item(RequestItems=unwritten).get("UnprocessedItems", {})
            if not unwritten:
                break
            sleep(0.1 * 2**attempt)
        else:
            raise TableTooSlow(f"the table {table} repeatedly left part of a batch unwritten")


class TableImport:
    """Implements `FirstImport` for a prefix table."""

    def __init__(self, table: str, *, is_new: bool) -> None:
        self._table = table
        self._is_new = is_new

    def begin(self) -> bool:
        """See `FirstImport`. A table that existed already is filled only if its import was interrupted."""
        if not self._is_new and self.count() != BEGUN:
            return False
        self.end(BEGUN)
        return True

    def put(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """See `FirstImport`. Raises `TableTooSlow`."""
        serialize = TypeSerializer().serialize
        put_items(
            self._table,
            [
                {name: serialize(set(value) if isinstance(value, list) else value) for name, value in row.items()}
                for row in rows
            ],
        )

    def end(self, prefixes: int) -> None:
        """See `FirstImport`."""
        item = {**_MARKER_KEY, "kind": {"S": "filling"}, "prefixes": {"N": str(prefixes)}}
        _client().put_item(TableName=self._table, Item=item)

    def count(self) -> int:
        """See `FirstImport`."""
        item = _client().get_item(TableName=self._table, Key=_MARKER_KEY, ConsistentRead=True).get("Item")
        return int(item["prefixes"]["N"]) if item else 0

    def needs_administrator(self) -> bool:
        """See `FirstImport`. Counting the clients would take a scan."""
        return True


def _client() -> Any:
    return boto3.client("dynamodb")

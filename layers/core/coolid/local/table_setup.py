"""Creation of the stack's tables and keys, and the first import into the tables, at any endpoint.

A marker in the prefix table says whether its import is complete, so that an interrupted import is repeated. The
marker's name begins with a slash and its kind is `filling`, which no prefix has.
"""

from time import sleep
from typing import Any, Final

import boto3

from coolid.local.stack import Stack

_BATCH: Final = 25
_ATTEMPTS: Final = 7
_MARKER: Final = {"name": {"S": "/filling"}}
_BEGUN: Final = -1


class TableTooSlow(Exception):
    """The table repeatedly left part of a batch unwritten."""


def create_tables(stack: Stack, names: dict[str, str]) -> list[str]:
    """Create the missing tables of the stack under these names. Return the logical names of the new tables."""
    client = boto3.client("dynamodb")
    created, pending = [], []
    for logical, name in names.items():
        try:
            table = client.create_table(TableName=name, **stack.tables[logical])["TableDescription"]
        except client.exceptions.ResourceInUseException:
            continue
        created.append(logical)
        if table.get("TableStatus") != "ACTIVE":
            pending.append(name)
    for name in pending:
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return created


def create_keys(stack: Stack) -> dict[str, str]:
    """Create the keys of the stack. Return their ids by logical name."""
    client = boto3.client("kms")
    return {name: client.create_key(**members)["KeyMetadata"]["KeyId"] for name, members in stack.keys.items()}


def put_items(table: str, items: list[dict[str, Any]]) -> None:
    """Write items in DynamoDB's JSON, unconditionally, in batches."""
    client: Any = boto3.client("dynamodb")
    for start in range(0, len(items), _BATCH):
        unwritten = {table: [{"PutRequest": {"Item": item}} for item in items[start : start + _BATCH]]}
        for attempt in range(_ATTEMPTS):
            unwritten = client.batch_write_item(RequestItems=unwritten).get("UnprocessedItems", {})
            if not unwritten:
                break
            sleep(0.1 * 2**attempt)
        else:
            raise TableTooSlow(f"the table {table} repeatedly left part of a batch unwritten")


def begin_import(table: str, *, is_new: bool) -> bool:
    """Return whether to fill the table: it is new, or its import was interrupted. Mark that the import has begun."""
    if not is_new and imported_prefixes(table) != _BEGUN:
        return False
    end_import(table, _BEGUN)
    return True


def end_import(table: str, prefixes: int) -> None:
    """Mark that the import of this number of prefixes is complete."""
    client: Any = boto3.client("dynamodb")
    item = {**_MARKER, "kind": {"S": "filling"}, "prefixes": {"N": str(prefixes)}}
    client.put_item(TableName=table, Item=item)


def imported_prefixes(table: str) -> int:
    """Return the number of imported prefixes: 0 without an import, -1 during one."""
    client: Any = boto3.client("dynamodb")
    item = client.get_item(TableName=table, Key=_MARKER, ConsistentRead=True).get("Item")
    return int(item["prefixes"]["N"]) if item else 0

"""A marker in the prefix table for its initial import, so that an interrupted import is repeated.

The marker's name begins with a slash and its kind is `filling`, which no prefix has.
"""

from typing import Any, Final

import boto3

_NOTE: Final = {"name": {"S": "/filling"}}
_BEGUN: Final = "-1"


def begin(table: str, *, is_new: bool) -> bool:
    """Return whether to fill the table: it is new, or its import was interrupted. Mark that the import has begun."""
    if not is_new and _prefixes(table) != _BEGUN:
        return False
    _write(table, _BEGUN)
    return True


def end(table: str, prefixes: int) -> None:
    """Mark that the import of this number of prefixes is complete."""
    _write(table, str(prefixes))


def prefixes(table: str) -> int:
    """Return the number of imported prefixes, 0 without an import."""
    return int(_prefixes(table) or 0)


def _prefixes(table: str) -> str | None:
    client: Any = boto3.client("dynamodb")
    item = client.get_item(TableName=table, Key=_NOTE, ConsistentRead=True).get("Item")
    return item["prefixes"]["N"] if item else None


def _write(table: str, prefixes: str) -> None:
    client: Any = boto3.client("dynamodb")
    client.put_item(TableName=table, Item={**_NOTE, "kind": {"S": "filling"}, "prefixes": {"N": prefixes}})

"""Filling: a note in the prefix table that its first filling has begun, so that one cut short is done again.

The note's name begins with a slash, as no prefix does, and its kind is that of no prefix.
"""

from typing import Any, Final

import boto3

_NOTE: Final = {"name": {"S": "/filling"}}
_BEGUN: Final = "-1"


def begin(table: str, *, is_new: bool) -> bool:
    """Whether the table is to be filled: it is new, or was not filled to the end. A table of others is left alone."""
    if not is_new and _prefixes(table) != _BEGUN:
        return False
    _write(table, _BEGUN)
    return True


def end(table: str, prefixes: int) -> None:
    """Note that the table was filled with so many prefixes."""
    _write(table, str(prefixes))


def prefixes(table: str) -> int:
    """How many prefixes a filling put in; 0 where none did."""
    return int(_prefixes(table) or 0)


def _prefixes(table: str) -> str | None:
    client: Any = boto3.client("dynamodb")
    item = client.get_item(TableName=table, Key=_NOTE, ConsistentRead=True).get("Item")
    return item["prefixes"]["N"] if item else None


def _write(table: str, prefixes: str) -> None:
    client: Any = boto3.client("dynamodb")
    client.put_item(TableName=table, Item={**_NOTE, "kind": {"S": "filling"}, "prefixes": {"N": prefixes}})

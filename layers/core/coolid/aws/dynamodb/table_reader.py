"""Reads of tables by GetItem, BatchGetItem and Query, with checks that the response belongs to the request."""

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, Final

from coolid.aws.dynamodb_client.transport import Transport
from coolid.errors import StoreUnavailable

BATCH_TIMEOUT_SECONDS: Final = 0.2
"""The time after which the unprocessed keys of a batch are not requested again."""
_BATCH_ROUNDS: Final = 4

Key = Mapping[str, Mapping[str, str]]
"""The primary key of an item, in DynamoDB's types: `{"name": {"S": "mp"}}`."""


class TableReader:
    """Reads items in DynamoDB's types, and rows: items in plain Python types. All methods raise `StoreUnavailable`."""

    def __init__(self, transport: Transport) -> None:
        self.call = transport.call

    def item(self, table: str, key: Key, *, consistent: bool = False) -> Mapping[str, Any] | None:
        """Return an item, or None. Takes one GetItem."""
        request = {"TableName": table, "Key": key, "ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"}
        item: Mapping[str, Any] | None = self.call("GetItem", request).get("Item")
        if item is not None:
            for name, value in key.items():
                if item.get(name) != value:
                    raise StoreUnavailable("the store returned an item that was not requested")
        return item

    def row(self, table: str, key: Key) -> dict[str, Any] | None:
        """Return a row, or None. Takes one consistent GetItem."""
        item = self.item(table, key, consistent=True)
        return plain_row(item) if item is not None else None

    def items(self, table: str, keys: Sequence[Key], *, consistent: bool) -> Iterator[Mapping[str, Any]]:
        """Yield the existing items. Takes one BatchGetItem, and a few more if keys remain unprocessed."""
        if not keys:
            return
        request: dict[str, Any] = {table: {"Keys": keys, "ConsistentRead": consistent}}
        key_name = next(iter(keys[0]))
        names = {key[key_name]["S"] for key in keys}
        deadline = monotonic() + BATCH_TIMEOUT_SECONDS
        for _ in range(_BATCH_ROUNDS):
            answer = self.call("BatchGetItem", {"RequestItems": request})
            request = answer.get("UnprocessedKeys", {})
            if table not in answer["Responses"] and table not in request:
                raise StoreUnavailable("the store's response lacks the table")
            for item in answer["Responses"].get(table, ()):
                if item.get(key_name, {}).get("S") not in names:
                    raise StoreUnavailable("the store returned an item that was not requested")
                yield item
            if not request:
                return
            if monotonic() > deadline:
                break
        raise StoreUnavailable("the store left keys of a batch unprocessed")

    def rows(self, table: str, **request: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows of a Query. Fetches pages as they are needed."""
        start: dict[str, Any] = {}
        while True:
            answer = self.call("Query", {"TableName": table, **request, **start})
            yield from map(plain_row, answer["Items"])
            if not answer.get("LastEvaluatedKey"):
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def plain_row(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in plain Python types. Raise `StoreUnavailable` for an item that is malformed."""
    try:
        return {name: plain(value) for name, value in item.items()}
    except ValueError as error:
        raise StoreUnavailable("the store returned a malformed row") from error


def plain(value: Mapping[str, Any]) -> Any:
    """Return a value of a DynamoDB item as a Python value. Supports the types that the tables use.

    >>> plain({"S": "x"}), plain({"N": "3"}), plain({"SS": ["a"]})
    ('x', 3, ['a'])
    """
    ((kind, content),) = value.items()
    return int(content) if kind == "N" else content

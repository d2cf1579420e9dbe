"""Answers of the embedded backend about items, written as they are: moto looks for every value of every attribute under
up to a dozen names that it might have in moto's own objects, though an item has long got the shape of DynamoDB's JSON;
for every request it goes through all members of a class in search of the methods among them; and to put a table's items
in order it works out both keys anew whenever it compares two.

All other answers are written by moto, refusals included.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from moto.core import responses
from moto.core.utils import method_names_from_class
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoResult

MOTOS_OWN: Final = DynamoResult.execute_result
MOTOS_ORDER: Final = Table.all_items
_ABOUT_ITEMS: Final = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem"})
_HEADERS: Final = {"Content-Type": "application/x-amz-json-1.0"}


@contextmanager
def plain() -> Iterator[None]:
    """While this lasts, what is found costs what it takes to write it down. It may be nested."""
    if DynamoResult.execute_result is not MOTOS_OWN:
        yield
        return

    def write(found: DynamoResult, context: Any) -> Any:
        operation = context.operation_model
        if operation.name not in _ABOUT_ITEMS:
            return MOTOS_OWN(found, context)
        result: Any = found.result
        told = {name: result[name] for name in operation.output_shape.members if result.get(name) is not None}
        return 200, dict(_HEADERS), json.dumps(told, default=_binary)

    DynamoResult.execute_result = write  # type: ignore[assignment,method-assign]
    Table.all_items = _in_order  # type: ignore[assignment,method-assign]
    responses.method_names_from_class = cache(method_names_from_class)
    try:
        yield
    finally:
        del DynamoResult.execute_result
        Table.all_items = MOTOS_ORDER  # type: ignore[method-assign]
        responses.method_names_from_class = method_names_from_class


def _in_order(table: Table) -> list[Item]:
    rows: Any = table.items.values()
    return sorted((row for several in rows for row in several.values()) if table.range_key_attr else rows, key=_key)


def _key(item: Item) -> Any:
    own = item.hash_key.cast_value
    return (own, item.range_key.cast_value) if item.range_key else own


def _binary(value: bytes) -> str:
    return b64encode(value).decode("ascii")

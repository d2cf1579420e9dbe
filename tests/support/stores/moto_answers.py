"""Faster serialisation of the embedded backend's answers about items.

moto looks up each value under up to a dozen names, although the items already are DynamoDB's JSON. It also lists the
methods of a class for every request, and computes both keys for every comparison when it sorts items. moto itself
serialises all other answers, including errors.
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

MOTO_EXECUTE_RESULT: Final = DynamoResult.execute_result
MOTO_ALL_ITEMS: Final = Table.all_items
_ABOUT_ITEMS: Final = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem"})
_HEADERS: Final = {"Content-Type": "application/x-amz-json-1.0"}


@contextmanager
def direct_answers() -> Iterator[None]:
    """Serialise items directly while the block runs. The context may be nested."""
    if DynamoResult.execute_result is not MOTO_EXECUTE_RESULT:
        yield
        return

    def write(found: DynamoResult, context: Any) -> Any:
        operation = context.operation_model
        if operation.name not in _ABOUT_ITEMS:
            return MOTO_EXECUTE_RESULT(found, context)
        result: Any = found.result
        members = {name: result[name] for name in operation.output_shape.members if result.get(name) is not None}
        return 200, dict(_HEADERS), json.dumps(members, default=_binary)

    DynamoResult.execute_result = write  # type: ignore[assignment,method-assign]
    Table.all_items = _sorted_items  # type: ignore[assignment,method-assign]
    responses.method_names_from_class = cache(method_names_from_class)
    try:
        yield
    finally:
        del DynamoResult.execute_result
        Table.all_items = MOTO_ALL_ITEMS  # type: ignore[method-assign]
        responses.method_names_from_class = method_names_from_class


def _sorted_items(table: Table) -> list[Item]:
    rows: Any = table.items.values()
    return sorted((row for several in rows for row in several.values()) if table.range_key_attr else rows, key=_key)


def _key(item: Item) -> Any:
    own = item.hash_key.cast_value
    return (own, item.range_key.cast_value) if item.range_key else own


def _binary(value: bytes) -> str:
    return b64encode(value).decode("ascii")

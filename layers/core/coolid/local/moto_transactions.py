"""Transactions of the embedded backend, made cheap: before each, moto copies every table that the transaction names,
whole and once for each of its parts, in case it is cancelled. What can change are the rows that it names.

moto's own method does the work; while it runs a table's copy is the table itself, and afterwards the rows are put
back if it failed. Calls come one at a time (`coolid.local.embedded`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from moto.dynamodb import models
from moto.dynamodb.comparisons import get_filter_expression
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models import table as tables
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

MOTOS_OWN: Final = DynamoDBBackend.transact_write_items


@contextmanager
def cheap() -> Iterator[None]:
    """While this lasts, a transaction costs what its own rows cost, not what the tables do. It may be nested."""
    if DynamoDBBackend.transact_write_items is not MOTOS_OWN:
        yield
        return

    def transact_by_rows(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        rows = list(_rows(backend, transact_items))
        shards = {id(row.table): (row.table.stream_shard, _streamed(row.table)) for row in rows}
        try:
            with _uncopied_tables():
                MOTOS_OWN(backend, transact_items)
        except BaseException:
            for row in rows:
                row.put_back()
            for shard, length in shards.values():
                if shard is not None:
                    del shard.items[length:]
            raise

    DynamoDBBackend.transact_write_items = transact_by_rows  # type: ignore[assignment,method-assign]
    models.get_filter_expression = tables.get_filter_expression = _parsed  # type: ignore[assignment]
    try:
        yield
    finally:
        DynamoDBBackend.transact_write_items = MOTOS_OWN  # type: ignore[method-assign]
        models.get_filter_expression = tables.get_filter_expression = get_filter_expression


@dataclass(frozen=True, slots=True)
class _Row:
    """A place in a table and what is there, if anything is."""

    table: Table
    hash_key: DynamoType
    range_key: DynamoType | None
    item: Item | None

    def put_back(self) -> None:
        rows: Any = self.table.items if self.range_key is None else self.table.items[self.hash_key]
        place = self.hash_key if self.range_key is None else self.range_key
        if self.item is None:
            rows.pop(place, None)
        else:
            rows[place] = self.item


def _rows(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> Iterator[_Row]:
    """The rows that a transaction names, as they are now; what is malformed is left for moto to refuse."""
    for part in transact_items:
        for operation in part.values():
            table = backend.tables.get(operation.get("TableName"))
            named = operation.get("Key") or operation.get("Item") or {}
            if table is None or not {table.hash_key_attr, table.range_key_attr or table.hash_key_attr} <= named.keys():
                continue
            hash_key = DynamoType(named[table.hash_key_attr])
            range_key = DynamoType(named[table.range_key_attr]) if table.range_key_attr else None
            yield _Row(table, hash_key, range_key, deepcopy(table.get_item(hash_key, range_key)))


def _parsed(expression: Any, names: Any, values: Any) -> Any:
    """A condition, as moto parses it; what it becomes depends on nothing else, and does not change."""
    return get_filter_expression(expression, names, values) if names or values else _parsed_once(expression)


@lru_cache(maxsize=256)
def _parsed_once(expression: Any) -> Any:
    return get_filter_expression(expression, None, None)


def _streamed(table: Table) -> int:
    return len(table.stream_shard.items) if table.stream_shard is not None else 0


@contextmanager
def _uncopied_tables() -> Iterator[None]:
    if "__deepcopy__" in vars(Table):  # backends may run inside each other
        yield
        return
    Table.__deepcopy__ = lambda table, _memo: table  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del Table.__deepcopy__  # type: ignore[attr-defined]

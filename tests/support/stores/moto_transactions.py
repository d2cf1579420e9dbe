"""Faster transactions of the embedded store.

For a rollback, moto copies every table of a transaction once for each operation. Here only the named rows are copied:
while moto's method runs, the copy of a table is the table itself, and a failure restores the rows, but not a stream,
which no table has. Calls are serialized by `tests.support.stores.moto_store`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

MOTO_TRANSACT_WRITE_ITEMS: Final = DynamoDBBackend.transact_write_items


@contextmanager
def row_transactions() -> Iterator[None]:
    """Copy only the rows of a transaction while the block runs. The context may be nested."""
    if DynamoDBBackend.transact_write_items is not MOTO_TRANSACT_WRITE_ITEMS:
        yield
        return

    def transact_by_rows(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        rows = list(_rows(backend, transact_items))
        try:
            with _uncopied_tables():
                MOTO_TRANSACT_WRITE_ITEMS(backend, transact_items)
        except BaseException:
            for row in rows:
                row.restore()
            raise

    DynamoDBBackend.transact_write_items = transact_by_rows  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        DynamoDBBackend.transact_write_items = MOTO_TRANSACT_WRITE_ITEMS  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class _Row:
    """The keys of a row and its item, if it exists."""

    table: Table
    hash_key: DynamoType
    range_key: DynamoType | None
    item: Item | None

    def restore(self) -> None:
        rows: Any = self.table.items if self.range_key is None else self.table.items[self.hash_key]
        key = self.hash_key if self.range_key is None else self.range_key
        if self.item is None:
            rows.pop(key, None)
        else:
            rows[key] = self.item


def _rows(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> Iterator[_Row]:
    """Yield the present rows that a transaction names, except malformed operations, which moto refuses."""
    for part in transact_items:
        for operation in part.values():
            table = backend.tables.get(operation.get("TableName"))
            named = operation.get("Key") or operation.get("Item") or {}
            if table is None or not {table.hash_key_attr, table.range_key_attr or table.hash_key_attr} <= named.keys():
                continue
            hash_key = DynamoType(named[table.hash_key_attr])
            range_key = DynamoType(named[table.range_key_attr]) if table.range_key_attr else None
            yield _Row(table, hash_key, range_key, deepcopy(table.get_item(hash_key, range_key)))


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

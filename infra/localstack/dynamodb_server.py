"""DynamoDB for LocalStack: a moto server whose transactions are isolated.

Usage: `python dynamodb_server.py PARENT -p PORT`; it ends after its parent process, whose id is PARENT.

DynamoDB's transactions are serializable. moto's copy their tables at the beginning and put the copies back if they
fail, while other requests change the tables: concurrent writes are lost, and copies end with an error of the server.
Here requests are handled one after another, and a transaction copies only the items that it names, because copies of
tables become slow with thousands of items.
"""

import copy
import os
import sys
import time
from collections.abc import Mapping, Sequence
from threading import Lock, Thread
from typing import Any
from unittest.mock import patch

from moto import server
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler

_Handler: Any = DynamoHandler
_Backend: Any = DynamoDBBackend
_handle = _Handler.call_action
_write = _Backend.transact_write_items
_one_request = Lock()


def handle_alone(handler: Any) -> Any:
    """Handle a request while no other is handled."""
    with _one_request:
        return _handle(handler)


def transact_write_items(backend: Any, transact_items: Sequence[Mapping[str, Any]]) -> None:
    """Carry out a transaction. If it fails, put back the items that it names, instead of the tables."""
    before = [_stored(backend, operation) for each in transact_items for operation in each.values()]
    with patch.object(Table, "__deepcopy__", lambda table, _: table, create=True):
        try:
            _write(backend, transact_items)
        except Exception:
            for table, key, item in before:
                _put_back(table, key, item)
            raise


def _stored(backend: Any, operation: Mapping[str, Any]) -> tuple[Any, Sequence[Any], Any]:
    """Return the table that an operation writes to, the key, and a copy of the item."""
    table = backend.get_table(operation["TableName"])
    attributes = operation["Item"] if "Item" in operation else operation["Key"]
    key = [DynamoType(attributes[name]) for name in (table.hash_key_attr, table.range_key_attr) if name is not None]
    return table, key, copy.deepcopy(table.get_item(*key))


def _put_back(table: Any, key: Sequence[Any], item: Any) -> None:
    items = table.items[key[0]] if table.has_range_key else table.items
    if item is None:
        items.pop(key[-1], None)
    else:
        items[key[-1]] = item


def _end_with(parent: int) -> None:
    """End this process within half a second after its parent."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    Thread(target=_end_with, args=[int(sys.argv[1])], daemon=True).start()
    _Handler.call_action = handle_alone
    _Backend.transact_write_items = transact_write_items
    server.main(sys.argv[2:])

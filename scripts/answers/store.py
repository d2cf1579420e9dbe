"""The store: moto's DynamoDB behind HTTP on the loopback interface, in this process.

moto copies every table that a transaction names, once for each of its parts, to restore it if the transaction is
cancelled. Here only the rows that the transaction names are copied and restored.
"""

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Final

import boto3
from botocore.awsrequest import AWSPreparedRequest, HeadersDict
from moto.core.models import DEFAULT_ACCOUNT_ID, botocore_stubber
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table

from scripts.answers.stack import Stack

REGION: Final = "us-east-1"
ENVIRONMENT: Final = {
    "AWS_ACCESS_KEY_ID": "answers",
    "AWS_SECRET_ACCESS_KEY": "answers",
    "AWS_DEFAULT_REGION": REGION,
}
_FAILURE: Final = {"__type": "com.amazonaws.dynamodb.v20120810#InternalServerError", "message": "a scripted failure"}
_TYPE: Final = "application/x-amz-json-1.0"


class Store:
    """A running store; while `fails`, it answers every call with 500."""

    def __init__(self, port: int) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self.fails = False

    def client(self) -> Any:
        """Return a client of the store."""
        return boto3.client("dynamodb", region_name=REGION, endpoint_url=self.endpoint)

    def create_tables(self, stack: Stack) -> None:
        """Create the tables of the stack, named like their resources."""
        client = self.client()
        for name, members in stack.tables.items():
            client.create_table(TableName=name, **members)


@contextmanager
def run_store() -> Iterator[Store]:
    """Start an empty store."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                status, answer = _answer(self, body, store)
            self.send_response(status)
            self.send_header("Content-Type", _TYPE)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    store = Store(server.server_address[1])
    thread = Thread(target=server.serve_forever, daemon=True)
    with _restore_rows():
        thread.start()
        try:
            yield store
        finally:
            server.shutdown()
            server.server_close()
            dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables.clear()


def _answer(handler: BaseHTTPRequestHandler, body: bytes, store: Store) -> tuple[int, bytes]:
    if store.fails:
        return 500, json.dumps(_FAILURE).encode()
    url = f"https://dynamodb.{REGION}.amazonaws.com{handler.path}"
    headers: Any = HeadersDict(handler.headers)  # botocore's types name only one of its two kinds
    request = AWSPreparedRequest("POST", url, headers, body, False)
    answered = botocore_stubber.process_request(request)
    assert answered is not None, "moto serves DynamoDB"
    status, _, answer = answered
    return status, answer.encode() if isinstance(answer, str) else answer


@contextmanager
def _restore_rows() -> Iterator[None]:
    original = DynamoDBBackend.transact_write_items

    def transact(backend: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        rows = [_Row(backend, operation) for part in transact_items for operation in part.values()]
        try:
            original(backend, transact_items)
        except BaseException:
            for row in rows:
                row.restore()
            raise

    DynamoDBBackend.transact_write_items = transact  # type: ignore[assignment,method-assign]
    Table.__deepcopy__ = lambda table, _memo: table  # type: ignore[attr-defined]
    try:
        yield
    finally:
        DynamoDBBackend.transact_write_items = original  # type: ignore[method-assign]
        del Table.__deepcopy__  # type: ignore[attr-defined]


class _Row:
    """A row that a transaction names, as it was before the transaction."""

    def __init__(self, backend: DynamoDBBackend, operation: dict[str, Any]) -> None:
        self._table = backend.get_table(operation["TableName"])
        key = operation.get("Key") or operation["Item"]
        self._hash_key = DynamoType(key[self._table.hash_key_attr])
        has_range = self._table.has_range_key
        self._range_key = DynamoType(key[self._table.range_key_attr]) if has_range else None
        self._item = copy.deepcopy(self._table.get_item(self._hash_key, self._range_key))

    def restore(self) -> None:
        """Write the row as it was, or remove it."""
        rows: Any = self._table.items if self._range_key is None else self._table.items[self._hash_key]
        key = self._hash_key if self._range_key is None else self._range_key
        if self._item is None:
            rows.pop(key, None)
        else:
            rows[key] = self._item

"""The embedded backend: moto's DynamoDB and KMS in this process, with one lock.

moto is not atomic between threads: two of sixteen concurrent conditional writes of one key may succeed. Every call
therefore holds the lock, which also protects the count of writes. `coolid.local.moto_transactions` and
`coolid.local.moto_answers` make moto faster.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from time import sleep
from typing import Any, Final

import boto3
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID, botocore_stubber
from moto.dynamodb.models import dynamodb_backends

from coolid.local import botocore_sessions, in_process_sockets, moto_answers, moto_transactions
from coolid.local.stack import Stack

REGION: Final = "us-east-1"
CREDENTIALS: Final = {
    "AWS_ACCESS_KEY_ID": "embedded",
    "AWS_SECRET_ACCESS_KEY": "embedded",
    "AWS_DEFAULT_REGION": REGION,
}
_READS: Final = ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "DescribeTable", "ListTables")
_BATCH: Final = 25
_ATTEMPTS: Final = 7


class TableTooSlow(Exception):
    """The table repeatedly left part of a batch unwritten."""


class Embedded:
    """A running backend. `writes` counts the calls that may have changed data."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.writes = 0

    def items(self, table: str) -> list[dict[str, Any]]:
        """Return all items of a table in DynamoDB's JSON. Calls under the same lock are consistent with each other."""
        with self.lock:
            rows = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].get_table(table).all_items()
            return [row.to_json()["Attributes"] for row in rows]

    def serialized(self, process: Any) -> Any:
        """Return moto's function for answering a request, under the lock."""

        def process_alone(request: Any) -> Any:
            with self.lock:
                target = request.headers.get("X-Amz-Target", "")
                action = target.decode() if isinstance(target, bytes) else target
                if action.rpartition(".")[2] not in _READS:
                    self.writes += 1
                return process(request)

        return process_alone


@contextmanager
def running() -> Iterator[Embedded]:
    """Run the backend. Every AWS client of this process, boto3's and coolid's, sends its requests to it."""
    embedded = Embedded()
    process = botocore_stubber.process_request
    guarded = embedded.serialized(process)
    with (
        mock_aws(),
        botocore_sessions.shared_caches(),
        moto_transactions.row_transactions(),
        moto_answers.direct_answers(),
        in_process_sockets.connected_to(guarded),
    ):
        botocore_stubber.process_request = guarded  # type: ignore[method-assign]
        try:
            yield embedded
        finally:
            botocore_stubber.process_request = process  # type: ignore[method-assign]


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
            raise TableTooSlow(f"the table {table} kept leaving out part of a batch")

"""The embedded backend: moto's DynamoDB and KMS in this process, made atomic by one lock.

moto is not atomic between threads (sixteen racing conditional writes of one key may have two winners), so that every
call to it goes through one lock, where the writes are counted, too, for whoever keeps them. Its transactions are made
cheap by `coolid.local.moto_transactions`, its answers by `coolid.local.moto_answers`.
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
    """The table does not take what it is given."""


class Embedded:
    """A running backend. `writes` counts the calls that may have changed something."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.writes = 0

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table in DynamoDB's JSON, in one consistent view with whatever else the lock is held for."""
        with self.lock:
            rows = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].get_table(table).all_items()
            return [row.to_json()["Attributes"] for row in rows]

    def guarded(self, process: Any) -> Any:
        """moto's way of answering a request, one at a time."""

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
    """Start the backend; while it runs, every AWS client of this process talks to it, boto3's and our own."""
    embedded = Embedded()
    process = botocore_stubber.process_request
    guarded = embedded.guarded(process)
    with (
        mock_aws(),
        botocore_sessions.cheap(),
        moto_transactions.cheap(),
        moto_answers.plain(),
        in_process_sockets.leading_to(guarded),
    ):
        botocore_stubber.process_request = guarded  # type: ignore[method-assign]
        try:
            yield embedded
        finally:
            botocore_stubber.process_request = process  # type: ignore[method-assign]


def create_tables(stack: Stack, names: dict[str, str]) -> list[str]:
    """Make the tables of the stack that are missing, under these names; say which were made (by logical name)."""
    client = boto3.client("dynamodb")
    made, begun = [], []
    for logical, name in names.items():
        try:
            table = client.create_table(TableName=name, **stack.tables[logical])["TableDescription"]
        except client.exceptions.ResourceInUseException:
            continue
        made.append(logical)
        if table.get("TableStatus") != "ACTIVE":
            begun.append(name)
    for name in begun:
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return made


def create_keys(stack: Stack) -> dict[str, str]:
    """Make the keys of the stack; their ids by logical name."""
    client = boto3.client("kms")
    return {name: client.create_key(**members)["KeyMetadata"]["KeyId"] for name, members in stack.keys.items()}


def put_items(table: str, items: list[dict[str, Any]]) -> None:
    """Write items in DynamoDB's JSON, unconditionally, in batches."""
    client: Any = boto3.client("dynamodb")
    for start in range(0, len(items), _BATCH):
        asked = {table: [{"PutRequest": {"Item": item}} for item in items[start : start + _BATCH]]}
        for attempt in range(_ATTEMPTS):
            asked = client.batch_write_item(RequestItems=asked).get("UnprocessedItems", {})
            if not asked:
                break
            sleep(0.1 * 2**attempt)
        else:
            raise TableTooSlow(f"the table {table} kept leaving out part of a batch")

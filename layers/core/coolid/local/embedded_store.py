"""The embedded store: moto's DynamoDB and KMS in this process, with one lock.

moto is not atomic between threads: two of sixteen concurrent conditional writes of one key may succeed. Every call
therefore holds the lock, which also protects the count of writes. `coolid.local.moto_transactions` makes transactions
faster.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final

from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID, botocore_stubber
from moto.dynamodb.models import dynamodb_backends

from coolid.aws.settings import STORE_CLIENT
from coolid.local import moto_transactions

REGION: Final = "us-east-1"
CREDENTIALS: Final = {
    "AWS_ACCESS_KEY_ID": "embedded",
    "AWS_SECRET_ACCESS_KEY": "embedded",
    "AWS_DEFAULT_REGION": REGION,
}
ENVIRONMENT: Final = {**CREDENTIALS, STORE_CLIENT: "boto3"}
"""The environment in which functions use the embedded store: moto answers the requests of boto3 only."""

_READS: Final = ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "DescribeTable", "ListTables")


class EmbeddedStore:
    """A running store. `writes` counts the calls that may have changed data."""

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
def running() -> Iterator[EmbeddedStore]:
    """Run the store. Every boto3 client of this process sends its requests to it."""
    store = EmbeddedStore()
    process = botocore_stubber.process_request
    with mock_aws(), moto_transactions.row_transactions():
        botocore_stubber.process_request = store.serialized(process)  # type: ignore[method-assign]
        try:
            yield store
        finally:
            botocore_stubber.process_request = process  # type: ignore[method-assign]

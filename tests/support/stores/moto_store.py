"""DynamoDB and KMS by moto, in this process, behind coolid's own DynamoDB client as well as boto3.

moto is not atomic between threads: two of sixteen concurrent conditional writes of one key may succeed. Every call
therefore holds a lock. `moto_transactions` makes transactions faster.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final

from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID, botocore_stubber
from moto.dynamodb.models import dynamodb_backends

from tests.support.fixtures.botocore_sessions import shared_caches
from tests.support.stores import moto_transactions
from tests.support.stores.in_process_stream import connected_to
from tests.support.stores.moto_answers import direct_answers

REGION: Final = "us-east-1"
CREDENTIALS: Final = {
    "AWS_ACCESS_KEY_ID": "embedded",
    "AWS_SECRET_ACCESS_KEY": "embedded",
    "AWS_DEFAULT_REGION": REGION,
}


class MotoStore:
    """A running store."""

    def __init__(self) -> None:
        self.lock = RLock()

    def items(self, table: str) -> list[dict[str, Any]]:
        """Return all items of a table in DynamoDB's JSON. Calls under the same lock are consistent with each other."""
        with self.lock:
            rows = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].get_table(table).all_items()
            return [row.to_json()["Attributes"] for row in rows]

    def serialized(self, process: Any) -> Any:
        """Return moto's function for answering a request, under the lock."""

        def process_alone(request: Any) -> Any:
            with self.lock:
                return process(request)

        return process_alone


@contextmanager
def running() -> Iterator[MotoStore]:
    """Run the store. Every boto3 client of this process, and coolid's own client, send their requests to it."""
    store = MotoStore()
    process = botocore_stubber.process_request
    with shared_caches(), direct_answers(), mock_aws(), moto_transactions.row_transactions():
        botocore_stubber.process_request = store.serialized(process)  # type: ignore[method-assign]
        try:
            with connected_to(botocore_stubber.process_request):
                yield store
        finally:
            botocore_stubber.process_request = process  # type: ignore[method-assign]

"""Writes of postings, in batches of several threads.

Source: "Amazon DynamoDB API Reference", BatchWriteItem: at most 25 rows of different keys, of which some may remain
unprocessed.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from time import sleep
from typing import Any, Final

from coolid.aws.dynamodb.postings import CompletionState, Item, PostingKey, state_item
from coolid.aws.dynamodb_client.boto_transport import translate_errors
from coolid.errors import StoreUnavailable

THREADS: Final = 8
_BATCH: Final = 25
_ATTEMPTS: Final = 10

Postings = Mapping[PostingKey, Item]


class IndexWriter:
    """Writes the table of postings `name` with a low-level boto3 client."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def replace(self, postings: Postings, former: Iterable[PostingKey]) -> None:
        """Put the postings, and delete the former ones that are not among them. Raises `StoreUnavailable`.

        If it fails, some of them may be written. It can be repeated.
        """
        requests = [{"PutRequest": {"Item": item}} for item in postings.values()] + [
            {"DeleteRequest": {"Key": {"term": {"S": term}, "changed": {"S": position}}}}
            for term, position in sorted(set(former) - postings.keys())
        ]
        remaining = iter(requests)
        batches = iter(lambda: list(islice(remaining, _BATCH)), [])
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(self._write, batches))

    def put_state(self, repository: str, state: CompletionState) -> None:
        """Write the state of a repository's index. Raises `StoreUnavailable`."""
        self._write([{"PutRequest": {"Item": state_item(repository, state)}}])

    def _write(self, requests: Sequence[Item]) -> None:
        for attempt in range(_ATTEMPTS):
            with translate_errors():
                answer = self._client.batch_write_item(RequestItems={self._name: requests})
            requests = answer.get("UnprocessedItems", {}).get(self._name, ())
            if not requests:
                return
            sleep(min(0.05 * 2**attempt, 2))
        raise StoreUnavailable("the store repeatedly left part of a batch unwritten")

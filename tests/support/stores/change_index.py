"""The completion of the index by time of change, as two runs of the check function do it."""

from typing import Final

from coolid.aws.dynamodb.changes import DynamoChanges
from coolid.store.store import Store

ALL: Final = 1_000_000


def complete_index(store: Store, *repositories: str) -> None:
    """Complete the index of the repositories if the store is in DynamoDB. Other stores always have all rows in it."""
    if isinstance(store.changes, DynamoChanges):
        for _ in range(2):
            for each in repositories:
                store.changes.complete(each, ALL)

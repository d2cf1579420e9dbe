"""Lists of records and prefixes by Query over the indexes, which are eventually consistent."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from coolid.aws.dynamodb.items import NAMESPACE, key_of, pid_of
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import Record
from coolid.store.prefixes import position_of

BY_REPOSITORY: Final = "ByRepository"
_BATCH_SIZE: Final = 40
"""The number of records of any size that fit into one response of DynamoDB (16 MB)."""


class DynamoLists(DynamoReader):
    """Implements the lists of `coolid.store.store.Store`."""

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """See `Store`. Reads the keys from the index and the records from the table."""
        rows = self._query(
            self._lui_table,
            IndexName=BY_REPOSITORY,
            KeyConditionExpression="repository = :repository AND pid > :after",
            ExpressionAttributeValues={
                ":repository": {"S": repository},
                ":after": {"S": pid_of(repository, after or "")},
            },
            Limit=limit + 1,
        )
        keys = [key_of(row["pid"]) for row in islice(rows, limit + 1)]
        listed = keys[:limit]
        records: dict[str, Record] = {}
        for start in range(0, len(listed), _BATCH_SIZE):
            records |= self.records(repository, listed[start : start + _BATCH_SIZE])
        return [records[key] for key in listed if key in records], listed[-1] if len(keys) > limit else None

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Sequence[Namespace | ProviderPrefix], str | None]:
        """See `Store`. `after` has the form `KIND NAME`."""
        kind, _, name = after.partition(" ") if after else (NAMESPACE, "", "")
        found = list(islice(self._prefixes_after(kind, name, limit + 1), limit + 1))
        listed = found[:limit]
        last = listed[-1] if len(found) > limit else None
        return listed, position_of(last) if last else None

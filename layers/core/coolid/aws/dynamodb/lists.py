"""The listing half of the store: Query over the indexes by repository and by kind.

An index lags behind its table a little.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from coolid.aws.dynamodb.items import NAMESPACE, pid_of
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import Record
from coolid.store.reader import position_of

BY_REPOSITORY: Final = "ByRepository"
_AT_ONCE: Final = 40
"""Records that DynamoDB gives in one answer (16 MB) however large they are."""


class DynamoLists(DynamoReader):
    """What of `coolid.store.store.Store` lists things."""

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """As of `Store`: the keys from the index, the records from the table."""
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
        keys = [row["pid"].partition("/")[2] for row in islice(rows, limit + 1)]
        listed = keys[:limit]
        records: dict[str, Record] = {}
        for start in range(0, len(listed), _AT_ONCE):
            records |= self.records(repository, listed[start : start + _AT_ONCE])
        return [records[key] for key in listed if key in records], listed[-1] if len(keys) > limit else None

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Sequence[Namespace | ProviderPrefix], str | None]:
        """As of `Store`; one goes on behind `KIND NAME`."""
        kind, _, name = after.partition(" ") if after else (NAMESPACE, "", "")
        found = list(islice(self._prefixes_behind(kind, name, limit + 1), limit + 1))
        listed = found[:limit]
        last = listed[-1] if len(found) > limit else None
        return listed, position_of(last) if last else None

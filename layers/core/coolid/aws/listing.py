"""The listing half of the store: Query over the histories of records, and over the indexes by repository and by kind.

An index lags behind its table a little; histories are read from the table itself, consistently.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from coolid.aws.items import NAMESPACE, PROVIDER, pid_of, prefix_of, record_of
from coolid.aws.reading import DynamoReader
from coolid.domain.prefixes import Namespace, ProviderPrefix, position_of
from coolid.domain.records import Record

BY_REPOSITORY: Final = "ByRepository"
BY_KIND: Final = "ByKind"
_AT_ONCE: Final = 40
"""Records that DynamoDB gives in one answer (16 MB) however large they are."""
_KINDS: Final = (NAMESPACE, PROVIDER)


class DynamoLister(DynamoReader):
    """What of `coolid.domain.stores.Store` lists things."""

    def history(self, repository: str, key: str) -> Sequence[Record]:
        """As of `Store`."""
        rows = self._query(
            self._lui_table,
            KeyConditionExpression="pid = :pid",
            ExpressionAttributeValues={":pid": {"S": pid_of(repository, key)}},
            ConsistentRead=True,
        )
        # A change that is written meanwhile may show what was the current version a second time, under its number.
        records = {record.version: record for record in (record_of(row["body"], row.get("author")) for row in rows)}
        return [records[version] for version in sorted(records, reverse=True)]

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

    def _prefixes_behind(self, kind: str, name: str, at_once: int) -> Iterator[Namespace | ProviderPrefix]:
        for each in _KINDS[_KINDS.index(kind) :] if kind in _KINDS else ():
            rows = self._query(
                self._prefix_table,
                IndexName=BY_KIND,
                KeyConditionExpression="kind = :kind AND #name > :name",
                ExpressionAttributeNames={"#name": "name"},
                ExpressionAttributeValues={":kind": {"S": each}, ":name": {"S": (name if each == kind else "") or " "}},
                Limit=at_once,
            )
            for row in rows:
                prefix = prefix_of(row)
                if isinstance(prefix, Namespace | ProviderPrefix):
                    yield prefix

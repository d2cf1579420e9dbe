"""The reading half of the store: GetItem and BatchGetItem over the prefix and LUI tables, and Query for what lists.

This is all of DynamoDB that a redirect needs, and what lists for everybody; the writing half is `coolid.aws.dynamodb.store`.
"""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from time import monotonic
from typing import Any, Final

from msgspec.json import decode

from coolid.aws.dynamodb.items import CURRENT, KEYS, NAMESPACE, PROVIDER, own_record, pid_of, prefix_of, record_of
from coolid.aws.dynamodb_client.transport import Transport
from coolid.errors import StoreUnavailable
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.records import Record
from coolid.store.reader import Prefixes

BATCH_PATIENCE: Final = 0.2
"""Seconds after which the rest of a batch that comes in parts is no longer asked for."""

BY_KIND: Final = "ByKind"
"""The index of the prefix table by which prefixes are listed."""

_BATCH_ROUNDS: Final = 4
_KINDS: Final = (NAMESPACE, PROVIDER)
_BESIDE: Final = ("author", "health", "write_token")
"""The attributes of a record's row beside its text."""


class DynamoReader:
    """Implements `coolid.store.reader.Reader` by asking."""

    def __init__(self, asker: Transport, prefix_table: str, lui_table: str) -> None:
        self._asker = asker
        self._prefix_table = prefix_table
        self._lui_table = lui_table

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """As of `Reader`."""
        keys = [{"name": {"S": name}} for name in dict.fromkeys(names)]
        rows = self._batch(self._prefix_table, keys, consistent=consistent)
        found = (prefix_of(plain_row(row)) for row in rows)
        return {prefix.name: prefix for prefix in found if prefix}

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """As of `Reader`: one GetItem."""
        item = self._item(self._lui_table, _row(repository, key, CURRENT), consistent=consistent)
        return _record(item) if item is not None else None

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """As of `Reader`."""
        by_pid = {pid_of(repository, key): key for key in keys}
        rows = self._batch(
            self._lui_table, [_row(repository, key, CURRENT) for key in by_pid.values()], consistent=False
        )
        return {by_pid[row["pid"]["S"]]: _record(row) for row in rows}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """As of `Reader`: one GetItem, consistent, for whoever knows of a later version asks for one that there is."""
        if version < 1:  # under that number stands the current version
            return None
        item = self._item(self._lui_table, _row(repository, key, version), consistent=True)
        return _record(item) if item is not None else None

    def all_prefixes(self) -> Prefixes:
        """As of `Reader`: a Query for each kind, or more where the answers are large."""
        return tuple(self._prefixes_behind(NAMESPACE, ""))

    def history(self, repository: str, key: str, newest: int | None = None) -> Sequence[Record]:
        """As of `Reader`: one Query, or more where the versions are larger than an answer of DynamoDB can be (1 MB).

        Of the newest, one answer of a Query, and a GetItem where that does not go down to the current one.
        """
        if newest is not None:
            return self._newest(repository, key, newest)
        rows = self._query(
            self._lui_table,
            KeyConditionExpression="pid = :pid",
            ExpressionAttributeValues={":pid": {"S": pid_of(repository, key)}},
            ConsistentRead=True,
        )
        # A change that is written meanwhile may show what was the current version a second time, under its number.
        records = {record.version: record for record in (record_of(row["body"], row.get("author")) for row in rows)}
        return [records[version] for version in sorted(records, reverse=True)]

    def _newest(self, repository: str, key: str, most: int) -> Sequence[Record]:
        versions = self._downwards(repository, key, most)
        if not versions:
            return []
        current = versions.pop(CURRENT, None) or self.record(repository, key, consistent=True)
        if current is None:
            raise StoreUnavailable("the store has older versions without a current one")
        if max(versions, default=0) < current.version - 1:  # it was changed while it was read: there would be a gap
            versions = self._downwards(repository, key, most)
        older = [versions[number] for number in sorted(versions, reverse=True) if CURRENT < number < current.version]
        return [current, *older][:most]

    def _downwards(self, repository: str, key: str, most: int) -> dict[int, Record]:
        """At most so many versions by the numbers that they stand under, from the highest, within an answer's size."""
        pid = pid_of(repository, key)
        asked = {
            "TableName": self._lui_table,
            "KeyConditionExpression": "pid = :pid",
            "ExpressionAttributeValues": {":pid": {"S": pid}},
            "ConsistentRead": True,
            "ScanIndexForward": False,
            "Limit": most,
        }
        rows = [plain_row(item) for item in self._asker.call("Query", asked)["Items"]]
        if any(row.get("pid") != pid for row in rows):
            raise StoreUnavailable("the store answered another question")
        return {row["version"]: record_of(row["body"], row.get("author")) for row in rows}

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """As of `Reader`: one Query."""
        rows = self._query(
            self._lui_table, KeyConditionExpression="pid = :pid", ExpressionAttributeValues={":pid": {"S": KEYS}}
        )
        bodies = [decode(row["body"]) for row in sorted(rows, key=itemgetter("revision", "version"))]
        keys = [key for body in bodies for key in (body if isinstance(body, list) else [body])]
        return tuple({key["kid"]: key for key in keys}.values())

    def item(self, table: str, key: Mapping[str, Any], *, consistent: bool = False) -> dict[str, Any] | None:
        """One item in plain Python types, or None."""
        item = self._item(table, key, consistent=consistent)
        return plain_row(item) if item is not None else None

    def _item(self, table: str, key: Mapping[str, Any], *, consistent: bool) -> Mapping[str, Any] | None:
        """The same as DynamoDB gives it."""
        asked = {"TableName": table, "Key": key, "ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"}
        item: Mapping[str, Any] | None = self._asker.call("GetItem", asked).get("Item")
        if item is not None and any(item.get(name) != value for name, value in key.items()):
            raise StoreUnavailable("the store answered another question")
        return item

    def _query(self, table: str, **asked: Any) -> Iterator[Mapping[str, Any]]:
        """The items of a Query in plain Python types, page by page as they are taken."""
        start: dict[str, Any] = {}
        while True:
            answer = self._asker.call("Query", {"TableName": table, **asked, **start})
            for item in answer["Items"]:
                yield plain_row(item)
            if not answer.get("LastEvaluatedKey"):
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _prefixes_behind(self, kind: str, name: str, most: int | None = None) -> Iterator[Namespace | ProviderPrefix]:
        """Those behind a position in the list of all, at most so many in an answer of the store's."""
        limit = {} if most is None else {"Limit": most}
        for each in _KINDS[_KINDS.index(kind) :] if kind in _KINDS else ():
            rows = self._query(
                self._prefix_table,
                IndexName=BY_KIND,
                KeyConditionExpression="kind = :kind AND #name > :name",
                ExpressionAttributeNames={"#name": "name"},
                ExpressionAttributeValues={":kind": {"S": each}, ":name": {"S": (name if each == kind else "") or " "}},
                **limit,
            )
            for row in rows:
                prefix = prefix_of(row)
                if isinstance(prefix, Namespace | ProviderPrefix):
                    yield prefix

    def _batch(self, table: str, keys: list[dict[str, Any]], *, consistent: bool) -> Iterator[dict[str, Any]]:
        """The items of one BatchGetItem; one that comes back in parts is asked for again, a few times."""
        if not keys:
            return
        asked = {table: {"Keys": keys, "ConsistentRead": consistent}}
        named = next(iter(keys[0]))
        names = {key[named]["S"] for key in keys}
        until = monotonic() + BATCH_PATIENCE
        for _ in range(_BATCH_ROUNDS):
            answer = self._asker.call("BatchGetItem", {"RequestItems": asked})
            asked = answer.get("UnprocessedKeys", {})
            if table not in answer["Responses"] and table not in asked:
                raise StoreUnavailable("the store's answer lacks the table")
            for item in answer["Responses"].get(table, ()):
                if item.get(named, {}).get("S") not in names:
                    raise StoreUnavailable("the store answered another question")
                yield item
            if not asked:
                return
            if monotonic() > until:
                break
        raise StoreUnavailable("the store kept leaving out part of a batch")


def _record(item: Mapping[str, Any]) -> Record:
    try:
        author, health, token = (item[name]["S"] if name in item else None for name in _BESIDE)
        return own_record(item["body"]["S"], author, health, token)
    except KeyError as error:
        raise StoreUnavailable("the store gave a row that is none") from error


def _row(repository: str, key: str, version: int) -> dict[str, Any]:
    return {"pid": {"S": pid_of(repository, key)}, "version": {"N": str(version)}}


def plain_row(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item in plain Python types; `StoreUnavailable` if it has others."""
    try:
        return {name: plain(value) for name, value in item.items()}
    except ValueError as error:
        raise StoreUnavailable("the store gave a row that is none") from error


def plain(value: Mapping[str, Any]) -> Any:
    """A value of a DynamoDB item as Python has it; only the types that our rows use.

    >>> plain({"S": "x"}), plain({"N": "3"}), plain({"SS": ["a"]})
    ('x', 3, ['a'])
    """
    ((kind, content),) = value.items()
    return int(content) if kind == "N" else content

"""Reads of the prefix and LUI tables by GetItem, BatchGetItem and Query.

Redirects and public lists need nothing else of the store. Writes are in `coolid.aws.dynamodb.store`.
"""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from time import monotonic
from typing import Any, Final

from msgspec.json import decode

from coolid.aws.dynamodb.items import (
    CURRENT,
    KEYS,
    NAMESPACE,
    PROVIDER,
    key_of,
    pid_of,
    prefix_of,
    record_of,
    stored_record,
)
from coolid.aws.dynamodb_client.transport import Transport
from coolid.errors import StoreUnavailable
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.records import Record
from coolid.store.prefixes import Prefixes

BATCH_TIMEOUT_SECONDS: Final = 0.2
"""The time after which the unprocessed keys of a batch are not requested again."""

BY_KIND: Final = "ByKind"
"""The index of the prefix table for lists of prefixes."""

_BATCH_ROUNDS: Final = 4
_KINDS: Final = (NAMESPACE, PROVIDER)
_SIDE_ATTRIBUTES: Final = ("author", "health", "write_token")
"""The attributes of a record's row besides its body."""


class DynamoReader:
    """Implements `coolid.store.reader.Reader` with a transport."""

    def __init__(self, transport: Transport, prefix_table: str, lui_table: str) -> None:
        self._transport = transport
        self._prefix_table = prefix_table
        self._lui_table = lui_table

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """See `Reader`."""
        keys = [{"name": {"S": name}} for name in dict.fromkeys(names)]
        rows = self._batch(self._prefix_table, keys, consistent=consistent)
        found = (prefix_of(plain_row(row)) for row in rows)
        return {prefix.name: prefix for prefix in found if prefix}

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """See `Reader`. Takes one GetItem."""
        item = self._item(self._lui_table, _row(repository, key, CURRENT), consistent=consistent)
        return _record(item) if item is not None else None

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """See `Reader`."""
        by_pid = {pid_of(repository, key): key for key in keys}
        rows = self._batch(
            self._lui_table, [_row(repository, key, CURRENT) for key in by_pid.values()], consistent=False
        )
        return {by_pid[row["pid"]["S"]]: _record(row) for row in rows}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """See `Reader`. Takes one GetItem, consistent because the caller has seen a later version."""
        if version < 1:  # number 0 is the current version
            return None
        item = self._item(self._lui_table, _row(repository, key, version), consistent=True)
        return _record(item) if item is not None else None

    def all_prefixes(self) -> Prefixes:
        """See `Reader`. Takes a Query for each kind, or more for large responses."""
        return tuple(self._prefixes_after(NAMESPACE, ""))

    def history(self, repository: str, key: str, newest: int | None = None) -> Sequence[Record]:
        """See `Reader`. Takes one Query, or more if the versions exceed a page (1 MB).

        With `newest`, takes one page of a Query, and a GetItem if that does not include the current version.
        """
        if newest is not None:
            return self._newest(repository, key, newest)
        rows = self._query(
            self._lui_table,
            KeyConditionExpression="pid = :pid",
            ExpressionAttributeValues={":pid": {"S": pid_of(repository, key)}},
            ConsistentRead=True,
        )
        # During a concurrent change, the earlier current version may appear twice: as 0 and under its number.
        found = (record_of(row["body"], row.get("author"), key) for row in rows)
        records = {record.version: record for record in found}
        return [records[version] for version in sorted(records, reverse=True)]

    def _newest(self, repository: str, key: str, limit: int) -> Sequence[Record]:
        versions = self._descending_page(repository, key, limit)
        if not versions:
            return []
        current = versions.pop(CURRENT, None) or self.record(repository, key, consistent=True)
        if current is None:
            raise StoreUnavailable("the store has older versions without a current one")
        if max(versions, default=0) < current.version - 1:  # a concurrent change left a gap
            versions = self._descending_page(repository, key, limit)
        older = [versions[number] for number in sorted(versions, reverse=True) if CURRENT < number < current.version]
        return [current, *older][:limit]

    def _descending_page(self, repository: str, key: str, limit: int) -> dict[int, Record]:
        """Return one page of versions by their range keys, from the highest."""
        pid = pid_of(repository, key)
        request = {
            "TableName": self._lui_table,
            "KeyConditionExpression": "pid = :pid",
            "ExpressionAttributeValues": {":pid": {"S": pid}},
            "ConsistentRead": True,
            "ScanIndexForward": False,
            "Limit": limit,
        }
        rows = [plain_row(item) for item in self._transport.call("Query", request)["Items"]]
        if any(row.get("pid") != pid for row in rows):
            raise StoreUnavailable("the store answered another question")
        return {row["version"]: record_of(row["body"], row.get("author"), key) for row in rows}

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """See `Reader`. Takes one Query."""
        rows = self._query(
            self._lui_table, KeyConditionExpression="pid = :pid", ExpressionAttributeValues={":pid": {"S": KEYS}}
        )
        bodies = [decode(row["body"]) for row in sorted(rows, key=itemgetter("revision", "version"))]
        keys = [key for body in bodies for key in (body if isinstance(body, list) else [body])]
        return tuple({key["kid"]: key for key in keys}.values())

    def item(self, table: str, key: Mapping[str, Any], *, consistent: bool = False) -> dict[str, Any] | None:
        """Return an item in plain Python types, or None."""
        item = self._item(table, key, consistent=consistent)
        return plain_row(item) if item is not None else None

    def _item(self, table: str, key: Mapping[str, Any], *, consistent: bool) -> Mapping[str, Any] | None:
        """Return an item in DynamoDB's types, or None."""
        request = {"TableName": table, "Key": key, "ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"}
        item: Mapping[str, Any] | None = self._transport.call("GetItem", request).get("Item")
        if item is not None and any(item.get(name) != value for name, value in key.items()):
            raise StoreUnavailable("the store answered another question")
        return item

    def _query(self, table: str, **request: Any) -> Iterator[Mapping[str, Any]]:
        """Yield the items of a Query in plain Python types. Fetch pages as they are needed."""
        start: dict[str, Any] = {}
        while True:
            answer = self._transport.call("Query", {"TableName": table, **request, **start})
            for item in answer["Items"]:
                yield plain_row(item)
            if not answer.get("LastEvaluatedKey"):
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _prefixes_after(
        self, kind: str, name: str, page_size: int | None = None
    ) -> Iterator[Namespace | ProviderPrefix]:
        """Yield the prefixes after a position in the list of all. `page_size` limits one response of DynamoDB."""
        limit = {} if page_size is None else {"Limit": page_size}
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
        """Yield the items of one BatchGetItem. Request unprocessed keys again, a few times."""
        if not keys:
            return
        request = {table: {"Keys": keys, "ConsistentRead": consistent}}
        key_name = next(iter(keys[0]))
        names = {key[key_name]["S"] for key in keys}
        deadline = monotonic() + BATCH_TIMEOUT_SECONDS
        for _ in range(_BATCH_ROUNDS):
            answer = self._transport.call("BatchGetItem", {"RequestItems": request})
            request = answer.get("UnprocessedKeys", {})
            if table not in answer["Responses"] and table not in request:
                raise StoreUnavailable("the store's answer lacks the table")
            for item in answer["Responses"].get(table, ()):
                if item.get(key_name, {}).get("S") not in names:
                    raise StoreUnavailable("the store answered another question")
                yield item
            if not request:
                return
            if monotonic() > deadline:
                break
        raise StoreUnavailable("the store kept leaving out part of a batch")


def _record(item: Mapping[str, Any]) -> Record:
    try:
        author, health, token = (item[name]["S"] if name in item else None for name in _SIDE_ATTRIBUTES)
        return stored_record(item["body"]["S"], author, health, token, key_of(item["pid"]["S"]))
    except KeyError as error:
        raise StoreUnavailable("the store gave a row that is none") from error


def _row(repository: str, key: str, version: int) -> dict[str, Any]:
    return {"pid": {"S": pid_of(repository, key)}, "version": {"N": str(version)}}


def plain_row(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item in plain Python types. Raise `StoreUnavailable` for an item that is malformed."""
    try:
        return {name: plain(value) for name, value in item.items()}
    except ValueError as error:
        raise StoreUnavailable("the store gave a row that is none") from error


def plain(value: Mapping[str, Any]) -> Any:
    """Return a value of a DynamoDB item as a Python value. Supports the types that the tables use.

    >>> plain({"S": "x"}), plain({"N": "3"}), plain({"SS": ["a"]})
    ('x', 3, ['a'])
    """
    ((kind, content),) = value.items()
    return int(content) if kind == "N" else content

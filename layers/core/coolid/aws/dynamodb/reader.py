"""The reads of prefixes, records and public keys. Redirects and public lists need nothing else of the store."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Final

from msgspec.json import decode

from coolid.aws.dynamodb.table_reader import Key, TableReader, plain_row
from coolid.aws.dynamodb_client.transport import Transport
from coolid.errors import StoreUnavailable
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.model.records import Record
from coolid.store.prefixes import Prefixes, position_of
from coolid.store.reader import StoreReader
from coolid.store.rows import (
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

BY_KIND: Final = "ByKind"
"""The index of the prefix table for lists of prefixes."""
BY_REPOSITORY: Final = "ByRepository"
"""The index of the LUI table for lists of records."""

_KINDS: Final = (NAMESPACE, PROVIDER)
_SIDE_ATTRIBUTES: Final = ("author", "health", "write_token")
"""The attributes of a record's row besides its body."""
LIST_BATCH_SIZE: Final = 40
"""The number of records of any size that fit into one response of DynamoDB (16 MB)."""


class DynamoPrefixReader:
    """Implements `PrefixReader`, and the list of `PrefixStore`."""

    def __init__(self, reader: TableReader, table: str) -> None:
        self._reader = reader
        self._table = table

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """See `PrefixReader`. Takes one BatchGetItem."""
        keys = [{"name": {"S": name}} for name in dict.fromkeys(names)]
        items = self._reader.items(self._table, keys, consistent=consistent)
        found = (prefix_of(plain_row(item)) for item in items)
        return {prefix.name: prefix for prefix in found if prefix}

    def all_prefixes(self) -> Prefixes:
        """See `PrefixReader`. Takes a Query for each kind, or more for large responses."""
        return tuple(self.prefixes_after())

    def list_prefixes(self, limit: int, after: str | None) -> tuple[Prefixes, str | None]:
        """See `PrefixStore`. `after` has the form `KIND NAME`."""
        kind, _, name = after.partition(" ") if after else (NAMESPACE, "", "")
        found = list(islice(self.prefixes_after(kind, name, limit + 1), limit + 1))
        listed = found[:limit]
        return listed, position_of(listed[-1]) if len(found) > limit else None

    def prefixes_after(
        self, kind: str = NAMESPACE, name: str = "", page_size: int | None = None
    ) -> Iterator[Namespace | ProviderPrefix]:
        """Yield the prefixes after a position in the list of all. `page_size` limits one response of DynamoDB."""
        limit = {} if page_size is None else {"Limit": page_size}
        for each in _KINDS[_KINDS.index(kind) :] if kind in _KINDS else ():
            rows = self._reader.rows(
                self._table,
                IndexName=BY_KIND,
                KeyConditionExpression="kind = :kind AND #name > :name",
                ExpressionAttributeNames={"#name": "name"},
                ExpressionAttributeValues={":kind": {"S": each}, ":name": {"S": (name if each == kind else "") or " "}},
                **limit,
            )
            for prefix in map(prefix_of, rows):
                if isinstance(prefix, Namespace | ProviderPrefix):
                    yield prefix


class DynamoRecordReader:
    """Implements `RecordReader`, and the list of `RecordStore`."""

    def __init__(self, reader: TableReader, table: str) -> None:
        self._reader = reader
        self._table = table

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """See `RecordReader`. Takes one GetItem."""
        item = self._reader.item(self._table, row_key(repository, key, CURRENT), consistent=consistent)
        return record_of_item(item) if item is not None else None

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """See `RecordReader`. Takes one BatchGetItem."""
        row_keys = [row_key(repository, key, CURRENT) for key in dict.fromkeys(keys)]
        records = map(record_of_item, self._reader.items(self._table, row_keys, consistent=False))
        return {record.key: record for record in records}

    def versions(self, repository: str, places: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Record]:
        """Return the existing versions among some keys and numbers, 0 for the current one. Takes one BatchGetItem."""
        keys = [row_key(repository, key, version) for key, version in places]
        items = self._reader.items(self._table, keys, consistent=False)
        return {(key_of(item["pid"]["S"]), int(item["version"]["N"])): record_of_item(item) for item in items}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """See `RecordReader`. Takes one GetItem, consistent because the caller has seen a later version."""
        if version < 1:  # number 0 is the current version
            return None
        item = self._reader.item(self._table, row_key(repository, key, version), consistent=True)
        return record_of_item(item) if item is not None else None

    def history(self, repository: str, key: str, newest: int) -> Sequence[Record]:
        """See `RecordReader`. Takes one page of a Query, and a GetItem if that does not include the current version."""
        versions = self._descending_page(repository, key, newest)
        if not versions:
            return []
        current = versions.pop(CURRENT, None) or self.record(repository, key, consistent=True)
        if current is None:
            raise StoreUnavailable("the store has older versions without a current one")
        if max(versions, default=0) < current.version - 1:  # a concurrent change left a gap
            versions = self._descending_page(repository, key, newest)
        older = [versions[number] for number in sorted(versions, reverse=True) if CURRENT < number < current.version]
        return [current, *older][:newest]

    def _descending_page(self, repository: str, key: str, limit: int) -> dict[int, Record]:
        """Return one page of versions by their range keys, from the highest."""
        pid = pid_of(repository, key)
        rows = self._page(pid, _versions_query(pid) | {"ScanIndexForward": False, "Limit": limit})
        return {row["version"]: record_of(row["body"], row.get("author"), pid) for row in rows}

    def _page(self, pid: str, query: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Return one page of the rows of a record."""
        rows = [plain_row(item) for item in self._reader.call("Query", {"TableName": self._table, **query})["Items"]]
        if any(row.get("pid") != pid for row in rows):
            raise StoreUnavailable("the store returned an item that was not requested")
        return rows

    def superseded_between(
        self, repository: str, key: str, first: int, last: int, limit: int, *, descending: bool = False
    ) -> Sequence[Record]:
        """See `RecordReader`. Takes one page of a Query."""
        first = max(first, CURRENT + 1)
        if first > last:  # DynamoDB refuses such a range
            return []
        pid = pid_of(repository, key)
        query = _versions_query(pid)
        query["KeyConditionExpression"] += " AND #version BETWEEN :first AND :last"
        query["ExpressionAttributeNames"] = {"#version": "version"}
        query["ExpressionAttributeValues"] |= {":first": {"N": str(first)}, ":last": {"N": str(last)}}
        rows = self._page(pid, query | {"ScanIndexForward": not descending, "Limit": limit})
        if any(not first <= row["version"] <= last for row in rows):
            raise StoreUnavailable("the store returned an item that was not requested")
        return [record_of(row["body"], row.get("author"), pid) for row in rows]

    def list_records(self, repository: str, limit: int, after: str | None) -> tuple[Sequence[Record], str | None]:
        """See `RecordStore`. Reads the keys from the index and the records from the table."""
        rows = self._reader.rows(
            self._table,
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
        for start in range(0, len(listed), LIST_BATCH_SIZE):
            records |= self.records(repository, listed[start : start + LIST_BATCH_SIZE])
        return [records[key] for key in listed if key in records], listed[-1] if len(keys) > limit else None


class DynamoPublicKeyReader:
    """Implements `PublicKeyReader`."""

    def __init__(self, reader: TableReader, lui_table: str) -> None:
        self._reader = reader
        self._table = lui_table

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """See `PublicKeyReader`. Takes one Query."""
        rows = self._reader.rows(
            self._table, KeyConditionExpression="pid = :pid", ExpressionAttributeValues={":pid": {"S": KEYS}}
        )
        bodies = [decode(row["body"]) for row in sorted(rows, key=itemgetter("revision", "version"))]
        keys = [key for body in bodies for key in (body if isinstance(body, list) else [body])]
        return tuple({key["kid"]: key for key in keys}.values())


class DynamoReader(StoreReader):
    """Implements `Reader` by the three readers above."""

    def __init__(self, transport: Transport, prefix_table: str, lui_table: str) -> None:
        reader = TableReader(transport)
        super().__init__(
            DynamoPrefixReader(reader, prefix_table),
            DynamoRecordReader(reader, lui_table),
            DynamoPublicKeyReader(reader, lui_table),
        )


def record_of_item(item: Mapping[str, Any]) -> Record:
    """Return the record of a row in DynamoDB's JSON. Raises `StoreUnavailable` if it is malformed."""
    try:
        author, health, token = [item[name]["S"] if name in item else None for name in _SIDE_ATTRIBUTES]
        return stored_record(item["body"]["S"], author, health, token, item["pid"]["S"])
    except KeyError as error:
        raise StoreUnavailable("the store returned a malformed row") from error


def row_key(repository: str, key: str, version: int) -> Key:
    """Return the primary key of a version's row."""
    return {"pid": {"S": pid_of(repository, key)}, "version": {"N": str(version)}}


def _versions_query(pid: str) -> dict[str, Any]:
    return {
        "KeyConditionExpression": "pid = :pid",
        "ExpressionAttributeValues": {":pid": {"S": pid}},
        "ConsistentRead": True,
    }

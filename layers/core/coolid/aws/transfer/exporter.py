"""An exporter, which reads the tables as the lines of `coolid.aws.transfer.export_format`.

Lists are read page by page in the order of the indexes, records in batches with consistent reads. Memory is bounded,
and the same state gives the same bytes. Clients and idempotency records are not exported: they belong to one system.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from time import sleep
from typing import Any, Final

import orjson

from coolid.aws.dynamodb.reader import BY_KIND, BY_REPOSITORY, DynamoPrefixReader, DynamoPublicKeyReader
from coolid.aws.dynamodb.table_reader import TableReader, plain_row
from coolid.aws.dynamodb_client.transport import Transport
from coolid.aws.settings import Settings
from coolid.aws.transfer.export_format import COUNTER, KEYS, PREFIX, RECORD, REPOSITORY, export_lines
from coolid.errors import StoreUnavailable
from coolid.model.repositories import Repository
from coolid.store.rows import (
    CURRENT,
    pid_of,
    prefix_body,
    prefix_kind,
    repository_body,
    repository_of,
    side_members,
)

_BATCH: Final = 100
_MAX_ATTEMPTS: Final = 30

Row = Mapping[str, Any]


class Exporter:
    """Reads the tables that the settings name."""

    def __init__(self, transport: Transport, settings: Settings) -> None:
        self._transport = transport
        self._reader = TableReader(transport)
        self._prefix_table = settings.prefix_table
        self._lui_table = settings.lui_table
        self._counter_table = settings.counter_table

    def lines(self) -> Iterator[bytes]:
        """Return the lines of the export. Raises `StoreUnavailable`."""
        return export_lines(self._documents())

    def _documents(self) -> Iterator[dict[str, Any]]:
        yield {"kind": KEYS, "keys": DynamoPublicKeyReader(self._reader, self._lui_table).public_keys()}
        for repository in self._repositories():
            body = orjson.Fragment(repository_body(repository))
            members = {"id": repository.id, "canonical": repository.canonical, "body": body}
            yield {"kind": REPOSITORY, **members, **side_members(repository)}
        for prefix in DynamoPrefixReader(self._reader, self._prefix_table).prefixes_after():
            yield {
                "kind": PREFIX,
                "name": prefix.name,
                "type": prefix_kind(prefix),
                "revision": prefix.revision,
                "body": orjson.Fragment(prefix_body(prefix)),
                **side_members(prefix),
            }
        for repository in self._repositories():
            yield from self._records(repository.id)
        for repository in self._repositories():  # after the records, so that each counter is beyond their numbers
            counter = self._reader.row(self._counter_table, {"id": {"S": repository.id}})
            if counter is not None:
                yield {"kind": COUNTER, "id": repository.id, "next": counter["next_number"]}

    def _repositories(self) -> Iterator[Repository]:
        rows = self._reader.rows(
            self._prefix_table,
            IndexName=BY_KIND,
            KeyConditionExpression="kind = :kind",
            ExpressionAttributeValues={":kind": {"S": "repository"}},
        )
        return (repository_of(row["body"], row.get("canonical"), row) for row in rows)

    def _records(self, repository: str) -> Iterator[dict[str, Any]]:
        listed = self._reader.rows(
            self._lui_table,
            IndexName=BY_REPOSITORY,
            KeyConditionExpression="repository = :repository",
            ExpressionAttributeValues={":repository": {"S": repository}},
        )
        while pids := [row["pid"] for row in islice(listed, _BATCH)]:
            current = self._rows([(pid, CURRENT) for pid in pids])
            older = self._superseded([(row["pid"], row["revision"]) for row in current])
            for row in current:
                for version in range(1, row["revision"]):
                    yield _record_line(next(older), repository, version)
                yield _record_line(row, repository, row["revision"])

    def _superseded(self, current: Sequence[tuple[str, int]]) -> Iterator[Row]:
        """Return the superseded versions of records, given their current numbers; in order, oldest first."""
        keys = ((pid, version) for pid, newest in current for version in range(1, newest))
        while batch := list(islice(keys, _BATCH)):
            yield from self._rows(batch)

    def _rows(self, keys: Sequence[tuple[str, int]]) -> list[Row]:
        """Return the rows with these keys, in order. All exist, because rows of this table are never deleted."""
        requested: Any = {
            self._lui_table: {
                "Keys": [{"pid": {"S": pid}, "version": {"N": str(version)}} for pid, version in keys],
                "ConsistentRead": True,
            }
        }
        rows: dict[tuple[str, int], Row] = {}
        for attempt in range(_MAX_ATTEMPTS):
            answer = self._transport.call("BatchGetItem", {"RequestItems": requested})
            for item in answer["Responses"].get(self._lui_table, ()):
                row = plain_row(item)
                rows[row["pid"], row["version"]] = row
            requested = answer.get("UnprocessedKeys")
            if not requested:
                break
            sleep(min(0.05 * 2**attempt, 2))
        missing = [pid_of(pid, str(version)) for pid, version in keys if (pid, version) not in rows]
        if missing:
            raise StoreUnavailable(f"the store leaves out {len(missing)} rows, among them {missing[0]}")
        return [rows[key] for key in keys]


def _record_line(row: Row, repository: str, version: int) -> dict[str, Any]:
    return {
        "kind": RECORD,
        "repository": repository,
        "key": row["pid"].removeprefix(pid_of(repository, "")),
        "version": version,
        "author": row.get("author"),
        "record": orjson.Fragment(row["body"]),
    }

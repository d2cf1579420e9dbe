"""A bulk reader of the tables. It reads lists page by page from the indexes, and records in batches from the table.

An export has the order of the index. So the records are read in batches of this order, several at a time, and not by a
parallel scan. At most `THREADS` batches are in memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from time import sleep
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import json

from coolid.aws.dynamodb.bulk_writer import record_row_of
from coolid.aws.dynamodb.reader import BY_KIND, BY_REPOSITORY
from coolid.aws.dynamodb.table_reader import TableReader, plain_row
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.parallel_calls import stream_parallel
from coolid.aws.settings import Settings
from coolid.errors import StoreUnavailable
from coolid.model.repositories import Repository
from coolid.store.bulk import RecordRow
from coolid.store.rows import CURRENT, pid_of, repository_of

_BATCH: Final = 100
_MAX_ATTEMPTS: Final = 30
_MAX_DELAY_SECONDS: Final = 2.0

_Key = tuple[str, int]
"""The PID and version of a row."""


class DynamoBulkReader:
    """Implements `BulkReader` with a low-level boto3 client, for the tables that the settings name."""

    def __init__(self, client: Any, settings: Settings) -> None:
        self._client = client
        self._reader = TableReader(BotoTransport(client))
        self._settings = settings

    def repositories(self) -> Iterator[Repository]:
        """See `BulkReader`."""
        rows = self._reader.rows(
            self._settings.prefix_table,
            IndexName=BY_KIND,
            KeyConditionExpression="kind = :kind",
            ExpressionAttributeValues={":kind": {"S": "repository"}},
        )
        return (repository_of(row["body"], row.get("canonical"), row) for row in rows)

    def record_rows(self, repository_id: str) -> Iterator[RecordRow]:
        """See `BulkReader`. Takes a BatchGetItem for a hundred versions, several of them at a time."""
        listed = self._reader.rows(
            self._settings.lui_table,
            IndexName=BY_REPOSITORY,
            KeyConditionExpression="repository = :repository",
            ExpressionAttributeValues={":repository": {"S": repository_id}},
        )
        keys = ((row["pid"], CURRENT) for row in listed)
        for rows in stream_parallel(self._rows, _batches(keys)):
            current = [_present(row) for row in rows]
            older = self._superseded(current)
            for row in current:
                yield from _whole(chain(islice(older, row.version - 1), [row]))

    def next_number(self, repository_id: str) -> int | None:
        """See `BulkReader`."""
        counter = self._reader.row(self._settings.counter_table, {"id": {"S": repository_id}})
        return None if counter is None else counter["next_number"]

    def estimated_rows(self) -> int | None:
        """See `BulkReader`. DynamoDB counts rows every six hours."""
        tables = self._settings.prefix_table, self._settings.lui_table
        try:
            found = [self._client.describe_table(TableName=name) for name in tables]
        except (BotoCoreError, ClientError):  # only for the progress display, and needs its own permission
            return None
        return sum(each["Table"].get("ItemCount", 0) for each in found) or None

    def _superseded(self, current: Sequence[RecordRow]) -> Iterator[RecordRow | None]:
        """Return the superseded versions of records, given their current ones; in order, oldest first.

        A version that the store lacks is None.
        """
        keys = ((pid_of(row.repository, row.key), version) for row in current for version in range(1, row.version))
        return chain.from_iterable(stream_parallel(self._rows, _batches(keys)))

    def _rows(self, keys: Sequence[_Key]) -> list[RecordRow | None]:
        """Return the rows with these keys, in order, None for those that the store lacks.

        Raises `StoreUnavailable` if the store repeatedly returns none of the rows that remain.
        """
        table = self._settings.lui_table
        requested: Any = {
            table: {
                "Keys": [{"pid": {"S": pid}, "version": {"N": str(version)}} for pid, version in keys],
                "ConsistentRead": True,
            }
        }
        rows: dict[tuple[str, int], RecordRow] = {}
        attempt = 0
        delay = 0.05
        while requested:
            if attempt == _MAX_ATTEMPTS:
                raise StoreUnavailable("the store left keys of a batch unprocessed")
            found = len(rows)
            answer = self._reader.call("BatchGetItem", {"RequestItems": requested})
            for item in answer["Responses"].get(table, ()):
                row = plain_row(item)
                rows[row["pid"], row["version"]] = record_row_of(item)
            requested = answer.get("UnprocessedKeys")
            if requested:
                sleep(delay)
                delay = min(2 * delay, _MAX_DELAY_SECONDS)
                attempt = attempt + 1 if len(rows) == found else 0
        return [rows.get(key) for key in keys]


def _batches(keys: Iterator[_Key]) -> Iterator[Sequence[_Key]]:
    """Yield the keys in batches of one request."""
    while batch := list(islice(keys, _BATCH)):
        yield batch


def _present(row: RecordRow | None) -> RecordRow:
    """Return a row. Raises `StoreUnavailable` for None, because rows of this table are never deleted."""
    if row is None:
        raise StoreUnavailable("the store leaves out a row of the records")
    return row


def _whole(versions: Iterable[RecordRow | None]) -> Iterator[RecordRow]:
    """Yield the versions of a record, the oldest first. Raises `StoreUnavailable` if one is missing.

    Only a copy of another service's record begins with a later version than 1: with the first public one there.
    """
    is_late = has_begun = False
    for version in versions:
        if version is None and not has_begun:
            is_late = True
            continue
        row = _present(version)
        if is_late and not has_begun and json.decode(row.body)["repository"] == row.repository:
            _present(None)
        has_begun = True
        yield row

"""A bulk reader of the tables. It reads lists page by page from the indexes, and records in batches from the table."""

from collections.abc import Iterator, Sequence
from itertools import islice
from time import sleep
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from coolid.aws.dynamodb.bulk_writer import record_row_of
from coolid.aws.dynamodb.reader import BY_KIND, BY_REPOSITORY
from coolid.aws.dynamodb.table_reader import TableReader, plain_row
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.settings import Settings
from coolid.errors import StoreUnavailable
from coolid.model.repositories import Repository
from coolid.store.bulk import RecordRow
from coolid.store.rows import CURRENT, pid_of, repository_of

_BATCH: Final = 100
_MAX_ATTEMPTS: Final = 30


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
        """See `BulkReader`. Takes a BatchGetItem for a hundred versions."""
        listed = self._reader.rows(
            self._settings.lui_table,
            IndexName=BY_REPOSITORY,
            KeyConditionExpression="repository = :repository",
            ExpressionAttributeValues={":repository": {"S": repository_id}},
        )
        while pids := [row["pid"] for row in islice(listed, _BATCH)]:
            current = self._rows([(pid, CURRENT) for pid in pids])
            older = self._superseded(current)
            for row in current:
                yield from islice(older, row.version - 1)
                yield row

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

    def _superseded(self, current: Sequence[RecordRow]) -> Iterator[RecordRow]:
        """Yield the superseded versions of records, given their current ones; in order, oldest first."""
        keys = ((pid_of(row.repository, row.key), version) for row in current for version in range(1, row.version))
        while batch := list(islice(keys, _BATCH)):
            yield from self._rows(batch)

    def _rows(self, keys: Sequence[tuple[str, int]]) -> list[RecordRow]:
        """Return the rows with these keys, in order. All exist, because rows of this table are never deleted."""
        table = self._settings.lui_table
        requested: Any = {
            table: {
                "Keys": [{"pid": {"S": pid}, "version": {"N": str(version)}} for pid, version in keys],
                "ConsistentRead": True,
            }
        }
        rows: dict[tuple[str, int], RecordRow] = {}
        for attempt in range(_MAX_ATTEMPTS):
            answer = self._reader.call("BatchGetItem", {"RequestItems": requested})
            for item in answer["Responses"].get(table, ()):
                row = plain_row(item)
                rows[row["pid"], row["version"]] = record_row_of(item)
            requested = answer.get("UnprocessedKeys")
            if not requested:
                break
            sleep(min(0.05 * 2**attempt, 2))
        missing = [pid_of(pid, str(version)) for pid, version in keys if (pid, version) not in rows]
        if missing:
            raise StoreUnavailable(f"the store leaves out {len(missing)} rows, among them {missing[0]}")
        return [rows[key] for key in keys]

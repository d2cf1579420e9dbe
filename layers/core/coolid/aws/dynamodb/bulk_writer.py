"""A bulk writer, which puts many new rows with few calls.

A transaction takes a hundred conditional puts. It reports the puts whose conditions failed, and is repeated without
them. The rows of a group are all written or none of them is.

DynamoDB limits the rows that it accepts in a second, whatever the number of transactions at a time. So a transaction is
repeated as long as others succeed, and the import ends only if none has for `_MAX_ATTEMPTS` of its attempts.
"""

from collections.abc import Iterator, Mapping, Sequence
from time import sleep
from typing import Any, Final

from coolid.aws.dynamodb_client.boto_transport import translate_errors
from coolid.aws.parallel_calls import stream_parallel
from coolid.errors import StoreUnavailable
from coolid.store.bulk import RecordRow, WriteGroup
from coolid.store.change_positions import body_position, history_attributes
from coolid.store.rows import CURRENT, key_of

MOST_PUTS: Final = 100
MOST_BYTES: Final = 3_500_000
"""DynamoDB accepts 4 MB in one transaction, names and numbers included."""

_CONDITION_FAILED: Final = "ConditionalCheckFailed"
_TRANSIENT: Final = ("TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError", "RequestLimitExceeded")
_MAX_ATTEMPTS: Final = 10
_MAX_DELAY_SECONDS: Final = 2.0

Item = dict[str, Any]
"""A row in DynamoDB's JSON."""
_Batch = list[tuple[WriteGroup, RecordRow]]


class DynamoBulkWriter:
    """Implements `BulkWriter` for the LUI table `name`, with a low-level boto3 client."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name
        self._succeeded = 0

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """See `BulkWriter`. Several transactions are carried out at a time, because groups are independent."""
        for _ in stream_parallel(self._put_batch, self._batches(groups)):
            pass

    def _batches(self, groups: Sequence[WriteGroup]) -> Iterator[_Batch]:
        """Yield the rows of groups in batches of a transaction. Write groups that exceed one, one row after another."""
        batch: _Batch = []
        size = 0
        for group in groups:
            if group.row_count > MOST_PUTS or group.size_bytes > MOST_BYTES:
                self._put_long(group)
                continue
            if len(batch) + group.row_count > MOST_PUTS or size + group.size_bytes > MOST_BYTES:
                yield batch
                batch, size = [], 0
            batch += [(group, row) for row in group]
            size += group.size_bytes
        if batch:
            yield batch

    def _put_long(self, group: WriteGroup) -> None:
        """Write a group that exceeds a transaction, in several of them, unless its last row conflicts."""
        self._compare_last(group)
        batch: _Batch = []
        size = 0
        for row in group:
            if len(batch) == MOST_PUTS or size + row.size_bytes > MOST_BYTES:
                self._put_batch(batch)
                batch, size = [], 0
            if group.conflicts:
                return
            batch.append((group, row))
            size += row.size_bytes
        self._put_batch(batch)

    def _compare_last(self, group: WriteGroup) -> None:
        """Find a conflict of the last row before any row is written, for a group that exceeds a transaction."""
        item = item_of(group.last)
        key = {name: item[name] for name in ("pid", "version")}
        with translate_errors():
            present = self._client.get_item(TableName=self._name, Key=key, ConsistentRead=True).get("Item")
        if present is not None:
            _compare(group, group.last, present)

    def _put_batch(self, batch: _Batch) -> None:
        attempt = 0
        delay = 0.05
        succeeded = self._succeeded
        while batch and attempt < _MAX_ATTEMPTS:
            reasons = self._transact([item_of(row) for _, row in batch])
            if reasons is None:
                self._succeeded += 1  # threads may lose one of their additions, but the number changes
                for group, _ in batch:
                    group.written += 1
                return
            if not any(reason.get("Code") == _CONDITION_FAILED for reason in reasons):
                sleep(delay)
                delay = min(2 * delay, _MAX_DELAY_SECONDS)
                attempt = attempt + 1 if self._succeeded == succeeded else 0
                succeeded = self._succeeded
                continue
            rest = []
            for (group, row), reason in zip(batch, reasons, strict=True):
                if reason.get("Code") == _CONDITION_FAILED:
                    _compare(group, row, reason.get("Item", {}))
                else:
                    rest.append((group, row))
            batch = [(group, row) for group, row in rest if not group.conflicts]
        if batch:
            raise StoreUnavailable("the store rejected the rows repeatedly, because of other writes or its limits")

    def _transact(self, items: Sequence[Item]) -> list[Mapping[str, Any]] | None:
        """Write all items and return None, or none and return each one's reason. Raises `StoreUnavailable`."""
        puts = [
            {
                "Put": {
                    "TableName": self._name,
                    "Item": item,
                    "ConditionExpression": "attribute_not_exists(pid)",
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
            }
            for item in items
        ]
        try:
            with translate_errors():
                self._client.transact_write_items(TransactItems=puts)
        except StoreUnavailable as error:
            answer = getattr(error.__cause__, "response", None) or {}  # None after a broken connection
            reasons: list[Mapping[str, Any]] = answer.get("CancellationReasons", [])
            codes = {reason.get("Code") for reason in reasons}
            if not codes & {_CONDITION_FAILED, *_TRANSIENT}:
                raise
            return reasons
        return None


def item_of(row: RecordRow) -> Item:
    """Return the item of a row: under version 0 if it is current, else under its own number."""
    item: Item = {
        "pid": {"S": row.pid},
        "version": {"N": str(CURRENT if row.is_current else row.version)},
        "status": {"S": row.status},
        "revision": {"N": str(row.version)},
        "body": {"S": row.body},
    }
    position = body_position(row.body, row.key)
    if row.is_current:
        item["repository"] = {"S": row.repository}
        if position:
            item["changed"] = {"S": position}
    else:
        attributes = history_attributes(row.repository, position, row.version)
        item |= {name: {"S": value} for name, value in attributes.items()}
    if row.author is not None:
        item["author"] = {"S": row.author}
    return item


def record_row_of(item: Mapping[str, Any]) -> RecordRow:
    """Return the row of an item, without its locations' health and write token. The inverse of `item_of`.

    Raises `StoreUnavailable` for a malformed item.
    """
    try:
        pid = item["pid"]["S"]
        return RecordRow(
            pid.partition("/")[0],
            key_of(pid),
            int(item["revision"]["N"]),
            item["status"]["S"],
            item["body"]["S"],
            item["author"]["S"] if "author" in item else None,
            item["version"]["N"] == str(CURRENT),
        )
    except (KeyError, ValueError) as error:
        raise StoreUnavailable("the store returned a malformed row") from error


def _compare(group: WriteGroup, row: RecordRow, item: Mapping[str, Any]) -> None:
    """Add the stored item in the place of a row to the conflicts if it differs."""
    present = record_row_of(item)
    if present != row:
        group.conflicts.append(present)

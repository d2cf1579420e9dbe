"""A bulk writer, which puts many new rows with few calls.

A transaction takes a hundred conditional puts. It reports the puts whose conditions failed, and is repeated without
them. The rows of a group are all written or none of them is.
"""

from collections.abc import Iterator, Mapping, Sequence
from tempfile import SpooledTemporaryFile
from time import sleep
from typing import Any, Final
from weakref import finalize

import orjson

from coolid.aws.dynamodb_client.boto_transport import translate_errors
from coolid.errors import StoreUnavailable
from coolid.model.records import Record
from coolid.store.rows import CURRENT, pid_of

MOST_PUTS: Final = 100
MOST_BYTES: Final = 3_500_000
"""DynamoDB accepts 4 MB in one transaction, names and numbers included."""

_CONDITION_FAILED: Final = "ConditionalCheckFailed"
_TRANSIENT: Final = ("TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError", "RequestLimitExceeded")
_MAX_ATTEMPTS: Final = 10

Item = dict[str, Any]
"""A row in DynamoDB's JSON."""


class WriteGroup:
    """Rows to write together, the deciding one last, and the result. Rows beyond `MOST_BYTES` are on the disk.

    `rows` and `size` are the numbers of rows and of their bytes, `last` is the last row. `conflicts` are different rows
    that the table has under the same keys. If there are any, nothing was written; else `written` rows were.
    """

    def __init__(self, *items: Item) -> None:
        self.rows = self.size = self.written = 0
        self.last: Item = {}
        self.conflicts: list[Item] = []
        self._file = SpooledTemporaryFile(MOST_BYTES)  # noqa: SIM115 - closed when the group is freed
        finalize(self, self._file.close)
        for item in items:
            self.add(item)

    def __iter__(self) -> Iterator[Item]:
        self._file.seek(0)
        return map(orjson.loads, self._file)

    def add(self, item: Item) -> None:
        """Add a row."""
        self._file.write(orjson.dumps(item) + b"\n")
        self.rows += 1
        self.size += _size_of(item)
        self.last = item


class BulkWriter:
    """Writes into the table `name`, with a low-level boto3 client."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """Write the groups in order and store the result in each. Raises `StoreUnavailable`.

        Identical rows that the table already has count neither as written nor as conflicts.
        """
        batch: list[tuple[WriteGroup, Item]] = []
        size = 0
        for group in groups:
            if group.rows > MOST_PUTS or group.size > MOST_BYTES:
                self._compare_last(group)
            elif len(batch) + group.rows > MOST_PUTS or size + group.size > MOST_BYTES:
                self._put_batch(batch)
                batch, size = [], 0
            for item in group:
                if len(batch) == MOST_PUTS or size + _size_of(item) > MOST_BYTES:
                    self._put_batch(batch)
                    batch, size = [], 0
                if group.conflicts:
                    break
                batch.append((group, item))
                size += _size_of(item)
        self._put_batch(batch)

    def _compare_last(self, group: WriteGroup) -> None:
        """Find a conflict of the last row before any row is written, for a group that exceeds a transaction."""
        key = {name: group.last[name] for name in ("pid", "version")}
        with translate_errors():
            present = self._client.get_item(TableName=self._name, Key=key, ConsistentRead=True).get("Item")
        if present is not None and _as_exported(present) != group.last:
            group.conflicts.append(present)

    def _put_batch(self, batch: Sequence[tuple[WriteGroup, Item]]) -> None:
        attempt = 0
        while batch and attempt < _MAX_ATTEMPTS:
            reasons = self._transact([item for _, item in batch])
            if reasons is None:
                for group, _ in batch:
                    group.written += 1
                return
            if not any(reason.get("Code") == _CONDITION_FAILED for reason in reasons):
                sleep(min(0.05 * 2**attempt, 2))
                attempt += 1
                continue
            rest = []
            for (group, item), reason in zip(batch, reasons, strict=True):
                if reason.get("Code") != _CONDITION_FAILED:
                    rest.append((group, item))
                elif _as_exported(reason.get("Item", {})) != item:
                    group.conflicts.append(reason.get("Item", {}))
            batch = [(group, item) for group, item in rest if not group.conflicts]
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


def record_row(record: Record, key: str, body: str, *, version: int = CURRENT, author: str | None = None) -> Item:
    """Return the row of a record whose JSON is `body`: the current version, or the superseded one of this number."""
    item: Item = {
        "pid": {"S": pid_of(record.repository, key)},
        "version": {"N": str(version)},
        "status": {"S": record.status},
        "revision": {"N": str(record.version)},
        "body": {"S": body},
    }
    if version == CURRENT:
        item["repository"] = {"S": record.repository}
    if author is not None:
        item["author"] = {"S": author}
    return item


def _as_exported(item: Item) -> Item:
    """Return the item without the attributes that exports omit: its locations' health, and the write token."""
    return {name: value for name, value in item.items() if name not in ("health", "write_token")}


def _size_of(item: Item) -> int:
    """Return the approximate number of bytes of a row."""
    return len(item["body"]["S"].encode()) + 500

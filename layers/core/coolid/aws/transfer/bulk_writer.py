"""A bulk writer, which puts many new rows with few calls.

A transaction takes a hundred conditional puts. It reports the puts whose conditions failed, and is repeated without
them. The rows of a group are all written or none of them is.
"""

from collections.abc import Iterator, Mapping, Sequence
from time import sleep
from typing import Any, Final

from msgspec import Struct

from coolid.aws.dynamodb.items import CURRENT, pid_of
from coolid.aws.dynamodb_client.boto_transport import translate_errors
from coolid.errors import StoreUnavailable
from coolid.model.records import Record

MOST_PUTS: Final = 100
MOST_BYTES: Final = 3_500_000
"""DynamoDB accepts 4 MB in one transaction, names and numbers included."""

_CONDITION_FAILED: Final = "ConditionalCheckFailed"
_TRANSIENT: Final = ("TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError", "RequestLimitExceeded")
_MAX_ATTEMPTS: Final = 10

Item = dict[str, Any]
"""A row in DynamoDB's JSON."""


class WriteGroup(Struct):
    """Rows to write together, the deciding one last, and the result.

    `conflicts` are different rows that the table has under the same keys. If there are any, nothing was written.
    """

    items: list[Item]
    conflicts: tuple[Item, ...] = ()
    written: int = 0

    def size(self) -> int:
        """Return the approximate number of bytes."""
        return sum(len(item["body"]["S"].encode()) + 500 for item in self.items)


class BulkWriter:
    """Writes into the table `name`, with a low-level boto3 client."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """Write the groups in order and store the result in each. Raises `StoreUnavailable`.

        Identical rows that the table already has count neither as written nor as conflicts.
        """
        together: list[WriteGroup] = []
        rows = size = 0
        for group in groups:
            if len(group.items) > MOST_PUTS or group.size() > MOST_BYTES:
                self._put_large_group(group)
                continue
            rows, size = rows + len(group.items), size + group.size()
            if rows > MOST_PUTS or size > MOST_BYTES:
                self._put_groups(together)
                together, rows, size = [], len(group.items), group.size()
            together.append(group)
        self._put_groups(together)

    def _put_large_group(self, group: WriteGroup) -> None:
        """Write a group that exceeds a transaction: its last row decides about conflicts, and is written last."""
        last = group.items[-1]
        key = {name: last[name] for name in ("pid", "version")}
        with translate_errors():
            present = self._client.get_item(TableName=self._name, Key=key, ConsistentRead=True).get("Item")
        if present is not None and _as_exported(present) != last:
            group.conflicts = (present,)
            return
        for part in _parts(group.items):
            self._put_groups([part])
            group.written += part.written
            group.conflicts += part.conflicts
            if group.conflicts:
                return

    def _put_groups(self, groups: Sequence[WriteGroup]) -> None:
        pending = {id(group): (group, list(group.items)) for group in groups}
        attempt = 0
        while attempt < _MAX_ATTEMPTS:
            puts = [(group, item) for group, items in pending.values() for item in items]
            if not puts:
                return
            reasons = self._transact([item for _, item in puts])
            if reasons is None:
                for group, items in pending.values():
                    group.written += len(items)
                return
            if not any(reason.get("Code") == _CONDITION_FAILED for reason in reasons):
                sleep(min(0.05 * 2**attempt, 2))
                attempt += 1
                continue
            for (group, item), reason in zip(puts, reasons, strict=True):
                if reason.get("Code") != _CONDITION_FAILED:
                    continue
                if _as_exported(reason.get("Item", {})) == item:
                    pending[id(group)][1].remove(item)
                else:
                    group.conflicts += (reason.get("Item", {}),)
            pending = {key: each for key, each in pending.items() if not each[0].conflicts}
        raise StoreUnavailable("others kept writing the same rows, or the store kept refusing")

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


def _parts(items: Sequence[Item]) -> Iterator[WriteGroup]:
    """Return the items in order, in groups that fit into a transaction."""
    part, size = WriteGroup([]), 0
    for item in items:
        size += WriteGroup([item]).size()
        if part.items and (len(part.items) == MOST_PUTS or size > MOST_BYTES):
            yield part
            part, size = WriteGroup([]), WriteGroup([item]).size()
        part.items.append(item)
    yield part

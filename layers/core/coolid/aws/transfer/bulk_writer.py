"""Putting: many rows that must not be there yet, in as few calls as can be.

A transaction takes a hundred conditional puts, which costs a call's overhead once; it says which of them were refused,
and is tried again without those. Rows of one group are written together, or none of them is.
"""

from collections.abc import Iterator, Mapping, Sequence
from time import sleep
from typing import Any, Final

from msgspec import Struct

from coolid.aws.dynamodb.items import CURRENT, pid_of
from coolid.aws.dynamodb_client.boto_transport import translated
from coolid.errors import StoreUnavailable
from coolid.model.records import Record

MOST_PUTS: Final = 100
MOST_BYTES: Final = 3_500_000
"""DynamoDB takes 4 MB in one transaction, names and numbers included."""

_REFUSED: Final = "ConditionalCheckFailed"
_PASSING: Final = ("TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError", "RequestLimitExceeded")
_ROUNDS: Final = 10

Item = dict[str, Any]
"""A row in DynamoDB's JSON."""


class WriteGroup(Struct):
    """Rows that belong together, the last of them last, and what became of them.

    `in_way` are rows in their places that say something else; then nothing was written.
    """

    items: list[Item]
    in_way: tuple[Item, ...] = ()
    written: int = 0

    def size(self) -> int:
        """About how many bytes it has."""
        return sum(len(item["body"]["S"].encode()) + 500 for item in self.items)


class BulkWriter:
    """Writes into the table `name`, with a low-level boto3 client."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def put(self, groups: Sequence[WriteGroup]) -> None:
        """Write the groups, in their order, and note in each what became of it. Raises `StoreUnavailable`.

        Rows that are there already, the same in everything, count neither as written nor as in the way.
        """
        together: list[WriteGroup] = []
        rows = size = 0
        for group in groups:
            if len(group.items) > MOST_PUTS or group.size() > MOST_BYTES:
                self._put_long(group)
                continue
            rows, size = rows + len(group.items), size + group.size()
            if rows > MOST_PUTS or size > MOST_BYTES:
                self._put_together(together)
                together, rows, size = [], len(group.items), group.size()
            together.append(group)
        self._put_together(together)

    def _put_long(self, group: WriteGroup) -> None:
        """A group that no transaction takes: the last row decides, and is written last."""
        last = group.items[-1]
        key = {name: last[name] for name in ("pid", "version")}
        with translated():
            present = self._client.get_item(TableName=self._name, Key=key, ConsistentRead=True).get("Item")
        if present is not None and _as_exported(present) != last:
            group.in_way = (present,)
            return
        for part in _parts(group.items):
            self._put_together([part])
            group.written += part.written
            group.in_way += part.in_way
            if group.in_way:
                return

    def _put_together(self, groups: Sequence[WriteGroup]) -> None:
        pending = {id(group): (group, list(group.items)) for group in groups}
        attempt = 0
        while attempt < _ROUNDS:
            puts = [(group, item) for group, items in pending.values() for item in items]
            if not puts:
                return
            reasons = self._transact([item for _, item in puts])
            if reasons is None:
                for group, items in pending.values():
                    group.written += len(items)
                return
            if not any(reason.get("Code") == _REFUSED for reason in reasons):
                sleep(min(0.05 * 2**attempt, 2))
                attempt += 1
                continue
            for (group, item), reason in zip(puts, reasons, strict=True):
                if reason.get("Code") != _REFUSED:
                    continue
                if _as_exported(reason.get("Item", {})) == item:
                    pending[id(group)][1].remove(item)
                else:
                    group.in_way += (reason.get("Item", {}),)
            pending = {key: each for key, each in pending.items() if not each[0].in_way}
        raise StoreUnavailable("others kept writing the same rows, or the store kept refusing")

    def _transact(self, items: Sequence[Item]) -> list[Mapping[str, Any]] | None:
        """None if all were written; else the reason of each, and nothing was. Raises `StoreUnavailable`."""
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
            with translated():
                self._client.transact_write_items(TransactItems=puts)
        except StoreUnavailable as error:
            answer = getattr(error.__cause__, "response", None) or {}  # a connection that broke has one that is None
            reasons: list[Mapping[str, Any]] = answer.get("CancellationReasons", [])
            codes = {reason.get("Code") for reason in reasons}
            if not codes & {_REFUSED, *_PASSING}:
                raise
            return reasons
        return None


def row(record: Record, key: str, body: str, *, version: int = CURRENT, author: str | None = None) -> Item:
    """The row of a record's version, its text being `body`: the current one, or `version` among the superseded."""
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
    """The item without what no export has: the health of its locations, and the token of the write it comes from."""
    return {name: value for name, value in item.items() if name not in ("health", "write_token")}


def _parts(items: Sequence[Item]) -> Iterator[WriteGroup]:
    """The items in their order, in groups that a transaction takes."""
    part, size = WriteGroup([]), 0
    for item in items:
        size += WriteGroup([item]).size()
        if part.items and (len(part.items) == MOST_PUTS or size > MOST_BYTES):
            yield part
            part, size = WriteGroup([]), WriteGroup([item]).size()
        part.items.append(item)
    yield part

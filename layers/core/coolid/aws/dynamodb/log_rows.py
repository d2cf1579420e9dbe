"""The rows of the transparency log in a table of their own.

An entry that waits has its content and the attributes `waits` and `position`, by which an index lists it. An entry with
a place in the log has its `index` and nothing else, because the bundles of entries have its content. Two more rows are
the head and the position of the sweep; no entry has such a name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from coolid.aws.dynamodb.table_reader import TableReader, plain_row
from coolid.aws.dynamodb_client.boto_transport import BotoTransport, translate_errors
from coolid.aws.parallel_calls import run_parallel
from coolid.errors import Outdated, StoreUnavailable
from coolid.ports import Entropy
from coolid.store.log import LogHead, WaitingEntry

BY_WAIT: Final = "ByWait"
ENTRY: Final = "entry"
"""The value of the attribute `waits`."""
HEAD: Final = "/head"
SWEEP: Final = "/sweep"

_READ_BATCH: Final = 100
_TOKEN_BYTES: Final = 16


class DynamoLogRows:
    """Implements `LogRows` for the table `name`, with a low-level boto3 client. `entropy` supplies write tokens."""

    def __init__(self, client: Any, name: str, entropy: Entropy) -> None:
        self._client = client
        self._name = name
        self._entropy = entropy
        self._reader = TableReader(BotoTransport(client))

    def waiting_entries(self, limit: int) -> Sequence[WaitingEntry]:
        """See `LogRows`. Takes Queries of an index, which is eventually consistent, and BatchGetItems."""
        rows = self._reader.rows(
            self._name,
            IndexName=BY_WAIT,
            KeyConditionExpression="waits = :waits",
            ExpressionAttributeValues={":waits": {"S": ENTRY}},
        )
        names = (row["name"] for row in rows)
        return list(islice((_entry_of(row) for row in self._rows(names) if "index" not in row), limit))

    def add_entries(self, entries: Sequence[WaitingEntry]) -> None:
        """See `LogRows`. Takes a conditional PutItem for each entry, in several threads."""
        run_parallel(self._add, entries)

    def indexes(self, names: Sequence[str]) -> Mapping[str, int | None]:
        """See `LogRows`. Takes consistent BatchGetItems."""
        return {row["name"]: row.get("index") for row in self._rows(names)}

    def settle(self, indexes: Mapping[str, int]) -> None:
        """See `LogRows`. Takes a PutItem for each entry, in several threads."""
        run_parallel(lambda each: self._put({"name": {"S": each[0]}, "index": {"N": str(each[1])}}), indexes.items())

    def head(self) -> LogHead | None:
        """See `LogRows`. Takes a consistent GetItem."""
        row = self._row(HEAD)
        return _head_of(row) if row is not None else None

    def replace_head(self, head: LogHead, replaced: LogHead | None) -> None:
        """See `LogRows`. Takes a conditional PutItem, and a consistent GetItem if its condition failed.

        The token of the write shows whether an earlier attempt of it, whose response was lost, has succeeded.
        """
        token = self._entropy.token(_TOKEN_BYTES).hex()
        if replaced is None:
            condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(#name)"}
            condition["ExpressionAttributeNames"] = {"#name": "name"}
        else:
            condition = {"ConditionExpression": "revision = :revision AND checkpoint = :checkpoint"}
            values = {":revision": {"N": str(replaced.revision)}, ":checkpoint": {"S": replaced.checkpoint}}
            condition["ExpressionAttributeValues"] = values
        if self._put(_head_item(head, token), **condition):
            return
        row = self._row(HEAD)
        if row is None or row.get("write_token") != token:
            raise Outdated("the head of the transparency log")

    def sweep_position(self) -> str | None:
        """See `LogRows`. Takes a consistent GetItem."""
        row = self._row(SWEEP)
        return None if row is None else str(row["body"])

    def set_sweep_position(self, position: str) -> None:
        """See `LogRows`. Takes a PutItem."""
        self._put({"name": {"S": SWEEP}, "body": {"S": position}})

    def _add(self, entry: WaitingEntry) -> None:
        item = {
            "name": {"S": entry.name},
            "waits": {"S": ENTRY},
            "position": {"S": f"{entry.since:015d} {entry.name}"},
            "since": {"N": str(entry.since)},
        }
        item |= {name: {"S": text} for name in ("leaf", "statement") if (text := getattr(entry, name))}
        self._put(item, ConditionExpression="attribute_not_exists(#name)", ExpressionAttributeNames={"#name": "name"})

    def _put(self, item: Mapping[str, Any], **condition: Any) -> bool:
        """Put an item. Return False if the condition failed."""
        with translate_errors():
            try:
                self._client.put_item(TableName=self._name, Item=item, **condition)
            except self._client.exceptions.ConditionalCheckFailedException:
                return False
        return True

    def _row(self, name: str) -> dict[str, Any] | None:
        return self._reader.row(self._name, {"name": {"S": name}})

    def _rows(self, names: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Yield the existing rows with these names in their order, read in batches as they are needed."""
        rest = iter(names)
        while some := dict.fromkeys(islice(rest, _READ_BATCH)):
            keys = [{"name": {"S": name}} for name in some]
            rows = map(plain_row, self._reader.items(self._name, keys, consistent=True))
            found = {row["name"]: row for row in rows}
            yield from (found[name] for name in some if name in found)


def _entry_of(row: Mapping[str, Any]) -> WaitingEntry:
    try:
        return WaitingEntry(row["name"], row["since"], row.get("leaf", ""), row.get("statement", ""))
    except KeyError as error:
        raise StoreUnavailable("the store returned a malformed entry of the log") from error


def _head_of(row: Mapping[str, Any]) -> LogHead:
    try:
        return LogHead(row["revision"], row["size"], row["checkpoint"], row["staging"])
    except KeyError as error:
        raise StoreUnavailable("the store returned a malformed head of the log") from error


def _head_item(head: LogHead, token: str) -> dict[str, Any]:
    numbers = {"revision": head.revision, "size": head.size}
    texts = {"name": HEAD, "checkpoint": head.checkpoint, "staging": head.staging, "write_token": token}
    return {name: {"N": str(value)} for name, value in numbers.items()} | {
        name: {"S": text} for name, text in texts.items()
    }

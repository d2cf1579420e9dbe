"""The reading half of the store: GetItem and BatchGetItem over the prefix and LUI tables, and Query for public keys.

This is all of DynamoDB that a redirect needs; the writing half is `coolid.aws.dynamodb`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from time import monotonic
from typing import Any, Final

import orjson
from botocore.exceptions import BotoCoreError, ClientError

from coolid.aws.items import CURRENT, KEYS, pid_of, prefix_of, record_of
from coolid.domain.errors import StoreUnavailable
from coolid.domain.prefixes import Prefix
from coolid.domain.records import Record

BATCH_PATIENCE: Final = 0.2
"""Seconds after which the rest of a batch that comes in parts is no longer asked for."""

_BATCH_ROUNDS: Final = 4


class DynamoReader:
    """Implements `coolid.domain.stores.Reader` with a low-level boto3 client."""

    def __init__(self, client: Any, prefix_table: str, lui_table: str) -> None:
        self._client = client
        self._prefix_table = prefix_table
        self._lui_table = lui_table

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """As of `Reader`."""
        keys = [{"name": {"S": name}} for name in dict.fromkeys(names)]
        rows = self._batch(self._prefix_table, keys, consistent=consistent)
        found = (prefix_of({name: plain(value) for name, value in row.items()}) for row in rows)
        return {prefix.name: prefix for prefix in found if prefix}

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """As of `Reader`: one GetItem."""
        return _record(self.item(self._lui_table, _row(repository, key, CURRENT), consistent=consistent))

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """As of `Reader`."""
        by_pid = {pid_of(repository, key): key for key in keys}
        rows = self._batch(
            self._lui_table, [_row(repository, key, CURRENT) for key in by_pid.values()], consistent=False
        )
        return {by_pid[row["pid"]["S"]]: record_of(row["body"]["S"]) for row in rows}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """As of `Reader`: one GetItem, consistent, for whoever knows of a later version asks for one that there is."""
        if version < 1:  # under that number stands the current version
            return None
        return _record(self.item(self._lui_table, _row(repository, key, version), consistent=True))

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """As of `Reader`: one Query."""
        rows = self._query(
            self._lui_table, KeyConditionExpression="pid = :pid", ExpressionAttributeValues={":pid": {"S": KEYS}}
        )
        bodies = [orjson.loads(row["body"]) for row in sorted(rows, key=itemgetter("revision", "version"))]
        keys = [key for body in bodies for key in (body if isinstance(body, list) else [body])]
        return tuple({key["kid"]: key for key in keys}.values())

    def item(self, table: str, key: Mapping[str, Any], *, consistent: bool = False) -> dict[str, Any] | None:
        """One item in plain Python types, or None.

        The answer must tell the capacity that it consumed: botocore takes a body that broke off for an empty one, and
        an empty one would mean that the item does not exist.
        """
        with translated():
            answer = self._client.get_item(
                TableName=table, Key=key, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL"
            )
        if "ConsumedCapacity" not in answer:
            raise StoreUnavailable("the store's answer broke off")
        return {name: plain(value) for name, value in answer["Item"].items()} if "Item" in answer else None

    def _query(self, table: str, **asked: Any) -> Iterator[Mapping[str, Any]]:
        """The items of a Query in plain Python types, page by page as they are taken."""
        start: dict[str, Any] = {}
        while True:
            with translated():
                answer = self._client.query(TableName=table, **asked, **start)
            if "Items" not in answer:
                raise StoreUnavailable("the store's answer broke off")
            for item in answer["Items"]:
                yield {name: plain(value) for name, value in item.items()}
            if not answer.get("LastEvaluatedKey"):
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _batch(self, table: str, keys: list[dict[str, Any]], *, consistent: bool) -> Iterator[dict[str, Any]]:
        """The items of one BatchGetItem; one that comes back in parts is asked for again, a few times."""
        if not keys:
            return
        asked = {table: {"Keys": keys, "ConsistentRead": consistent}}
        until = monotonic() + BATCH_PATIENCE
        for _ in range(_BATCH_ROUNDS):
            with translated():
                answer = self._client.batch_get_item(RequestItems=asked)
            if "Responses" not in answer:
                raise StoreUnavailable("the store's answer broke off")
            yield from answer["Responses"].get(table, ())
            asked = answer.get("UnprocessedKeys", {})
            if not asked:
                return
            if monotonic() > until:
                break
        raise StoreUnavailable("the store kept leaving out part of a batch")


def _record(item: Mapping[str, Any] | None) -> Record | None:
    return record_of(item["body"], item.get("author")) if item else None


def _row(repository: str, key: str, version: int) -> dict[str, Any]:
    return {"pid": {"S": pid_of(repository, key)}, "version": {"N": str(version)}}


def plain(value: Mapping[str, Any]) -> Any:
    """A value of a DynamoDB item as Python has it; only the types that our rows use.

    >>> plain({"S": "x"}), plain({"N": "3"}), plain({"SS": ["a"]})
    ('x', 3, ['a'])
    """
    ((kind, content),) = value.items()
    return int(content) if kind == "N" else content


@contextmanager
def translated() -> Iterator[None]:
    """Turn what botocore raises into `StoreUnavailable`; a request that we built wrongly stays an error of ours."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ValidationException":
            raise
        raise StoreUnavailable(f"the store refused: {code}") from error
    except BotoCoreError as error:
        raise StoreUnavailable("the store did not answer") from error

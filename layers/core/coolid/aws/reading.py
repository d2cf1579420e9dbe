"""The reading half of the store: GetItem and BatchGetItem over the prefix and LUI tables, and nothing else.

This is all of DynamoDB that a redirect needs; the writing half is `coolid.aws.dynamodb`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from coolid.aws.items import CURRENT, pid_of, prefix_of, record_of
from coolid.domain.errors import StoreUnavailable
from coolid.domain.prefixes import Prefix
from coolid.domain.records import Record

_BATCH_ROUNDS: Final = 4


class DynamoReader:
    """Implements `coolid.domain.stores.Reader` with a low-level boto3 client."""

    def __init__(self, client: Any, prefix_table: str, lui_table: str) -> None:
        self._client = client
        self._prefix_table = prefix_table
        self._lui_table = lui_table

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """As of `Reader`; a batch that comes back in parts is asked for again, a few times."""
        found: dict[str, Prefix] = {}
        keys = [{"name": {"S": name}} for name in dict.fromkeys(names)]
        asked = {self._prefix_table: {"Keys": keys, "ConsistentRead": consistent}} if keys else {}
        for _ in range(_BATCH_ROUNDS):
            if not asked:
                return found
            with translated():
                answer = self._client.batch_get_item(RequestItems=asked)
            for item in answer["Responses"].get(self._prefix_table, ()):
                prefix = prefix_of({name: plain(value) for name, value in item.items()})
                if prefix:
                    found[prefix.name] = prefix
            asked = answer.get("UnprocessedKeys", {})
        raise StoreUnavailable("the store kept leaving out part of a batch")

    def record(self, repository: str, key: str) -> Record | None:
        """As of `Reader`: one GetItem."""
        with translated():
            answer = self._client.get_item(
                TableName=self._lui_table,
                Key={"pid": {"S": pid_of(repository, key)}, "version": {"N": str(CURRENT)}},
            )
        item = answer.get("Item")
        return record_of(item["body"]["S"]) if item else None


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

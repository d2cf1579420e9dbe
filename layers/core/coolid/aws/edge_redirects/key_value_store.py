"""A CloudFront KeyValueStore, over a low-level boto3 client.

Source: CloudFront API reference, "CloudFront KeyValueStore"; Amazon CloudFront Developer Guide, "Quotas on key value
stores", "Restrictions on CloudFront Functions" (the API needs Signature Version 4A, for which botocore uses awscrt).

Calls are believed to cost one US dollar for a thousand, an update as much as a read, however many keys it has. AWS's
documentation does not confirm this; the sources are users' reports. The developer guide does not say how soon
`DescribeKeyValueStore`, `GetKey` and `ListKeys` return an update. If they lag, an update fails (`VersionConflict`) and
is repeated.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from coolid.edge.redirect_store import MAX_BATCH_KEYS, PAGE_KEYS, VersionConflict
from coolid.errors import StoreUnavailable

_CONFLICT: Final = "ConflictException"
_INVALID: Final = "ValidationException"
_ABSENT: Final = "ResourceNotFoundException"


class CloudFrontKeyValueStore:
    """Implements `RedirectStore` for the store with an ARN."""

    def __init__(self, client: Any, arn: str) -> None:
        self._client = client
        self._arn = arn

    def version(self) -> str:
        """See `RedirectStore`. Takes one DescribeKeyValueStore."""
        with _translated_errors():
            return str(self._client.describe_key_value_store(KvsARN=self._arn)["ETag"])

    def size(self) -> int:
        """See `RedirectStore`. Takes one DescribeKeyValueStore."""
        with _translated_errors():
            return int(self._client.describe_key_value_store(KvsARN=self._arn)["ItemCount"])

    def value(self, key: str) -> str | None:
        """See `RedirectStore`. Takes one GetKey."""
        try:
            with _translated_errors():
                return str(self._client.get_key(KvsARN=self._arn, Key=key)["Value"])
        except _Absent:
            return None

    def entries(self) -> Mapping[str, str]:
        """See `RedirectStore`. Takes one ListKeys for each `PAGE_KEYS`."""
        found: dict[str, str] = {}
        position: dict[str, str] = {}
        while True:
            with _translated_errors():
                page = self._client.list_keys(KvsARN=self._arn, MaxResults=PAGE_KEYS, **position)
            found |= {item["Key"]: item["Value"] for item in page.get("Items", ())}
            if not page.get("NextToken"):
                return found
            position = {"NextToken": page["NextToken"]}

    def update(self, version: str, puts: Mapping[str, str], deletes: Iterable[str]) -> str:
        """See `RedirectStore`. Takes one UpdateKeys."""
        put = [{"Key": key, "Value": value} for key, value in sorted(puts.items())]
        delete = [{"Key": key} for key in sorted(deletes)]
        assert len(put) + len(delete) <= MAX_BATCH_KEYS
        with _translated_errors():
            answer = self._client.update_keys(KvsARN=self._arn, IfMatch=version, Puts=put, Deletes=delete)
        return str(answer["ETag"])


class _Absent(Exception):
    """There is no such key."""


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Convert botocore's errors to `VersionConflict`, `_Absent` or `StoreUnavailable`.

    An outdated entity tag is documented as a conflict. SDKs report a ValidationException about the precondition, too.
    """
    try:
        yield
    except ClientError as error:
        code, message = (str(error.response.get("Error", {}).get(name, "")) for name in ("Code", "Message"))
        if code == _CONFLICT or (code == _INVALID and "condition" in message.lower()):
            raise VersionConflict from error
        if code == _ABSENT and error.operation_name == "GetKey":
            raise _Absent from error
        raise StoreUnavailable(f"the store at the edge refused: {code}") from error
    except BotoCoreError as error:
        raise StoreUnavailable(f"the store at the edge did not answer: {type(error).__name__}") from error

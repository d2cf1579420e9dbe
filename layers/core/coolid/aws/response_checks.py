"""Checks of AWS responses before botocore parses them: the checksum and the JSON shape.

DynamoDB's responses contain the CRC-32 of their body (`x-amz-crc32`: "Amazon DynamoDB Developer Guide", "DynamoDB
low-level API"). botocore compares it too, but accepts the response of the last attempt anyway, so that a damaged
response means "there is no such item". It treats a body that is not JSON as empty, and fails on JSON of another shape.
Here both are failed attempts, which botocore retries as configured.
"""

from binascii import crc32
from typing import Any, Final, TypedDict

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectionClosedError
from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder

CHECKSUM: Final = "x-amz-crc32"


class BrokenAnswer(ConnectionClosedError):
    """The response is damaged or malformed. botocore retries it like a broken connection."""

    fmt = 'The answer of "{endpoint_url}" cannot be used: {reason}'


class _Value(TypedDict, total=False):
    S: str
    N: str
    B: str
    SS: list[str]
    NS: list[str]
    BS: list[str]
    BOOL: bool
    NULL: bool
    L: "list[_Value]"
    M: "dict[str, _Value]"


_Item = dict[str, _Value]


class _Capacity(TypedDict, total=False):
    TableName: str
    CapacityUnits: float


class _Answer(TypedDict, total=False):
    """The members of responses to operations on items. Each operation has some of them."""

    Attributes: _Item
    ConsumedCapacity: _Capacity | list[_Capacity]
    Item: _Item
    Items: list[_Item]
    LastEvaluatedKey: _Item
    Responses: dict[str, list[_Item]]
    UnprocessedItems: dict[str, list[dict[str, Any]]]
    UnprocessedKeys: dict[str, dict[str, Any]]


class _Reason(TypedDict, total=False):
    Code: str
    Message: str | None
    Item: _Item | None


_Refusal = TypedDict(
    "_Refusal",
    {"__type": str, "message": str | None, "Message": str | None, "CancellationReasons": list[_Reason]},
    total=False,
)

_OBJECT: Final = Decoder(dict[str, Any])
_REFUSAL: Final = Decoder(_Refusal)
_ITEMS: Final = Decoder(_Answer)
_ON_ITEMS: Final = frozenset(
    {
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactWriteItems",
        "UpdateItem",
    }
)


def check(request: AWSPreparedRequest, answer: AWSResponse) -> None:
    """Raise `BrokenAnswer` for a JSON response that is damaged or has the wrong shape for the request.

    An error that is not JSON passes, because a proxy may send it, and botocore uses only its status.
    """
    target = _text(request.headers.get("X-Amz-Target", ""))
    if not target:
        return
    body = answer.content
    checksum = answer.headers.get(CHECKSUM)
    if checksum is not None and _text(checksum) != str(crc32(body)):
        raise BrokenAnswer(endpoint_url=request.url, reason="its CRC-32 is another")
    try:
        if answer.status_code >= 300:
            _check_refusal(body)
        elif target.startswith("DynamoDB_") and target.rpartition(".")[2] in _ON_ITEMS:
            _ITEMS.decode(body)
        elif body:
            _OBJECT.decode(body)
    except (DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenAnswer(endpoint_url=request.url, reason="its shape is that of no answer") from error


def _check_refusal(body: bytes) -> None:
    try:
        _REFUSAL.decode(body)
    except ValidationError:
        raise
    except DecodeError:
        body.decode()


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value

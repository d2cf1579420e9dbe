"""The protocol of transports, which send read requests to DynamoDB.

Source: "Amazon DynamoDB API Reference", actions GetItem, BatchGetItem and Query. Requests and responses are decoded
JSON: `{"TableName": "t", "Key": {"name": {"S": "mp"}}}`, `{"Item": {"name": {"S": "mp"}}}`.
"""

from collections.abc import Mapping
from typing import Any, Final, NotRequired, Protocol, TypedDict

from coolid.errors import StoreUnavailable

Item = dict[str, dict[str, str | list[str]]]
"""Attributes by name, in the types that the tables use: `{"name": {"S": "mp"}, "revision": {"N": "1"}}`."""


class _GetItemResponse(TypedDict):
    """A GetItem response. `Item` is missing if there is none.

    `ConsumedCapacity` is required, so that a truncated or foreign response does not look like a missing item.
    """

    ConsumedCapacity: dict[str, Any]
    Item: NotRequired[Item]


class _BatchGetItemResponse(TypedDict):
    Responses: dict[str, list[Item]]
    UnprocessedKeys: NotRequired[dict[str, Any]]


class _QueryResponse(TypedDict):
    Items: list[Item]
    LastEvaluatedKey: NotRequired[Item]


SHAPES: Final = {"GetItem": _GetItemResponse, "BatchGetItem": _BatchGetItemResponse, "Query": _QueryResponse}
"""The members of each operation's response. Other members are dropped."""

VALIDATION_EXCEPTION: Final = "ValidationException"


class InvalidRequest(Exception):
    """DynamoDB rejected a request as invalid. This is a programming error and permanent."""


class Transport(Protocol):
    """Sends requests to DynamoDB. It is thread-safe."""

    def call(self, operation: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the complete response to a request.

        A truncated, damaged or malformed response raises an error, because missing members mean missing items. A
        GetItem request must set `ReturnConsumedCapacity`. Raises `StoreUnavailable`, `InvalidRequest`.
        """
        ...


def error_for_code(code: str) -> Exception:
    """Return the exception for an error code of DynamoDB.

    >>> error_for_code("AccessDeniedException")
    StoreUnavailable('the store refused: AccessDeniedException')
    """
    return InvalidRequest(code) if code == VALIDATION_EXCEPTION else StoreUnavailable(f"the store refused: {code}")

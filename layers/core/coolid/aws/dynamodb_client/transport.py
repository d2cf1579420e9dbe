"""An asker: what takes a question to DynamoDB. The duties are the same for every way of doing it.

Source: "Amazon DynamoDB API Reference", actions GetItem, BatchGetItem and Query. Questions and answers are their JSON
as Python has it: `{"TableName": "t", "Key": {"name": {"S": "mp"}}}`, `{"Item": {"name": {"S": "mp"}}}`.
"""

from collections.abc import Mapping
from typing import Any, Final, NotRequired, Protocol, TypedDict

from coolid.errors import StoreUnavailable

Item = dict[str, dict[str, str | list[str]]]
"""Attributes by name, in the types that our rows use: `{"name": {"S": "mp"}, "revision": {"N": "1"}}`."""


class _Found(TypedDict):
    """That there is no item is said by an answer without one: who asks must be told the capacity that it took, too.

    So nothing that is no answer of DynamoDB, or broke off, passes for one.
    """

    ConsumedCapacity: dict[str, Any]
    Item: NotRequired[Item]


class _Batch(TypedDict):
    Responses: dict[str, list[Item]]
    UnprocessedKeys: NotRequired[dict[str, Any]]


class _Page(TypedDict):
    Items: list[Item]
    LastEvaluatedKey: NotRequired[Item]


SHAPES: Final = {"GetItem": _Found, "BatchGetItem": _Batch, "Query": _Page}
"""What the answer to an operation must have; whatever else it says is left out."""

VALIDATION_EXCEPTION: Final = "ValidationException"


class InvalidRequest(Exception):
    """DynamoDB does not understand the question: a mistake of ours, and nothing that passes."""


class Transport(Protocol):
    """Asks DynamoDB; may be asked by several threads at once."""

    def call(self, operation: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer, whole.

        What broke off, came damaged or has another shape is never given for one: what is not in an answer does not
        exist. GetItem is to be asked for the capacity that it takes. Raises `StoreUnavailable`, `InvalidRequest`.
        """
        ...


def error_for_code(code: str) -> Exception:
    """What it means that DynamoDB refused, by its name for the reason.

    >>> error_for_code("AccessDeniedException")
    StoreUnavailable('the store refused: AccessDeniedException')
    """
    return InvalidRequest(code) if code == VALIDATION_EXCEPTION else StoreUnavailable(f"the store refused: {code}")

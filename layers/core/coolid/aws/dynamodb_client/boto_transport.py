"""Asking by boto3: for whoever has a client anyway, and for surroundings that our own way does not know.

Profiles, proxies, endpoints of other kinds: whatever boto3 can be told, it goes by.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore import xform_name
from botocore.exceptions import BotoCoreError, ClientError
from msgspec import ValidationError, convert

from coolid.aws.dynamodb_client.transport import SHAPES, error_for_code
from coolid.errors import StoreUnavailable


class BotoTransport:
    """Implements `coolid.aws.dynamodb_client.transport.Transport` with a low-level boto3 client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def call(self, operation: str, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """As of `Transport`. botocore takes a body that broke off for an empty one."""
        with translated():
            answer = getattr(self._client, xform_name(operation))(**question)
        try:
            shaped: Mapping[str, Any] = convert(answer, SHAPES[operation])
        except (ValidationError, RecursionError) as error:
            raise StoreUnavailable("the store's answer broke off") from error
        return shaped


@contextmanager
def translated() -> Iterator[None]:
    """Turn what botocore raises into `StoreUnavailable`, or into `InvalidRequest`."""
    try:
        yield
    except ClientError as error:
        raise error_for_code(error.response.get("Error", {}).get("Code", "")) from error
    except BotoCoreError as error:
        raise StoreUnavailable("the store did not answer") from error

"""A transport that uses boto3.

It serves callers that already have a boto3 client, and configurations that `http_transport` does not support, such as
profiles, proxies and FIPS endpoints.
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
    """Implements `Transport` with a low-level boto3 client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def call(self, operation: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Transport.call`. Checks the shape, because botocore treats a truncated body as an empty one."""
        with translate_errors():
            answer = getattr(self._client, xform_name(operation))(**request)
        try:
            converted: Mapping[str, Any] = convert(answer, SHAPES[operation])
        except (ValidationError, RecursionError) as error:
            raise StoreUnavailable("the store's response is incomplete") from error
        return converted


@contextmanager
def translate_errors() -> Iterator[None]:
    """Convert botocore's exceptions to `StoreUnavailable` or `InvalidRequest`."""
    try:
        yield
    except ClientError as error:
        raise error_for_code(error.response.get("Error", {}).get("Code", "")) from error
    except BotoCoreError as error:
        raise StoreUnavailable("the store did not answer") from error

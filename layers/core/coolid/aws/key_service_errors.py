"""Conversion of AWS KMS's failures to `SignerUnavailable`."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from coolid.errors import SignerUnavailable


@contextmanager
def translate_errors(expected: str) -> Iterator[None]:
    """Convert exceptions to `SignerUnavailable`, because the caller may retry after any failure of the key.

    botocore accepts malformed responses, or raises Python's own exceptions for them. `expected` names the response.
    """
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        raise SignerUnavailable(f"the key service refused: {code}") from error
    except BotoCoreError as error:
        raise SignerUnavailable("the key service did not answer") from error
    except (KeyError, TypeError, ValueError) as error:
        raise SignerUnavailable(f"the key service's answer is no {expected}") from error

"""Errors of requests to S3, for all that store files in a bucket.

Source: Amazon S3 API reference, "Error responses"; User Guide, "How to prevent object overwrites with conditional
writes".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from coolid.errors import StoreUnavailable

_ABSENT: Final = frozenset({"NoSuchKey", "NotFound", "404"})
_REPLACED: Final = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})
_BEYOND_END: Final = frozenset({"InvalidRange", "416"})


class AbsentFile(Exception):
    """There is no such file."""


class ReplacedFile(Exception):
    """The file is not the one that a conditional write expects, or another write is under way."""


class RangeBeyondEnd(Exception):
    """The range begins at the end of the file or after it."""


@contextmanager
def translated_s3_errors() -> Iterator[None]:
    """Convert botocore's errors to `AbsentFile`, `ReplacedFile`, `RangeBeyondEnd` or `StoreUnavailable`."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in _ABSENT:
            raise AbsentFile from error
        if code in _REPLACED:
            raise ReplacedFile from error
        if code in _BEYOND_END:
            raise RangeBeyondEnd from error
        raise StoreUnavailable(f"the file storage refused: {code}") from error
    except BotoCoreError as error:
        raise StoreUnavailable(f"the file storage did not answer: {type(error).__name__}") from error

"""The files of the transparency log in an S3 bucket, under their paths.

Source: Amazon S3 User Guide, "Amazon S3 data consistency model": a read after a write returns what was written; API
reference, `GetObject`, `PutObject`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from coolid.aws.parallel_calls import run_parallel
from coolid.errors import StoreUnavailable

_ABSENT: Final = "NoSuchKey"


class S3LogFiles:
    """Implements `LogFiles` with a low-level boto3 client."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """See `LogFiles`. Takes a GetObject for each path, in several threads."""
        contents = zip(paths, run_parallel(self._content, paths), strict=True)
        return {path: content for path, content in contents if content is not None}

    def write(self, files: Mapping[str, bytes]) -> None:
        """See `LogFiles`. Takes a PutObject for each file, in several threads. S3 stores an object whole or not."""
        run_parallel(lambda each: self._put(*each), files.items())

    def _content(self, path: str) -> bytes | None:
        try:
            with _translate_errors():
                content: bytes = self._client.get_object(Bucket=self._bucket, Key=path)["Body"].read()
        except _Absent:
            return None
        return content

    def _put(self, path: str, content: bytes) -> None:
        with _translate_errors():
            self._client.put_object(Bucket=self._bucket, Key=path, Body=content)


class _Absent(Exception):
    """There is no such file."""


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Convert botocore's errors to `_Absent` or `StoreUnavailable`."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code == _ABSENT:
            raise _Absent from error
        raise StoreUnavailable(f"the file storage refused: {code}") from error
    except BotoCoreError as error:
        raise StoreUnavailable(f"the file storage did not answer: {type(error).__name__}") from error

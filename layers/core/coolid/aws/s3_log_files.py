"""The files of the transparency log in an S3 bucket, under their paths.

Source: Amazon S3 User Guide, "Amazon S3 data consistency model": a read after a write returns what was written; API
reference, `GetObject`, `PutObject`; "How to prevent object overwrites with conditional writes".
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.aws.parallel_calls import run_parallel
from coolid.aws.s3_errors import AbsentFile, ReplacedFile, translated_s3_errors
from coolid.errors import Outdated
from coolid.log.tiles import CHECKPOINT
from coolid.store.log import STAGING, staged_size

_PUBLISHED: Final = "the checkpoint of the transparency log"


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

    def publish(self, checkpoint: bytes, replaced: bytes | None) -> None:
        """See `LogFiles`. Takes a GetObject and a conditional PutObject, and a GetObject if its condition failed.

        An earlier attempt whose response was lost has succeeded if the file has this content.
        """
        found = self._tagged(CHECKPOINT)
        if (found[0] if found else None) != replaced:
            raise Outdated(_PUBLISHED)
        try:
            self._put(CHECKPOINT, checkpoint, **({"IfMatch": found[1]} if found else {"IfNoneMatch": "*"}))
        except (AbsentFile, ReplacedFile) as error:
            if self._content(CHECKPOINT) != checkpoint:
                raise Outdated(_PUBLISHED) from error

    def discard_staging(self, size: int) -> None:
        """See `LogFiles`. Takes a ListObjectsV2, and a DeleteObject for each file, in several threads."""
        with translated_s3_errors():
            listed = self._client.list_objects_v2(Bucket=self._bucket, Prefix=STAGING).get("Contents", ())
        run_parallel(self._delete, [each["Key"] for each in listed if staged_size(each["Key"]) < size])

    def _content(self, path: str) -> bytes | None:
        found = self._tagged(path)
        return found[0] if found else None

    def _tagged(self, path: str) -> tuple[bytes, str] | None:
        """Return the content of a file and its entity tag, or None."""
        try:
            with translated_s3_errors():
                answer = self._client.get_object(Bucket=self._bucket, Key=path)
                return answer["Body"].read(), answer["ETag"]
        except AbsentFile:
            return None

    def _put(self, path: str, content: bytes, **condition: str) -> None:
        with translated_s3_errors():
            self._client.put_object(Bucket=self._bucket, Key=path, Body=content, **condition)

    def _delete(self, path: str) -> None:
        with translated_s3_errors():
            self._client.delete_object(Bucket=self._bucket, Key=path)

"""Files of bulk jobs in an S3 bucket. Clients send and fetch large ones by signed URLs.

Source: Amazon S3 User Guide, "Uploading and copying objects using multipart upload", "Download and upload objects with
presigned URLs"; API reference, `PutObject`, `UploadPart`, `GetObject`.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError

from coolid.aws.s3_errors import AbsentFile, RangeBeyondEnd, translated_s3_errors
from coolid.store.file_parts import parts_of

PART_BYTES: Final = 8 << 20
"""The bytes of a part. S3 requires 5 MiB of all but the last part, and takes at most 10,000 parts."""
PIECE_BYTES: Final = 1 << 16


class S3FileStore:
    """Implements `FileStore` with a low-level boto3 client."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def write(self, name: str, pieces: Iterable[bytes], media_type: str = "application/octet-stream") -> int:
        """See `FileStore`. Takes one PutObject, or a multipart upload for more than `PART_BYTES`."""
        parts = parts_of(pieces, PART_BYTES)
        first = next(parts, b"")
        second = next(parts, None)
        if second is None:
            with translated_s3_errors():
                self._client.put_object(Bucket=self._bucket, Key=name, Body=first, ContentType=media_type)
            return len(first)
        return self._write_parts(name, chain((first, second), parts), media_type)

    def read(self, name: str, start: int = 0) -> Iterator[bytes] | None:
        """See `FileStore`. Takes one GetObject."""
        of_range = {"Range": f"bytes={start}-"} if start else {}
        try:
            with translated_s3_errors():
                answer = self._client.get_object(Bucket=self._bucket, Key=name, **of_range)
        except AbsentFile:
            return None
        except RangeBeyondEnd:
            return iter(())
        return _read(answer["Body"])

    def size(self, name: str) -> int | None:
        """See `FileStore`. Takes one HeadObject."""
        try:
            with translated_s3_errors():
                return int(self._client.head_object(Bucket=self._bucket, Key=name)["ContentLength"])
        except AbsentFile:
            return None

    def delete(self, name: str) -> None:
        """See `FileStore`."""
        with translated_s3_errors():
            self._client.delete_object(Bucket=self._bucket, Key=name)

    def upload_url(self, name: str, max_bytes: int, seconds: int) -> str:
        """See `FileStore`. The length is signed, so that S3 accepts a file of exactly `max_bytes`."""
        parameters = {"Bucket": self._bucket, "Key": name, "ContentLength": max_bytes}
        return self._signed("put_object", parameters, seconds)

    def download_url(self, name: str, file_name: str, seconds: int) -> str:
        """See `FileStore`. The browser saves the file under `file_name`, and never shows it as a page."""
        disposition = f"attachment; filename*=UTF-8''{quote(file_name, safe='')}"
        parameters = {"Bucket": self._bucket, "Key": name, "ResponseContentDisposition": disposition}
        return self._signed("get_object", parameters, seconds)

    def _signed(self, operation: str, parameters: dict[str, Any], seconds: int) -> str:
        with translated_s3_errors():
            return str(self._client.generate_presigned_url(operation, Params=parameters, ExpiresIn=seconds))

    def _write_parts(self, name: str, parts: Iterator[bytes], media_type: str) -> int:
        of_file = {"Bucket": self._bucket, "Key": name}
        with translated_s3_errors():
            upload = {**of_file, "UploadId": self._begin(of_file, media_type)}
        try:
            size, uploaded = 0, []
            for number, part in enumerate(parts, 1):
                with translated_s3_errors():
                    answer = self._client.upload_part(**upload, PartNumber=number, Body=part)
                uploaded.append({"PartNumber": number, "ETag": answer["ETag"]})
                size += len(part)
            with translated_s3_errors():
                self._client.complete_multipart_upload(**upload, MultipartUpload={"Parts": uploaded})
        except BaseException:
            self._abort(upload)
            raise
        return size

    def _begin(self, of_file: dict[str, str], media_type: str) -> str:
        return str(self._client.create_multipart_upload(**of_file, ContentType=media_type)["UploadId"])

    def _abort(self, upload: dict[str, str]) -> None:
        """Delete the parts. If this fails, the bucket deletes them after a day."""
        try:
            self._client.abort_multipart_upload(**upload)
        except (ClientError, BotoCoreError):
            return


def _read(body: Any) -> Iterator[bytes]:
    """Yield the pieces of a response's body, which is closed at the end or when the caller stops."""
    try:
        with translated_s3_errors():
            yield from body.iter_chunks(PIECE_BYTES)
    finally:
        body.close()

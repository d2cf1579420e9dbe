"""The ledger of the store at the edge, a file in an S3 bucket.

Source: Amazon S3 User Guide, "Amazon S3 data consistency model": a read after a write returns what was written; "How to
prevent object overwrites with conditional writes".
"""

from typing import Any, Final

from msgspec import MsgspecError, json

from coolid.aws.s3_errors import AbsentFile, ReplacedFile, translated_s3_errors
from coolid.edge.redirect_store import Ledger, VersionConflict

LEDGER: Final = "edge/ledger.json"


class S3LedgerFile:
    """Implements `LedgerFile` with a low-level boto3 client."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def load(self) -> tuple[Ledger, str] | None:
        """See `LedgerFile`. Takes one GetObject."""
        try:
            with translated_s3_errors():
                answer = self._client.get_object(Bucket=self._bucket, Key=LEDGER)
                content, version = answer["Body"].read(), str(answer["ETag"])
        except AbsentFile:
            return None
        try:
            return json.decode(content, type=Ledger), version
        except MsgspecError:
            return Ledger(store="", version="", format=0), version

    def save(self, ledger: Ledger, version: str | None) -> str:
        """See `LedgerFile`. Takes one PutObject. An attempt that succeeds after a lost response is a conflict."""
        condition = {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}
        body = json.encode(ledger)
        try:
            with translated_s3_errors():
                answer = self._client.put_object(Bucket=self._bucket, Key=LEDGER, Body=body, **condition)
        except (AbsentFile, ReplacedFile) as error:
            raise VersionConflict from error
        return str(answer["ETag"])

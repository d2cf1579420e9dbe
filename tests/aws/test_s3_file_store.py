"""Files of jobs in S3, beyond the contract: large files, signed URLs, and failures of S3."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError

from coolid.aws.s3_file_store import PART_BYTES, S3FileStore
from coolid.errors import StoreUnavailable
from coolid.wiring.boto_clients import FILES, client
from tests.support.fixtures.system import new_bucket

pytestmark = pytest.mark.usefixtures("moto_tables")


@pytest.fixture
def bucket() -> str:
    return new_bucket()


@pytest.fixture
def files(bucket: str) -> S3FileStore:
    return S3FileStore(client("s3", FILES), bucket)


class FailingClient:
    """A client whose operation `failing` fails."""

    def __init__(self, failing: str) -> None:
        self._client = client("s3", FILES)
        self._failing = failing

    def __getattr__(self, name: str) -> object:
        if name == self._failing:
            return self._fail
        return getattr(self._client, name)

    def _fail(self, **_: object) -> None:
        raise ClientError({"Error": {"Code": "SlowDown"}}, self._failing)


def unfinished(bucket: str) -> list[str]:
    """Return the names of files whose upload in parts is neither completed nor aborted."""
    listed = boto3.client("s3").list_multipart_uploads(Bucket=bucket)
    return [each["Key"] for each in listed.get("Uploads", ())]


def test_a_large_file_is_sent_in_parts(files: S3FileStore, bucket: str) -> None:
    pieces = (bytes([at % 256]) * 100_000 for at in range(170))
    assert files.write("jobs/a/rows", pieces, "text/csv") == 17_000_000
    head = boto3.client("s3").head_object(Bucket=bucket, Key="jobs/a/rows")
    assert (head["ContentLength"], head["ContentType"]) == (17_000_000, "text/csv")
    assert head["ETag"].strip('"').endswith(f"-{-(-17_000_000 // PART_BYTES)}")
    assert b"".join(files.read("jobs/a/rows", 16_999_999) or ()) == bytes([169])


def test_a_large_file_whose_pieces_end_in_a_failure_leaves_no_parts(files: S3FileStore, bucket: str) -> None:
    def cut_short() -> Iterator[bytes]:
        yield bytes(2 * PART_BYTES)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        files.write("a", cut_short())
    assert (unfinished(bucket), files.size("a")) == ([], None)


@pytest.mark.parametrize("failing", ["upload_part", "complete_multipart_upload", "put_object"])
def test_a_failure_of_s3_leaves_no_parts(bucket: str, failing: str) -> None:
    files = S3FileStore(FailingClient(failing), bucket)
    with pytest.raises(StoreUnavailable):
        files.write("a", [bytes(10 if failing == "put_object" else PART_BYTES + 1)])
    assert (unfinished(bucket), files.size("a")) == ([], None)


@pytest.mark.parametrize(
    ("failing", "call"),
    [
        ("get_object", lambda files: files.read("a")),
        ("head_object", lambda files: files.size("a")),
        ("delete_object", lambda files: files.delete("a")),
        ("create_multipart_upload", lambda files: files.write("a", [bytes(PART_BYTES + 1)])),
    ],
)
def test_other_failures_of_s3_are_failures_of_the_store(bucket: str, failing: str, call: object) -> None:
    with pytest.raises(StoreUnavailable):
        call(S3FileStore(FailingClient(failing), bucket))  # type: ignore[operator]


def test_an_upload_url_takes_exactly_the_announced_bytes_at_the_host_of_the_region(
    files: S3FileStore, bucket: str
) -> None:
    url = urlsplit(files.upload_url("uploads/k/a", 1234, 60))
    parameters = parse_qs(url.query)
    assert url.path == "/uploads/k/a"
    assert url.hostname == f"{bucket}.s3.amazonaws.com"  # of us-east-1
    assert parameters["X-Amz-SignedHeaders"] == ["content-length;host"]
    assert parameters["X-Amz-Expires"] == ["60"]


def test_a_download_url_makes_browsers_save_the_file_under_its_name(files: S3FileStore) -> None:
    parameters = parse_qs(urlsplit(files.download_url("a", 'é "x".csv', 60)).query)
    assert parameters["response-content-disposition"] == ["attachment; filename*=UTF-8''%C3%A9%20%22x%22.csv"]

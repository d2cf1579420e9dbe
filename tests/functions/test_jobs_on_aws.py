"""Bulk jobs by the deployed handlers over a table, a bucket and a queue; and a service without a bucket."""

import csv
import os
from dataclasses import replace
from io import BytesIO
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

import boto3
import pytest

from coolid.aws.settings import JOB_BUCKET, JOB_QUEUE_URL, InvalidSettings
from coolid.http.dialects.ezid import download_endpoint
from tests.support.fixtures.functions import Functions
from tests.support.fixtures.system import TablesSystem, new_bucket

JOBS = "/api/v1/jobs"
ROWS = 30
TICK = {"source": "aws.events", "time": "2026-01-02T03:04:05Z"}


class Context:
    """The context of an invocation that may take as long as the function's timeout."""

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        return 29_000


class Deployed:
    """The functions of a system, with a bucket and a queue whose messages start the manage function."""

    def __init__(self, tables: TablesSystem) -> None:
        self.bucket = new_bucket()
        self.sqs = boto3.client("sqs")
        self.queue = self.sqs.create_queue(QueueName=self.bucket)["QueueUrl"]
        settings = {JOB_BUCKET: self.bucket, JOB_QUEUE_URL: self.queue}
        with patch.dict(os.environ, {**tables.surroundings, **tables.environment, **settings}, clear=True):
            functions = Functions.load()
        self.system = replace(tables, invoke=functions.invoke)
        self.manage = functions.handlers["manage"]

    def upload(self, content: bytes) -> str:
        """Upload a file as a signed URL does."""
        begun = self.system.admin("POST", "/api/v1/uploads", {"size": len(content)}).json()
        key = unquote(urlsplit(begun["url"]).path).removeprefix("/")
        boto3.client("s3").put_object(Bucket=self.bucket, Key=key, Body=content)
        return str(begun["upload"])

    def deliver(self) -> int:
        """Invoke the function with each message until there is none. Return the number of messages."""
        delivered = 0
        while found := self.sqs.receive_message(QueueUrl=self.queue).get("Messages"):
            for each in found:
                record = {"eventSource": "aws:sqs", "messageId": each["MessageId"], "body": each["Body"]}
                assert self.manage({"Records": [record]}, Context()) == {"batchItemFailures": []}
                self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=each["ReceiptHandle"])
                delivered += 1
        return delivered


@pytest.fixture
def deployed(fresh_tables: TablesSystem) -> Deployed:
    return Deployed(fresh_tables)


def test_an_uploaded_file_becomes_records_by_messages_of_the_queue(deployed: Deployed) -> None:
    lines = ["uri,metadata.row", *(f"https://content.example.org/{at},{at}" for at in range(ROWS))]
    document: dict[str, Any] = {"operation": "mint", "prefix": "demo", "dry_run": True}
    created = deployed.system.admin("POST", JOBS, {**document, "upload": deployed.upload("\n".join(lines).encode())})
    assert created.status == 202, created.body
    address = f"{JOBS}/{created.json()['id']}"
    assert deployed.deliver() >= 1
    assert deployed.system.admin("GET", address).json()["state"] == "previewed"
    assert deployed.system.admin("POST", f"{address}/run").status == 202
    assert deployed.deliver() >= 1
    done = deployed.system.admin("GET", address).json()
    assert (done["state"], done["counts"]["succeeded"]) == ("done", ROWS)
    results = deployed.system.admin("GET", f"{address}/results").content
    rows = [*csv.DictReader(results.decode().splitlines())]
    assert [row["metadata.row"] for row in rows] == [str(at) for at in range(ROWS)]
    path = urlsplit(rows[7]["pid"]).path
    assert deployed.system.request("GET", path).headers["location"] == "https://content.example.org/7"


def test_a_batch_download_is_served_or_redirected_to_the_bucket(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed.system.mint({"prefix": "demo", "uri": "https://content.example.org/1"})
    form = [("Content-Type", "application/x-www-form-urlencoded")]
    body = b"format=csv&column=_target&compression=zip"
    begun = deployed.system.request("POST", "/download_request", headers=form, body=body, key=deployed.system.admin_key)
    path = urlsplit(begun.body.removeprefix("success: ")).path
    assert deployed.system.request("GET", path).status == 404
    assert deployed.deliver() >= 1
    served = deployed.system.request("GET", path)
    assert (served.status, served.headers["content-type"]) == (200, "application/zip")
    with ZipFile(BytesIO(served.content)) as archive:
        assert "https://content.example.org/1" in archive.read(archive.namelist()[0]).decode().splitlines()
    monkeypatch.setattr(download_endpoint, "MAX_INLINE_BYTES", 1)
    redirected = deployed.system.request("GET", path)
    assert (redirected.status, redirected.headers["cache-control"]) == (302, "no-store")
    assert urlsplit(redirected.headers["location"]).path.endswith("/download")
    assert "Signature=" in redirected.headers["location"]


def test_the_schedule_finds_no_forgotten_job_among_new_ones(deployed: Deployed) -> None:
    content = deployed.upload(b"uri\nhttps://content.example.org/1\n")
    deployed.system.admin("POST", JOBS, {"operation": "mint", "prefix": "demo", "upload": content})
    assert deployed.manage(TICK, Context()) == {"batchItemFailures": []}
    waiting = "ApproximateNumberOfMessages"
    attributes = deployed.sqs.get_queue_attributes(QueueUrl=deployed.queue, AttributeNames=[waiting])["Attributes"]
    assert attributes[waiting] == "1"


@pytest.mark.parametrize(
    ("method", "path"), [("GET", JOBS), ("POST", JOBS), ("GET", f"{JOBS}/k3x9"), ("POST", "/api/v1/uploads")]
)
def test_without_a_bucket_the_addresses_of_jobs_name_the_missing_setting(
    light_tables: TablesSystem, method: str, path: str
) -> None:
    answer = light_tables.admin(method, path)
    assert (answer.status, JOB_BUCKET in answer.json()["detail"]) == (501, True)
    assert light_tables.request(method, path).status == 401


def test_without_a_bucket_a_batch_download_is_not_available(light_tables: TablesSystem) -> None:
    form = [("Content-Type", "application/x-www-form-urlencoded")]
    key = light_tables.admin_key
    answer = light_tables.request("POST", "/download_request", headers=form, body=b"format=anvl", key=key)
    assert (answer.status, answer.body) == (501, "error: batch downloads are not set up")


def test_without_a_bucket_events_of_jobs_are_an_error_of_the_deployment(light_tables: TablesSystem) -> None:
    with patch.dict(os.environ, {**light_tables.surroundings, **light_tables.environment}, clear=True):
        manage = Functions.load().handlers["manage"]
        with pytest.raises(InvalidSettings, match=JOB_BUCKET):
            manage(TICK, Context())

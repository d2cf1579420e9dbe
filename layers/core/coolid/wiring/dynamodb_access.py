"""The store over DynamoDB's tables, and its diagnostic checks, with boto3."""

from collections.abc import Mapping
from typing import Any

from coolid.aws.diagnostics import diagnostic_checks
from coolid.aws.dynamodb.client import DynamoClient
from coolid.aws.dynamodb.jobs import DynamoJobs
from coolid.aws.dynamodb.store import dynamo_store
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.job_queue import SqsJobQueue
from coolid.aws.s3_file_store import S3FileStore
from coolid.aws.settings import Settings
from coolid.http.management.diagnostics import Diagnostic
from coolid.ports import Clock, Signer
from coolid.store.jobs import JobAccess, NoQueue
from coolid.store.store import Store
from coolid.wiring.boto_clients import FILES, READS, SENDING, WRITES, client, dynamodb


def open_tables(settings: Settings) -> Store:
    """Return the store with the configured tables, in the client's region."""
    return table_store(settings, dynamodb(WRITES))


def table_store(settings: Settings, tables: Any) -> Store:
    """Return the store with the configured tables, over a low-level boto3 client."""
    return dynamo_store(BotoTransport(tables), bind(settings, tables), deployment=settings.deployment)


def open_jobs(settings: Settings) -> JobAccess:
    """Return the configured table, bucket and queue of bulk jobs, in the client's region."""
    tables = dynamodb(WRITES)
    jobs = DynamoJobs(DynamoClient(BotoTransport(tables), bind(settings, tables)))
    files = S3FileStore(client("s3", FILES), settings.job_bucket)
    url = settings.job_queue_url
    return JobAccess(jobs, files, SqsJobQueue(client("sqs", SENDING), url) if url else NoQueue())


def table_diagnostics(settings: Settings, signer: Signer, clock: Clock) -> Mapping[str, Diagnostic]:
    """Return the checks of the tables, the signing key and the clock, by name."""
    return diagnostic_checks(settings, dynamodb(READS), signer, clock)

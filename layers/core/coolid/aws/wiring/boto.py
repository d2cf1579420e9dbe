"""boto3's clients of DynamoDB, and how patient they are."""

from typing import Any, Final

import boto3
from botocore.config import Config

from coolid.aws.asking.own import PATIENCE

# botocore's defaults (60 s, five attempts) would hold a reader for minutes when the store does not answer; this is as
# patient as our own client, for the same reasons. An attempt lasts at most twice the connect timeout (TCP, then TLS)
# and the read timeout. "standard" retries would wait up to a second when throttled, or as long as an
# `x-amz-retry-after` of several seconds says; "legacy" ones wait 50 ms.
READS: Final = Config(
    connect_timeout=PATIENCE.connect,
    read_timeout=PATIENCE.answer,
    retries={"mode": "legacy", "total_max_attempts": PATIENCE.attempts},
)
WRITES: Final = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})


def dynamodb(config: Config) -> Any:
    """A low-level client; region, credentials and `AWS_ENDPOINT_URL` come from the environment as always."""
    return boto3.client("dynamodb", config=config)

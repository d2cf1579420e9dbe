"""boto3's clients, how patient they are, and what limits and checks their calls."""

from typing import Any, Final

import boto3
from botocore.config import Config

from coolid.aws.boto_time_limits import bound
from coolid.aws.dynamodb_client.http_transport import PATIENCE
from coolid.aws.response_checks import check

# botocore's defaults (60 s, five attempts) would hold a reader for minutes when the store does not answer; this is as
# patient as our own client, for the same reasons. An attempt lasts at most twice the connect timeout (TCP, then TLS)
# and the read timeout. "standard" retries would wait up to a second when throttled, or as long as an
# `x-amz-retry-after` of several seconds says; "legacy" ones wait 50 ms.
READS: Final = Config(
    connect_timeout=PATIENCE.connect,
    read_timeout=PATIENCE.answer,
    retries={"mode": "legacy", "total_max_attempts": PATIENCE.attempts},
)
# pynamodb and the store build their calls themselves: to validate each again takes as long as to sign it.
WRITES: Final = Config(
    connect_timeout=2,
    read_timeout=5,
    retries={"mode": "standard", "total_max_attempts": 4},
    parameter_validation=False,
)


def client(service: str, config: Config) -> Any:
    """Return a low-level client, whose attempts end in time and whose answers are checked.

    Region, credentials and `AWS_ENDPOINT_URL` come from the environment as always.
    """
    make: Any = boto3.client  # its types require a literal for the service's name
    return bound(make(service, config=config), check)


def dynamodb(config: Config) -> Any:
    """Return a low-level client of DynamoDB."""
    return client("dynamodb", config)

"""boto3 clients with timeouts, time limits and response checks."""

from typing import Any, Final

import boto3
from botocore.config import Config

from coolid.aws.boto_time_limits import limit_calls
from coolid.aws.dynamodb_client.http_transport import DEFAULT_TIMEOUTS
from coolid.aws.response_checks import check

# botocore's defaults (60 s, five attempts) would block a reader for minutes if the store does not respond. These limits
# equal those of `http_transport`. An attempt takes at most twice the connect timeout (TCP, TLS) and the read timeout.
# "standard" retries would wait up to a second when throttled, or for an `x-amz-retry-after` of several seconds;
# "legacy" retries wait 50 ms.
READS: Final = Config(
    connect_timeout=DEFAULT_TIMEOUTS.connect_seconds,
    read_timeout=DEFAULT_TIMEOUTS.response_seconds,
    retries={"mode": "legacy", "total_max_attempts": DEFAULT_TIMEOUTS.attempts},
)
# Validation would take as long as signing, and pynamodb and the store build valid calls.
WRITES: Final = Config(
    connect_timeout=2,
    read_timeout=5,
    retries={"mode": "standard", "total_max_attempts": 4},
    parameter_validation=False,
)
SIGNING: Final = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
SENDING: Final = Config(connect_timeout=1, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})
# Checksums beyond those of TLS would be part of signed URLs, for which no client has them. With `virtual`, signed URLs
# name the host of the bucket's region, which pages may use (UPLOAD_ORIGIN).
FILES: Final = Config(
    connect_timeout=2,
    read_timeout=10,
    retries={"mode": "standard", "total_max_attempts": 3},
    signature_version="s3v4",
    s3={"addressing_style": "virtual"},
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
# The files of the transparency log, which have at most some 100 KB each. Requests for them wait no longer.
LOG_FILES: Final = Config(
    connect_timeout=1,
    read_timeout=3,
    retries={"mode": "standard", "total_max_attempts": 3},
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


def client(service: str, config: Config) -> Any:
    """Return a low-level client with time limits and response checks.

    Region, credentials and `AWS_ENDPOINT_URL` come from the environment, as in boto3.
    """
    make: Any = boto3.client  # its types require a literal service name
    return limit_calls(make(service, config=config), check)


def dynamodb(config: Config) -> Any:
    """Return a low-level client for DynamoDB."""
    return client("dynamodb", config)

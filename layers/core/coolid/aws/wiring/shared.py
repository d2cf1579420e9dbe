"""What the functions of one process have in common: a low-level DynamoDB client and what is remembered of the store."""

from functools import cache
from typing import Any, Final

import boto3
from botocore.config import Config

from coolid.aws.reading import DynamoReader
from coolid.aws.settings import Settings
from coolid.aws.world import passing
from coolid.domain.memory import RememberingReader

# botocore's defaults (60 s, five attempts) would hold a reader for minutes when the store does not answer. The second
# attempt is for a connection that was closed while the function slept, and for one slow answer among many. An attempt
# lasts at most twice the connect timeout (TCP, then TLS) and the read timeout, so that a read is given up after about
# two seconds. "standard" retries would wait up to a second when throttled, or as long as an `x-amz-retry-after` of
# several seconds says; "legacy" ones wait 50 ms.
READS: Final = Config(connect_timeout=0.25, read_timeout=0.5, retries={"mode": "legacy", "total_max_attempts": 2})
WRITES: Final = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})


def dynamodb(config: Config) -> Any:
    """A low-level client; region, credentials and `AWS_ENDPOINT_URL` come from the environment as always."""
    return boto3.client("dynamodb", config=config)


def remembering_reader(settings: Settings) -> RememberingReader:
    """The reader of the public side, one a process for the same tables, whichever function asks."""
    return _remembering_reader(settings.prefix_table, settings.lui_table)


@cache
def _remembering_reader(prefix_table: str, lui_table: str) -> RememberingReader:
    return RememberingReader(DynamoReader(dynamodb(READS), prefix_table, lui_table), passing())

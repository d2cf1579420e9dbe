"""What the functions of one process have in common: what asks DynamoDB, and what is remembered of the answers."""

import os
from contextlib import suppress
from functools import cache

from coolid.aws.clock import monotonic_seconds
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.aws.dynamodb_client.endpoints import UnsupportedConfiguration
from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.aws.dynamodb_client.transport import Transport
from coolid.aws.settings import OWN, Settings, store_client
from coolid.resolution.caching_reader import CachingReader


def dynamodb_transport() -> Transport:
    """Our own client, unless `STORE_CLIENT` says boto3, or the environment asks for what only boto3 does.

    Raises `InvalidSettings`.
    """
    if store_client(os.environ) == OWN:
        with suppress(UnsupportedConfiguration):
            return HttpTransport.read(os.environ)
    from coolid.aws.dynamodb_client.boto_transport import BotoTransport
    from coolid.aws.wiring.boto_clients import READS, dynamodb

    return BotoTransport(dynamodb(READS))


def caching_reader(settings: Settings) -> CachingReader:
    """The reader of the public side, one a process for the same tables, whichever function asks."""
    return _remembering_reader(settings.prefix_table, settings.lui_table)


@cache
def _remembering_reader(prefix_table: str, lui_table: str) -> CachingReader:
    return CachingReader(DynamoReader(dynamodb_transport(), prefix_table, lui_table), monotonic_seconds())

"""What the functions of one process have in common: what asks DynamoDB, and what is remembered of the answers."""

import os
from contextlib import suppress
from functools import cache

from coolid.aws.clock import passing
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.aws.dynamodb_client.endpoints import NotOurs
from coolid.aws.dynamodb_client.http_transport import OwnAsker
from coolid.aws.dynamodb_client.transport import Asker
from coolid.aws.settings import OWN, Settings, store_client
from coolid.resolution.caching_reader import RememberingReader


def asker() -> Asker:
    """Our own client, unless `STORE_CLIENT` says boto3, or the environment asks for what only boto3 does.

    Raises `BadSettings`.
    """
    if store_client(os.environ) == OWN:
        with suppress(NotOurs):
            return OwnAsker.read(os.environ)
    from coolid.aws.dynamodb_client.boto_transport import BotoAsker
    from coolid.aws.wiring.boto_clients import READS, dynamodb

    return BotoAsker(dynamodb(READS))


def remembering_reader(settings: Settings) -> RememberingReader:
    """The reader of the public side, one a process for the same tables, whichever function asks."""
    return _remembering_reader(settings.prefix_table, settings.lui_table)


@cache
def _remembering_reader(prefix_table: str, lui_table: str) -> RememberingReader:
    return RememberingReader(DynamoReader(asker(), prefix_table, lui_table), passing())

"""The reads that the applications of one process share: the transport to DynamoDB and the caching reader."""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING

from coolid.aws.clock import monotonic_seconds
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.aws.dynamodb_client.endpoints import UnsupportedConfiguration
from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.aws.dynamodb_client.transport import Transport
from coolid.aws.settings import OWN, Settings, store_client
from coolid.http.operator import identity
from coolid.resolution.caching_reader import CachingReader

if TYPE_CHECKING:
    from coolid.sqlite.database import Database


def dynamodb_transport() -> Transport:
    """Return an `HttpTransport`, or a `BotoTransport` if `STORE_CLIENT` or an unsupported configuration requires it.

    Raises `InvalidSettings`.
    """
    if store_client(os.environ) == OWN:
        with suppress(UnsupportedConfiguration):
            return HttpTransport.read(os.environ)
    from coolid.aws.dynamodb_client.boto_transport import BotoTransport
    from coolid.wiring.boto_clients import READS, dynamodb

    return BotoTransport(dynamodb(READS))


def caching_reader(settings: Settings) -> CachingReader:
    """Return the reader of the public functions. A process has one for each database or pair of tables."""
    if settings.database:
        from coolid.wiring.database_access import database_access

        return database_access(settings.database).reader
    return _caching_reader(settings.prefix_table, settings.lui_table)


def provide_identity() -> None:
    """Let the pages of this process show the operator's identity. It is read with the first page."""
    identity.provide(_read_identity)


def _read_identity() -> identity.Identity:
    from coolid.wiring.operator_settings import operator_environment, read_identity

    return read_identity(operator_environment(os.environ))


def write_check(settings: Settings) -> Callable[[], bool] | None:
    """Return a function that returns whether the configured database accepts writes, or None for DynamoDB.

    See `coolid.wiring.write_check`. In a read-only service the function writes nothing.
    """
    if not settings.database:
        return None
    from coolid.wiring.database_access import database_access
    from coolid.wiring.write_check import WriteCheck

    database = database_access(settings.database).database
    return partial(_refuses_writes, database) if settings.read_only else WriteCheck(database)


def _refuses_writes(database: "Database") -> bool:
    """Return False, for a read-only service. Raises `StoreUnavailable` if a file was deleted or replaced."""
    database.require_own_files()
    return False


@cache
def _caching_reader(prefix_table: str, lui_table: str) -> CachingReader:
    return CachingReader(DynamoReader(dynamodb_transport(), prefix_table, lui_table), monotonic_seconds())

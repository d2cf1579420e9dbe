"""The wiring of the index function."""

import os
from collections.abc import Callable
from typing import Any

from coolid.aws.dynamodb.log_rows import DynamoLogRows
from coolid.aws.dynamodb.table_reader import TableReader
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.entropy import SystemEntropy
from coolid.aws.record_index.completion import IndexCompletion
from coolid.aws.record_index.index_function import Event, IndexFunction
from coolid.aws.record_index.index_writer import IndexWriter
from coolid.aws.record_index.stream_consumer import StreamConsumer
from coolid.aws.settings import INDEX_TABLE, Settings, TelemetrySettings
from coolid.aws.transparency_log.stream_feed import StreamFeed
from coolid.ports import Count, Log
from coolid.wiring.boto_clients import WRITES, dynamodb
from coolid.wiring.powertools import counter, logger


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for events of the tables' streams and of the schedule."""
    settings = Settings.read(os.environ, writes=False, also=[INDEX_TABLE])
    telemetry = TelemetrySettings.read(os.environ, "index")
    log, count = logger(telemetry), counter(telemetry)
    client = dynamodb(WRITES)
    writer = IndexWriter(client, settings.index_table)
    completion = IndexCompletion(TableReader(BotoTransport(client)), writer, settings, log, count)
    index_function = IndexFunction(StreamConsumer(writer, log, count), completion, _feed(settings, log, count))

    def index(event: Event, context: Any) -> dict[str, Any]:
        return index_function(event, context.get_remaining_time_in_millis() / 1000)

    return index


def _feed(settings: Settings, log: Log, count: Count) -> StreamFeed | None:
    """Return the feed of the transparency log, None in a region that has none."""
    if not settings.log_table:
        return None
    return StreamFeed(DynamoLogRows(dynamodb(WRITES), settings.log_table, SystemEntropy()), log, count)

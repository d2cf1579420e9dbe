"""The wiring of the index function."""

import os
from collections.abc import Callable
from typing import Any

from coolid.aws.dynamodb.table_reader import TableReader
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.record_index.completion import IndexCompletion
from coolid.aws.record_index.index_function import Event, IndexFunction
from coolid.aws.record_index.index_writer import IndexWriter
from coolid.aws.record_index.stream_consumer import StreamConsumer
from coolid.aws.settings import INDEX_TABLE, Settings, TelemetrySettings
from coolid.wiring.boto_clients import WRITES, dynamodb
from coolid.wiring.powertools import counter, logger


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for events of the stream of records and of the schedule."""
    settings = Settings.read(os.environ, writes=False, also=[INDEX_TABLE])
    telemetry = TelemetrySettings.read(os.environ, "index")
    log, count = logger(telemetry), counter(telemetry)
    client = dynamodb(WRITES)
    writer = IndexWriter(client, settings.index_table)
    completion = IndexCompletion(TableReader(BotoTransport(client)), writer, settings, log, count)
    index_function = IndexFunction(StreamConsumer(writer, log, count), completion)

    def index(event: Event, context: Any) -> dict[str, Any]:
        return index_function(event, context.get_remaining_time_in_millis() / 1000)

    return index

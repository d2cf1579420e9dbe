"""The wiring of the redirects function."""

import os
from collections.abc import Callable
from typing import Any, Final

from botocore.config import Config

from coolid.aws.clock import SystemClock
from coolid.aws.dynamodb.reader import DynamoPrefixReader
from coolid.aws.dynamodb.table_reader import TableReader
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.edge_redirects.key_value_store import CloudFrontKeyValueStore
from coolid.aws.edge_redirects.ledger_file import S3LedgerFile
from coolid.aws.edge_redirects.update_function import Event, UpdateFunction
from coolid.aws.settings import JOB_BUCKET, TelemetrySettings, require_base_url, require_settings
from coolid.edge.store_writer import StoreWriter
from coolid.edge.synchroniser import Synchroniser
from coolid.wiring.boto_clients import FILES, WRITES, client, dynamodb
from coolid.wiring.powertools import counter, logger

STORE: Final = "KEY_VALUE_STORE_ARN"
# Each attempt has a price, and an update whose response was lost fails if it is repeated. So only throttling and broken
# connections are retried, once. Validation would take as long as signing.
CLIENT_CONFIG: Final = Config(
    connect_timeout=2,
    read_timeout=10,
    retries={"mode": "standard", "total_max_attempts": 2},
    parameter_validation=False,
)


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for events of the update queue and of the schedule."""
    settings = require_settings(os.environ, ("PREFIX_TABLE", "PUBLIC_BASE_URL", JOB_BUCKET, STORE))
    base_url = require_base_url("PUBLIC_BASE_URL", settings["PUBLIC_BASE_URL"])
    telemetry = TelemetrySettings.read(os.environ, "redirects")
    clock = SystemClock()
    store = CloudFrontKeyValueStore(client("cloudfront-keyvaluestore", CLIENT_CONFIG), settings[STORE])
    file = S3LedgerFile(client("s3", FILES), settings[JOB_BUCKET])
    reader = DynamoPrefixReader(TableReader(BotoTransport(dynamodb(WRITES))), settings["PREFIX_TABLE"])
    synchroniser = Synchroniser(StoreWriter(store, file, settings[STORE], base_url, clock), reader, base_url)
    function = UpdateFunction(synchroniser, clock, logger(telemetry), counter(telemetry))

    def redirects(event: Event, context: Any) -> dict[str, Any]:
        return function(event, lambda: context.get_remaining_time_in_millis() / 1000)

    return redirects

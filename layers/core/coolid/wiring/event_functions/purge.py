"""The wiring of the purge function."""

import os
from collections.abc import Callable
from typing import Any, Final

from botocore.config import Config

from coolid.aws.clock import SystemClock
from coolid.aws.edge_purge.invalidations import Distribution
from coolid.aws.edge_purge.purger import DelayQueue, Event, Purger
from coolid.aws.edge_redirects.update_queue import UpdateQueue
from coolid.aws.settings import TelemetrySettings, require_settings
from coolid.wiring.boto_clients import client
from coolid.wiring.powertools import counter, logger

DISTRIBUTION: Final = "DISTRIBUTION_ID"
QUEUE: Final = "PURGE_QUEUE_URL"
EDGE_QUEUE: Final = "EDGE_QUEUE_URL"
# An attempt takes at most 7 s (TCP, TLS, response). Three attempts with pauses fit the function's timeout of 30 s.
CLIENT_CONFIG: Final = Config(connect_timeout=1, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for events of the tables' streams and of the purge queue."""
    settings = require_settings(os.environ, (DISTRIBUTION, QUEUE))
    telemetry = TelemetrySettings.read(os.environ, "purge")
    sqs = client("sqs", CLIENT_CONFIG)
    edge_queue = os.environ.get(EDGE_QUEUE, "")  # empty if the edge does not redirect
    purger = Purger(
        DelayQueue(sqs, settings[QUEUE]),
        Distribution(client("cloudfront", CLIENT_CONFIG), settings[DISTRIBUTION]),
        SystemClock(),
        logger(telemetry),
        counter(telemetry),
        UpdateQueue(sqs, edge_queue) if edge_queue else None,
    )

    def purge(event: Event, _context: Any) -> dict[str, Any]:
        return purger(event)

    return purge

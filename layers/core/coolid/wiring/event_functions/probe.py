"""The wiring of the probe function."""

import os
from collections.abc import Callable
from typing import Any, Final

from coolid.aws.check_function import CheckFunction
from coolid.aws.edge_purge.purger import Event
from coolid.aws.settings import TelemetrySettings, require_settings
from coolid.wiring.check_queue import fifo_queue
from coolid.wiring.check_service import build_check_service
from coolid.wiring.powertools import counter, logger

QUEUE: Final = "PROBE_QUEUE_URL"


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for the schedule's events and for check batches."""
    url = require_settings(os.environ, (QUEUE,))[QUEUE]
    telemetry = TelemetrySettings.read(os.environ, "probe")
    log, count = logger(telemetry), counter(telemetry)
    service = build_check_service(os.environ, fifo_queue(url), log, count)
    check_function = CheckFunction(service, log, count)

    def probe(event: Event, context: Any) -> dict[str, Any]:
        return check_function(event, context.get_remaining_time_in_millis() / 1000)

    return probe

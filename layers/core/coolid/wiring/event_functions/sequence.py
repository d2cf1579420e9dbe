"""The wiring of the sequence function."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from coolid.aws.clock import SystemClock
from coolid.aws.settings import LOG_BUCKET, LOG_KEY_ID, LOG_TABLE, PULSE_TABLE, Settings, TelemetrySettings
from coolid.aws.transparency_log.log_location import LogLocation, require_location
from coolid.aws.transparency_log.sequence_function import Event, SequenceFunction
from coolid.wiring.boto_clients import WRITES, dynamodb
from coolid.wiring.log_access import open_log_access
from coolid.wiring.log_sequencer import build_sequencer, build_sweep
from coolid.wiring.powertools import counter, logger
from coolid.wiring.write_access import open_store, prover

_SETTINGS: Final = ("CLIENT_TABLE", PULSE_TABLE, "SIGNING_KEY_ID", LOG_TABLE, LOG_BUCKET, LOG_KEY_ID)


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for events of the schedule."""
    settings = Settings.read(os.environ, writes=False, also=_SETTINGS)
    telemetry = TelemetrySettings.read(os.environ, "sequence")
    log, count = logger(telemetry), counter(telemetry)
    access, store = open_log_access(settings, writes=True), open_store(settings)
    assert access is not None  # all its settings are required above
    sequencer = build_sequencer(access, store, prover(settings, store), settings.public_base_url, log, count)
    location = LogLocation(settings.log_table, settings.log_bucket, settings.log_key_id)
    require_own_log = partial(require_location, dynamodb(WRITES), settings.lui_table, location)
    function = SequenceFunction(sequencer, build_sweep(access, store), require_own_log, SystemClock(), log, count)

    def sequence(event: Event, context: Any) -> dict[str, Any]:
        return function(event, context.get_remaining_time_in_millis() / 1000)

    return sequence

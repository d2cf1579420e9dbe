"""Listeners of the service: the access log and unexpected errors on the standard output, and counts."""

import sys
from collections.abc import Mapping
from functools import cache

from coolid.aws.settings import TelemetrySettings
from coolid.aws.telemetry.logs import reporter, request_logger
from coolid.http.application import Listeners
from coolid.local.log_output import LogOutput
from coolid.ports import Count


def service_listeners(environment: Mapping[str, str], base_url: str, count: Count) -> Listeners:
    """Return listeners that write JSON lines as on Lambda (`coolid.aws.telemetry.logs`) and pass counts to `count`.

    Requests are logged unless `LOG_REQUESTS` is `off`. Raises `InvalidSettings`.
    """
    telemetry = TelemetrySettings.read(environment, "serve")
    on_response = request_logger(telemetry, base_url, count, write_line)
    return Listeners(count, reporter(telemetry, count, write_line), on_response)


def write_line(line: str) -> None:
    """Write a line to the standard output, without waiting for its reader."""
    if output := _output():
        output.write(line)


@cache
def _output() -> LogOutput | None:
    """Return the process's only output, or None if it was started with a closed standard output."""
    return LogOutput(sys.__stdout__.fileno()) if sys.__stdout__ else None

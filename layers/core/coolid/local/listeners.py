"""Listeners of the service: the access log and unexpected errors on the standard output, and counts."""

import logging
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import TextIO

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
    if output := _output(sys.__stdout__):
        output.write(line)


def write_error_line(line: str) -> None:
    """Write a line to the standard error, without waiting for its reader. Control characters are replaced."""
    if output := _output(sys.__stderr__):
        output.write("".join(each if each.isprintable() else "\ufffd" for each in line))


class ErrorLog(logging.Handler):
    """Writes the log records of libraries, such as uvicorn and asyncio, with `write_error_line`."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message and its traceback, a line each."""
        for line in self.format(record).splitlines():
            write_error_line(line)


class WarningLog:
    """Implements `coolid.ports.Log`: passes warnings and errors about a `subject` to `warn`, a sentence each."""

    def __init__(self, subject: str, warn: Callable[[str], None]) -> None:
        self._subject = subject
        self._warn = warn

    def info(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """Do nothing."""

    def warning(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        """See `Log.warning`. The reason is included, if there is one."""
        reason = extra.get("reason")
        self._warn(f"{self._subject}: {message}" + (f": {reason}" if reason else ""))

    error = warning


@cache
def _output(stream: TextIO | None) -> LogOutput | None:
    """Return the process's only output to a stream, or None if the process was started with the stream closed."""
    return LogOutput(stream.fileno()) if stream else None

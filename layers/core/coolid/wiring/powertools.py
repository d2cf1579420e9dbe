"""Logs and metrics by Powertools, for all functions except resolve. They have the format of `coolid.aws.telemetry`."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from coolid.aws.settings import TelemetrySettings
from coolid.aws.telemetry.logs import error_fields, request_logger
from coolid.aws.telemetry.metrics import FUNCTION, NAMESPACE, discard_count, unit_of
from coolid.http.application import Listeners, Reporter
from coolid.http.message import Request
from coolid.metric_names import UNFORESEEN_ERROR
from coolid.ports import Count


def logger(settings: TelemetrySettings) -> Logger:
    """Return the structured logger of a function."""
    return Logger(service=settings.service, use_rfc3339=True)  # else Lambda ignores the level


def reporter(settings: TelemetrySettings, count: Count) -> Reporter:
    """See `coolid.aws.telemetry.logs.reporter`."""
    log = logger(settings)

    def report(error: Exception, request: Request) -> None:
        log.error("unforeseen error", **error_fields(error, request))
        count(UNFORESEEN_ERROR)

    return report


def listeners(settings: TelemetrySettings, base_url: str) -> Listeners:
    """Return the listeners of a function."""
    count = counter(settings)
    return Listeners(count, reporter(settings, count), request_logger(settings, base_url, count))


def counter(settings: TelemetrySettings) -> Count:
    """See `coolid.aws.telemetry.metrics.counter`. Checks the switch itself, because `single_metric` does not."""
    if not settings.counts:
        return discard_count

    def count(name: str, value: int = 1, **dimensions: str) -> None:
        with single_metric(name=name, unit=MetricUnit(unit_of(name)), value=value, namespace=NAMESPACE) as metric:
            for dimension, text in {FUNCTION: settings.function, **dimensions}.items():
                metric.add_dimension(name=dimension, value=text)

    return count

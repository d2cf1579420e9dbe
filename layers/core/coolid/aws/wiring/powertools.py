"""Powertools, which writes the logs and metrics of all functions but resolve: the same lines, by a logging stack."""

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from coolid.aws.telemetry.logs import facts
from coolid.aws.telemetry.metrics import FUNCTION, NAMESPACE, discard_count, unit_of
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.http.application import Reporter
from coolid.http.message import Request
from coolid.metric_names import UNFORESEEN_ERROR
from coolid.ports import Count


def logger(watched: TelemetrySettings) -> Logger:
    """The structured log of a function."""
    return Logger(service=watched.service, use_rfc3339=True)  # else Lambda takes no notice of the level


def reporter(watched: TelemetrySettings, count: Count) -> Reporter:
    """As of `coolid.aws.telemetry.logs`."""
    log = logger(watched)

    def report(error: Exception, request: Request) -> None:
        log.error("unforeseen error", **facts(error, request))
        count(UNFORESEEN_ERROR)

    return report


def counter(watched: TelemetrySettings) -> Count:
    """As of `coolid.aws.telemetry.metrics`; Powertools' switch is ours to see to in `single_metric`."""
    if not watched.counts:
        return discard_count

    def count(name: str, value: int = 1, **dimensions: str) -> None:
        with single_metric(name=name, unit=MetricUnit(unit_of(name)), value=value, namespace=NAMESPACE) as metric:
            for dimension, told in {FUNCTION: watched.function, **dimensions}.items():
                metric.add_dimension(name=dimension, value=told)

    return count

"""CloudWatch metrics, each written as one line of the embedded metric format (EMF).

The resolve function writes its few metrics with `counter`; the others use Powertools (`coolid.wiring.powertools`).
Of successful requests only mints are counted. The dimension is the function's name, for `Minted` the repository too. No
dimension holds a value that clients choose, because each new value is billed as a metric.

>>> from coolid.metric_names import STALE_ANSWER
>>> counter(TelemetrySettings("resolve", "r"), print, lambda: 1736933400000)(STALE_ANSWER)  # doctest: +ELLIPSIS
{"_aws":{"Timestamp":1736933400000,"CloudWatchMetrics":[...]},"function_name":"r","StaleAnswer":1}
"""

import sys
from collections.abc import Callable, Mapping
from time import time_ns
from typing import Final

from coolid.aws.settings import TelemetrySettings
from coolid.errors import (
    CoolidError,
    IdentifierTaken,
    PeersUnavailable,
    RefusedClaims,
    SignerUnavailable,
    StoreUnavailable,
)
from coolid.http.application import ErrorListener
from coolid.metric_names import (
    AGE,
    CLAIMS_REFUSED,
    EDGE_AGE,
    LOG_WAIT,
    MINT_CONFLICT,
    PEERS_UNAVAILABLE,
    SIGNER_ERROR,
    STORE_ERROR,
)
from coolid.ports import Count
from coolid.strict_json import dump

NAMESPACE: Final = "coolid"
FUNCTION: Final = "function_name"
REPOSITORY: Final = "repository"

UNITS: Final[Mapping[str, str]] = {AGE: "Seconds", EDGE_AGE: "Seconds", LOG_WAIT: "Seconds"}
"""The units (`StandardUnit` in CloudWatch's API) of metrics that are not counts."""

COUNTED_ERRORS: Final[Mapping[type[CoolidError], str]] = {
    StoreUnavailable: STORE_ERROR,
    SignerUnavailable: SIGNER_ERROR,
    PeersUnavailable: PEERS_UNAVAILABLE,
    RefusedClaims: CLAIMS_REFUSED,
}
"""The errors that are counted, with their metrics."""
COUNTED_MINT_ERRORS: Final = {**COUNTED_ERRORS, IdentifierTaken: MINT_CONFLICT}


def error_counter(count: Count, metric_names: Mapping[type[CoolidError], str] = COUNTED_ERRORS) -> ErrorListener:
    """Return a listener that counts an application's errors."""

    def count_error(error: CoolidError) -> None:
        for kind, name in metric_names.items():
            if isinstance(error, kind):
                count(name)

    return count_error


def unit_of(name: str) -> str:
    """Return the unit of a metric."""
    return UNITS.get(name, "Count")


def discard_count(name: str, value: int = 1, **dimensions: str) -> None:
    """Count nothing."""


def counter(
    settings: TelemetrySettings,
    write: Callable[[str], None] | None = None,
    milliseconds: Callable[[], int] | None = None,
) -> Count:
    """Return a function that writes counts to the function's log, from which CloudWatch reads them."""
    if not settings.counts:
        return discard_count

    def count(name: str, value: int = 1, **dimensions: str) -> None:
        named = {FUNCTION: settings.function, **dimensions}
        directive = {
            "Namespace": NAMESPACE,
            "Dimensions": [list(named)],
            "Metrics": [{"Name": name, "Unit": unit_of(name)}],
        }
        now = milliseconds() if milliseconds else time_ns() // 1_000_000
        (write or print_line)(
            dump({"_aws": {"Timestamp": now, "CloudWatchMetrics": [directive]}, **named, name: value})
        )

    return count


def print_line(line: str) -> None:
    """Write a line to the function's log in one call, because threads may write at the same time."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

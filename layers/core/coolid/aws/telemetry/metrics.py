"""Metrics: what is counted for CloudWatch, and a count as one line of its embedded metric format (EMF).

The resolve function writes its few counts with `counter`; Powertools does it for the others
(`coolid.aws.wiring.powertools`). Of requests that went well nothing is counted but mints. A metric is told apart by the
function's name, and `Minted` by its repository beside; never by anything that a client chooses, for every new value
would be a metric to pay for.

>>> from coolid.metric_names import STALE_ANSWER
>>> counter(TelemetrySettings("resolve", "r"), print, lambda: 1736933400000)(STALE_ANSWER)  # doctest: +ELLIPSIS
{"_aws":{"Timestamp":1736933400000,"CloudWatchMetrics":[...]},"function_name":"r","StaleAnswer":1}
"""

import sys
from collections.abc import Callable, Mapping
from time import time_ns
from typing import Final

from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.errors import CoolidError, IdentifierTaken, SignerUnavailable, StoreUnavailable
from coolid.http.application import ErrorListener
from coolid.metric_names import AGE, MINT_CONFLICT, SIGNER_ERROR, STORE_ERROR
from coolid.ports import Count
from coolid.strict_json import dump

NAMESPACE: Final = "coolid"
FUNCTION: Final = "function_name"
REPOSITORY: Final = "repository"

UNITS: Final[Mapping[str, str]] = {AGE: "Seconds"}
"""The units (`StandardUnit` in CloudWatch's API) of what is measured; anything else is counted."""

REFUSALS: Final[Mapping[type[CoolidError], str]] = {StoreUnavailable: STORE_ERROR, SignerUnavailable: SIGNER_ERROR}
"""The refusals that are counted, and as what."""
REFUSED_MINTS: Final = {**REFUSALS, IdentifierTaken: MINT_CONFLICT}


def listener(count: Count, counted: Mapping[type[CoolidError], str] = REFUSALS) -> ErrorListener:
    """What counts an application's refusals."""

    def heard(error: CoolidError) -> None:
        for kind, name in counted.items():
            if isinstance(error, kind):
                count(name)

    return heard


def unit_of(name: str) -> str:
    """The unit of a metric."""
    return UNITS.get(name, "Count")


def discard_count(name: str, value: int = 1, **dimensions: str) -> None:
    """Count nothing."""


def counter(
    watched: TelemetrySettings,
    write: Callable[[str], None] | None = None,
    milliseconds: Callable[[], int] | None = None,
) -> Count:
    """What writes counts to the function's log, where CloudWatch finds them."""
    if not watched.counts:
        return discard_count

    def count(name: str, value: int = 1, **dimensions: str) -> None:
        named = {FUNCTION: watched.function, **dimensions}
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
    """Write a line to the function's log, in one piece, for threads may write at the same time."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()

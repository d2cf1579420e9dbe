"""Metrics: what is counted for CloudWatch, and a count as one line of its embedded metric format (EMF).

The resolve function writes its few counts with `counter`; Powertools does it for the others
(`coolid.aws.wiring.powertools`). Of requests that went well nothing is counted but mints. A metric is told apart by the
function's name, and `Minted` by its repository beside; never by anything that a client chooses, for every new value
would be a metric to pay for.

>>> counter(Watched("resolve", "r"), print, lambda: 1736933400000)(STALE_ANSWER)  # doctest: +ELLIPSIS
{"_aws":{"Timestamp":1736933400000,"CloudWatchMetrics":[...]},"function_name":"r","StaleAnswer":1}
"""

import sys
from collections.abc import Callable, Mapping
from time import time_ns
from typing import Final, Protocol

from coolid.aws.telemetry.watched import Watched
from coolid.domain.documents import dump
from coolid.domain.errors import CoolidError, IdentifierTaken, SignerUnavailable, StoreUnavailable
from coolid.web.application import Listener

NAMESPACE: Final = "coolid"
FUNCTION: Final = "function_name"
REPOSITORY: Final = "repository"

MINTED: Final = "Minted"
MINT_CONFLICT: Final = "MintConflict"
"""An identifier that exists was chosen, or was drawn and drawn again."""
SIGNER_ERROR: Final = "SignerError"
STORE_ERROR: Final = "StoreError"
STALE_ANSWER: Final = "StaleAnswer"
"""The store failed, and memory answered."""
UNFORESEEN_ERROR: Final = "UnforeseenError"

CHANGES: Final = "Changes"
"""Changed rows that concern answers."""
UNREADABLE: Final = "PurgeUnreadable"
"""Records of the streams, and letters, that made no sense."""
PURGED: Final = "Purged"
"""Items that CloudFront was told to forget; each has its price."""
POSTPONED: Final = "PurgePostponed"
"""Letters that CloudFront had no time for; they come again."""
AGE: Final = "PurgeAge"
"""Seconds from the oldest change to its invalidation."""

PROBED: Final = "Probed"
"""Looks at providers and targets."""
WENT_DOWN: Final = "WentDown"
"""Providers and targets that are down now and were not before."""
PROBE_BUSY: Final = "ProbeBusy"
"""Looks that were refused for now (429, 503)."""
PROBE_BLIND: Final = "ProbeBlind"
"""Letters whose hosts were well, and of which none answered at all: nothing was concluded."""
PROBE_DROPPED: Final = "ProbeDropped"
"""Looks that waited for so long that they were not made."""
PROBE_UNREADABLE: Final = "ProbeUnreadable"
"""Messages of the queue that made no sense."""
UNDELIVERED: Final = "Undelivered"
"""Letters to webhooks that were given up."""

UNITS: Final[Mapping[str, str]] = {AGE: "Seconds"}
"""The units (`StandardUnit` in CloudWatch's API) of what is measured; anything else is counted."""

REFUSALS: Final[Mapping[type[CoolidError], str]] = {StoreUnavailable: STORE_ERROR, SignerUnavailable: SIGNER_ERROR}
"""The refusals that are counted, and as what."""
REFUSED_MINTS: Final = {**REFUSALS, IdentifierTaken: MINT_CONFLICT}


class Count(Protocol):
    """Adds to a metric, told apart by `dimensions` beside the function's name."""

    def __call__(self, name: str, value: int = 1, **dimensions: str) -> None:
        """Count `value` of `name`."""


def listener(count: Count, counted: Mapping[type[CoolidError], str] = REFUSALS) -> Listener:
    """What counts an application's refusals."""

    def heard(error: CoolidError) -> None:
        for kind, name in counted.items():
            if isinstance(error, kind):
                count(name)

    return heard


def unit_of(name: str) -> str:
    """The unit of a metric."""
    return UNITS.get(name, "Count")


def uncounted(name: str, value: int = 1, **dimensions: str) -> None:
    """Count nothing."""


def counter(
    watched: Watched, write: Callable[[str], None] | None = None, milliseconds: Callable[[], int] | None = None
) -> Count:
    """What writes counts to the function's log, where CloudWatch finds them."""
    if not watched.counts:
        return uncounted

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

"""Metrics of the service in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/).

The counters of all processes are in one shared file: each process adds to a row of its own, and any of them returns the
sums. A worker that is started again continues its predecessor's row, so that counters never decrease.

>>> metrics = Metrics.create(rows=2)
>>> metrics.count("MintConflict")
>>> metrics.observe(302, 0.0004)
>>> for line in metrics.text().splitlines():
...     if line.startswith(("coolid_requests_total", "coolid_mint_conflict")):
...         print(line)
coolid_requests_total{status="2xx"} 0
coolid_requests_total{status="3xx"} 1
coolid_requests_total{status="4xx"} 0
coolid_requests_total{status="5xx"} 0
coolid_mint_conflict_total 1
"""

import os
import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from mmap import mmap
from tempfile import TemporaryFile
from threading import Lock
from typing import Final

from coolid import metric_names as names
from coolid.version import __version__

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

COUNTERS: Final[Mapping[str, str]] = {
    names.MINTED: "Minted identifiers.",
    names.MINT_CONFLICT: "Mints whose chosen or random identifier existed already.",
    names.SIGNER_ERROR: "Failures of the signing key.",
    names.STORE_ERROR: "Failures of the store.",
    names.STALE_ANSWER: "Responses from the reader cache because the store failed.",
    names.UNFORESEEN_ERROR: "Errors that the program does not expect.",
    names.PROBED: "Checks of providers and targets.",
    names.WENT_DOWN: "Providers and targets whose state changed to down.",
    names.PROBE_BUSY: "Checks that got 429 or 503.",
    names.PROBE_BLIND: "Check batches whose results were discarded, because no healthy host responded.",
    names.PROBE_DROPPED: "Checks that waited too long and were dropped.",
    names.PROBE_UNREADABLE: "Check batches that could not be parsed.",
    names.UNDELIVERED: "Webhook notices that were given up.",
    names.PEERS_UNAVAILABLE: "LinkIDs that could not be looked up, because a peer could not be queried.",
    names.CLAIMS_REFUSED: "Lookups at peers in which claims to a LinkID were refused.",
    names.JOB_ROWS: "Rows of bulk jobs that were carried out or refused.",
    names.JOB_FAILED: "Bulk jobs that ended because of a failure.",
}
"""The counted events (`coolid.metric_names`) and their descriptions."""

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25)
"""The upper bounds of the histogram's buckets, in seconds."""

_STATUSES: Final = ("2xx", "3xx", "4xx", "5xx")
_RESTARTS: Final = "restarts"
_NANOSECONDS: Final = "nanoseconds"
_SLOTS: Final = (*_STATUSES, *BOUNDS, "+Inf", _NANOSECONDS, _RESTARTS, *COUNTERS)
_NUMBER: Final[Mapping[object, int]] = {slot: number for number, slot in enumerate(_SLOTS)}
_FIRST_BUCKET: Final = _NUMBER[BOUNDS[0]]
_BYTES: Final = 8


class Metrics:
    """The counters of one process, and the sums over all. Thread-safe."""

    def __init__(self, file: int, rows: int, row: int = 0) -> None:
        """Use this row of the shared file with this descriptor."""
        self.file, self.rows = file, rows
        self._memory = memoryview(mmap(file, rows * len(_SLOTS) * _BYTES)).cast("Q")
        self._first = row * len(_SLOTS)
        self._lock = Lock()

    @classmethod
    def create(cls, rows: int) -> "Metrics":
        """Return the metrics of row 0 in a new shared file, which is in memory on Linux."""
        zeros = bytes(rows * len(_SLOTS) * _BYTES)  # no holes: filling one on a full disk ends the process (SIGBUS)
        if sys.platform == "linux":
            descriptor = os.memfd_create("metrics")
            os.write(descriptor, zeros)
            return cls(descriptor, rows)
        with TemporaryFile(buffering=0) as file:
            file.write(zeros)
            return cls(os.dup(file.fileno()), rows)

    def count(self, name: str, value: int = 1, **_dimensions: str) -> None:
        """Count an event. See `coolid.ports.Count`. Dimensions and names without a description are ignored."""
        if name in COUNTERS:
            self._add(name, value)

    def count_restart(self) -> None:
        """Count the start of another worker in the place of one that ended."""
        self._add(_RESTARTS, 1)

    def observe(self, status: int, seconds: float) -> None:
        """Count a response and the time that it took."""
        with self._lock:
            memory, first = self._memory, self._first
            memory[first + status // 100 - 2] += 1
            memory[first + _FIRST_BUCKET + bisect_left(BOUNDS, seconds)] += 1
            memory[first + _NUMBER[_NANOSECONDS]] += round(seconds * 1e9)

    def text(self) -> str:
        """Return the sums over all processes in Prometheus' text format."""
        return "\n".join((*self._lines(), ""))

    def _add(self, slot: str, value: int) -> None:
        with self._lock:
            self._memory[self._first + _NUMBER[slot]] += value

    def _sum(self, slot: object) -> int:
        return sum(self._memory[_NUMBER[slot] :: len(_SLOTS)])

    def _lines(self) -> Iterator[str]:
        yield from _head("coolid_build_info", "gauge", "The release.")
        yield f'coolid_build_info{{version="{__version__}"}} 1'
        yield from _head("coolid_requests_total", "counter", "Responses by the class of their status.")
        for status in _STATUSES:
            yield f'coolid_requests_total{{status="{status}"}} {self._sum(status)}'
        yield from _head("coolid_request_seconds", "histogram", "Time from a request's head to its response.")
        total = 0
        for bound in (*BOUNDS, "+Inf"):
            total += self._sum(bound)
            yield f'coolid_request_seconds_bucket{{le="{bound}"}} {total}'
        yield f"coolid_request_seconds_sum {self._sum(_NANOSECONDS) / 1e9}"
        yield f"coolid_request_seconds_count {total}"
        yield from _head("coolid_worker_restarts_total", "counter", "Workers that ended and were started again.")
        yield f"coolid_worker_restarts_total {self._sum(_RESTARTS)}"
        for name, description in COUNTERS.items():
            metric = prometheus_name(name)
            yield from _head(metric, "counter", description)
            yield f"{metric} {self._sum(name)}"


def prometheus_name(name: str) -> str:
    """Return the name of a counter.

    >>> prometheus_name("MintConflict")
    'coolid_mint_conflict_total'
    """
    return f"coolid{re.sub('([A-Z])', lambda match: '_' + match[1].lower(), name)}_total"


def _head(metric: str, kind: str, description: str) -> Iterator[str]:
    yield f"# HELP {metric} {description}"
    yield f"# TYPE {metric} {kind}"

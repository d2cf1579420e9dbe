"""One hot PID: what so many requests a second for one record take of AWS in one region, by closed forms.

A single item of DynamoDB cannot be split over partitions, so its reads have a fixed limit. Each environment of the
function caches the row for `RECORD_TTL` seconds, and CloudFront's caches come before the functions. A redirect at the
edge, i.e. one of a provider prefix, needs neither.

>>> load = HotPid(10_000, row_bytes=2_200, seconds=0.002)
>>> load.largest_read_rate, load.uncached_throttles
(6000.0, 0.4)
>>> load.busy, load.concurrency, round(load.record_reads), round(load.prefix_reads), load.first_reads
(20, 1000, 99, 17, 1000)
>>> round(load.invocations(caches=12, lifetime=300.0), 3)
0.04
"""

import math
from dataclasses import dataclass

from coolid.resolution.cache import PREFIX_TTL, RECORD_TTL
from scripts.simulation.analysis import largest_rate_of_one_item, reads_with_caches
from scripts.simulation.quotas import LAMBDA_RATE_PER_CONCURRENCY, LAMBDA_SCALING


@dataclass(frozen=True)
class HotPid:
    """`rate` requests a second for one record of `row_bytes`; a request keeps its environment busy for `seconds`."""

    rate: float
    row_bytes: int
    seconds: float

    @property
    def largest_read_rate(self) -> float:
        """Reads a second that DynamoDB answers for one item, eventually consistent."""
        return largest_rate_of_one_item(self.row_bytes)

    @property
    def uncached_throttles(self) -> float:
        """The share of requests that DynamoDB would throttle if each of them read the row."""
        return max(0.0, 1.0 - self.largest_read_rate / self.rate)

    @property
    def busy(self) -> int:
        """Environments that are busy at once on average (Little's law), at least one."""
        return max(1, math.ceil(self.rate * self.seconds))

    @property
    def concurrency(self) -> int:
        """Concurrency that Lambda must grant: for busy environments, and for the rate at ten requests a second each."""
        return max(self.busy, math.ceil(self.rate / LAMBDA_RATE_PER_CONCURRENCY))

    @property
    def record_reads(self) -> float:
        """Reads a second of the record, at most: if as many environments are in use as `concurrency` allows."""
        return reads_with_caches(self.rate, self.concurrency, RECORD_TTL)

    @property
    def prefix_reads(self) -> float:
        """Reads a second of each name that its prefix may have, at most."""
        return reads_with_caches(self.rate, self.concurrency, PREFIX_TTL)

    @property
    def first_reads(self) -> int:
        """Reads of the record in the first second if no environment exists yet: one for each new environment."""
        return min(self.concurrency, LAMBDA_SCALING)

    def invocations(self, caches: int, lifetime: float, purges: float = 0.0) -> float:
        """Return invocations a second behind `caches` of CloudFront that store the response for `lifetime` seconds.

        Each of the `purges` a second is followed by at most one invocation for each cache.
        """
        return reads_with_caches(self.rate, caches, lifetime) + purges * caches

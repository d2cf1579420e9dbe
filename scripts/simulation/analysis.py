"""Closed forms: hit rates of caches with a lifetime, Erlang's loss formula, and one hot identifier at DynamoDB."""

import math
from collections.abc import Iterator

from scripts.simulation.popularity import Zipf
from scripts.simulation.quotas import EVENTUAL, PARTITION_READ_UNITS, READ_UNIT_BYTES

_EXACT = 2_000
_STEP = 1.01


def _blocks(size: int) -> Iterator[tuple[float, int]]:
    """Yield ranks and the number of ranks that each represents."""
    for rank in range(1, min(size, _EXACT) + 1):
        yield float(rank), 1
    low = _EXACT + 1
    while low <= size:
        high = min(size, max(low, int(low * _STEP)))
        yield math.sqrt(low * high), high - low + 1
        low = high + 1


def hit_rate(zipf: Zipf, rate: float, lifetime: float) -> float:
    """Return the share of requests that a cache answers which stores each response for `lifetime` seconds.

    Requests are a Poisson process for each rank. A cycle is one miss and the requests of the lifetime after it, so that
    the hit rate of a rank with x requests in a lifetime is x / (1 + x): Che's approximation for caches whose eviction
    time is a constant that hits do not renew (Fofack, Nain, Neglia and Towsley, "Analysis of TTL-based cache
    networks", 2012).
    """
    hits = 0.0
    for rank, number in _blocks(zipf.size):
        share = zipf.probability(rank)
        hits += number * share * (rate * share * lifetime) / (1.0 + rate * share * lifetime)
    return hits


def erlang_b(servers: int, load: float) -> float:
    """Return the share of requests that M/M/c/c rejects: `load` is the arrival rate times the mean service time.

    >>> round(erlang_b(1, 1.0), 3), round(erlang_b(10, 5.0), 3)
    (0.5, 0.018)
    """
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked


def read_units(size: int) -> float:
    """Return the units of an eventually consistent read of an item of so many bytes.

    >>> read_units(2_200), read_units(5_000)
    (0.5, 1.0)
    """
    return EVENTUAL * math.ceil(size / READ_UNIT_BYTES)


def largest_rate_of_one_item(size: int) -> float:
    """Return the reads a second of one item that a partition can answer.

    >>> largest_rate_of_one_item(2_200)
    6000.0
    """
    return PARTITION_READ_UNITS / read_units(size)


def reads_with_caches(rate: float, environments: int, lifetime: float) -> float:
    """Return the reads a second of one item if each environment caches it for `lifetime` seconds.

    >>> round(reads_with_caches(10_000, 100, 10))
    10
    """
    each = rate / environments
    return environments * each / (1.0 + each * lifetime)

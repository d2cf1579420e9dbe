"""CloudFront's caches: edges, regional caches and an optional shield, as a tree in which a copy has its source's age.

A run begins in the steady state. The state of an identifier in a cache is drawn when it is first requested. The root of
the tree has a fresh copy with probability x / (1 + x) (see `analysis.hit_rate`), of an age between 0 and the lifetime.
Otherwise its copy expired, and the time since then is exponential. A cache below has the copy if it got a request while
that was fresh. So a short run needs no hours before it to fill the caches.
"""

import math
from dataclasses import dataclass
from random import Random
from typing import Final

from scripts.simulation.popularity import Popularity

ABSENT: Final = -math.inf
FRESH, STALE, MISS = "fresh", "stale", "miss"


@dataclass(frozen=True)
class Lifetimes:
    """Seconds for which a response is fresh, stale while it is revalidated, and stale if the service fails."""

    fresh: float = 300.0
    revalidate: float = 60.0
    error: float = 86_400.0


class Cache:
    """One cache; `share` is the part of all requests that arrives below it."""

    def __init__(self, parent: "Cache | None", share: float, lifetimes: Lifetimes, demand: Popularity, random: Random):
        self.parent, self.share, self.lifetimes = parent, share, lifetimes
        self._demand, self._random = demand, random
        self.purged_at = ABSENT
        self.fetched: dict[int, float] = {}
        self.pending: dict[int, list[Cache | float | None]] = {}
        """Who waits for a response: caches, viewers by the time of their request, or nobody (a revalidation)."""

    def fetch_time(self, identifier: int) -> float:
        """Return when the service made the copy that this cache has, or `ABSENT`."""
        found = self.fetched.get(identifier)
        if found is None:
            found = self.fetched[identifier] = self._initial(identifier)
        return found if found >= self.purged_at else ABSENT

    def _initial(self, identifier: int) -> float:
        rate = self._demand.rate_of(identifier) * self.share
        if rate == 0.0:
            return ABSENT
        if self.parent is None:
            expected = rate * self.lifetimes.fresh
            if self._random.random() < expected / (1.0 + expected):
                return -self._random.random() * self.lifetimes.fresh
            return -self.lifetimes.fresh - self._random.expovariate(rate)
        above = self.parent.fetch_time(identifier)
        if ABSENT < above <= 0.0 and self._random.random() < 1.0 - math.exp(-rate * min(-above, self.lifetimes.fresh)):
            return above
        return ABSENT

    def lookup(self, identifier: int, now: float) -> str:
        """Return `FRESH`, `STALE` (to be revalidated) or `MISS`."""
        age = now - self.fetch_time(identifier)
        if age < self.lifetimes.fresh:
            return FRESH
        return STALE if age < self.lifetimes.fresh + self.lifetimes.revalidate else MISS

    def serves_on_error(self, identifier: int, now: float) -> bool:
        return now - self.fetch_time(identifier) < self.lifetimes.fresh + self.lifetimes.error

    def purge(self, identifier: int) -> None:
        self.fetched[identifier] = ABSENT


def build(
    edges: int, regional: int, shield: bool, lifetimes: Lifetimes, demand: Popularity, random: Random
) -> tuple[list[Cache], list[Cache]]:
    """Return the edges, and all caches."""
    root = [Cache(None, 1.0, lifetimes, demand, random)] if shield else []
    middle = [Cache(root[0] if root else None, 1 / regional, lifetimes, demand, random) for _ in range(regional)]
    outer = [Cache(middle[n % regional], 1 / edges, lifetimes, demand, random) for n in range(edges)]
    return outer, [*root, *middle, *outer]

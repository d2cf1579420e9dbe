"""The events of a run: requests, their ways through the caches to a region and back, failures and purges."""

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Final

from scripts.cost import assumptions
from scripts.simulation import quotas
from scripts.simulation.edge import FRESH, MISS, STALE, Cache, Lifetimes, build
from scripts.simulation.popularity import HOT, Popularity, Traffic
from scripts.simulation.prices import Usage
from scripts.simulation.region import Region, Settings

# Amazon CloudFront Developer Guide, "Manage how long content stays in the cache (expiration)": stale-if-error is for
# 500 to 599. API Gateway's own limit answers 429; if Lambda throttles, a REST API is assumed to answer 500.
CLIENT_ERROR: Final = "error: gateway"
REDIRECTED: Final = "redirected"
"""The outcome of a request that CloudFront's function answers out of its KeyValueStore."""


@dataclass(frozen=True)
class Scenario:
    """Everything that decides a run; two runs of one scenario are equal."""

    name: str
    traffic: Traffic = field(default_factory=Traffic)
    settings: Settings = field(default_factory=Settings)
    lifetimes: Lifetimes = field(default_factory=Lifetimes)
    seconds: float = 20.0
    seed: int = 1
    edge: bool = True
    redirects: float = 0.0
    """The share of requests for identifiers of providers that CloudFront's function answers; 0 without redirects."""
    shield: bool = False
    regions: int = 2
    failure: tuple[float, float] | None = None
    """From when to when the first region answers nothing."""
    purges: float = 0.0
    """Changes of records a second, each purged from the edge, and written to DynamoDB."""
    purge_all: float | None = None
    """When everything is purged from the edge."""


@dataclass
class Result:
    """What viewers received, and what was used; `outcomes` has one entry for each request."""

    scenario: Scenario
    outcomes: Counter[str]
    hot: Counter[str]
    """The outcomes of the hot identifier."""
    latencies: list[float]
    origin: Counter[str]
    usage: Usage
    regions: list[Region]

    def percentile(self, share: float) -> float:
        """Return a latency in milliseconds; of all responses, errors included."""
        return self.latencies[min(len(self.latencies) - 1, int(share * len(self.latencies)))] * 1000


class Simulation:
    """One run: a queue of events by time, in the order of their creation if the times are equal."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario, self.now = scenario, 0.0
        self.random = Random(scenario.seed)  # noqa: S311 - a simulation, not cryptography
        self.demand = Popularity(scenario.traffic)
        self.edges, self.caches = build(
            quotas.EDGES, quotas.REGIONAL_CACHES, scenario.shield, scenario.lifetimes, self.demand, self.random
        )
        self.region_of = {id(each): n % scenario.regions for n, each in enumerate(self.caches)}
        self.regions = [Region(scenario.settings, self.demand, self.random) for _ in range(scenario.regions)]
        self.outcomes: Counter[str] = Counter()
        self.hot: Counter[str] = Counter()
        self.origin: Counter[str] = Counter()
        self.latencies: list[float] = []
        self.purged = self.shielded = 0
        self._events: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self._order = count()
        self._delay = quotas.SHIELD_ORIGIN_SECONDS if scenario.shield else quotas.ORIGIN_SECONDS

    def _at(self, when: float, action: Callable[..., None], *arguments: object) -> None:
        heapq.heappush(self._events, (when, next(self._order), action, arguments))

    def run(self) -> Result:
        """Return the result when all requests that arrived in time are answered."""
        scenario = self.scenario
        self._at(self.random.expovariate(scenario.traffic.total), self._arrive)
        if scenario.purges:
            self._at(self.random.expovariate(scenario.purges), self._purge)
        if scenario.purge_all is not None:
            self._at(scenario.purge_all, self._purge_all)
        if scenario.failure:
            self._at(scenario.failure[0], self._fail, scenario.failure[0])
            self._at(scenario.failure[1], self._fail, None)
        while self._events:
            self.now, _, action, arguments = heapq.heappop(self._events)
            action(*arguments)
        return Result(
            scenario, self.outcomes, self.hot, sorted(self.latencies), self.origin, self._usage(), self.regions
        )

    def _usage(self) -> Usage:
        invocations = sum(each.invocations for each in self.regions)
        return Usage(
            seconds=self.scenario.seconds,
            requests=self.outcomes.total(),
            edge=self.scenario.edge,
            gateway=None if self.scenario.settings.gateway_rate is None else invocations + self.origin["lambda"],
            invocations=invocations,
            billed_ms=sum(each.billed_ms for each in self.regions),
            read_units=sum(each.records.read_units + each.prefixes.read_units for each in self.regions),
            shield=self.shielded,
            purges=self.purged,
            redirected=self.outcomes[REDIRECTED],
        )

    # ---- Requests ------------------------------------------------------------------------------------------------

    def _arrive(self) -> None:
        identifier = self.demand.sample(self.random)
        following = self.now + self.random.expovariate(self.scenario.traffic.total)
        if following < self.scenario.seconds:
            self._at(following, self._arrive)
        if not self.scenario.edge:
            self._at(self.now + quotas.ORIGIN_SECONDS / 2, self._invoke, None, identifier, self.now)
            return
        if (
            self.scenario.redirects
            and self.demand.is_other(identifier)
            and self.random.random() < self.scenario.redirects
        ):
            self._answer(REDIRECTED, identifier, quotas.VIEWER_SECONDS + quotas.FUNCTION_SECONDS)
            return
        edge = self.edges[int(self.random.random() * len(self.edges))]
        state = edge.lookup(identifier, self.now)
        if state == MISS:
            self._fetch(edge, identifier, self.now)
            return
        self._answer("edge hit" if state == FRESH else "edge stale", identifier, quotas.VIEWER_SECONDS)
        if state == STALE:
            self._fetch(edge, identifier, None)

    def _fetch(self, cache: Cache, identifier: int, waiter: Cache | float | None) -> None:
        """Request a response from the next cache, or the service; requests for the same one wait together."""
        if identifier in cache.pending:
            cache.pending[identifier].append(waiter)
            return
        cache.pending[identifier] = [waiter]
        above = cache.parent
        if above is None:
            self._at(self.now + self._delay / 2, self._invoke, cache, identifier, self.now)
            return
        if above.parent is None and self.scenario.shield:
            self.shielded += 1
        state = above.lookup(identifier, self.now)
        if state == MISS:
            self._fetch(above, identifier, cache)
            return
        self._deliver(cache, identifier, above.fetch_time(identifier), "regional hit")
        if state == STALE:
            self._fetch(above, identifier, None)

    def _deliver(self, cache: Cache, identifier: int, fetched: float | None, outcome: str) -> None:
        """Store a response (made at `fetched`) in a cache and answer all that wait for it; None is a failure."""
        if fetched is not None:
            cache.fetched[identifier] = fetched
        elif outcome != CLIENT_ERROR and cache.serves_on_error(identifier, self.now):
            outcome, fetched = "stale on error", cache.fetch_time(identifier)
        for waiter in cache.pending.pop(identifier):
            if isinstance(waiter, Cache):
                self._deliver(waiter, identifier, fetched, outcome)
            elif waiter is not None:
                distance = quotas.VIEWER_SECONDS + quotas.REGIONAL_SECONDS
                if self.scenario.shield and outcome != "regional hit":
                    distance += quotas.SHIELD_SECONDS
                self._answer(outcome, identifier, self.now - waiter + distance)

    def _answer(self, outcome: str, identifier: int, seconds: float) -> None:
        self.outcomes[outcome] += 1
        if identifier == HOT:
            self.hot[outcome] += 1
        self.latencies.append(seconds)

    # ---- The service ---------------------------------------------------------------------------------------------

    def _route(self, cache: Cache | None) -> Region:
        """Return the nearest region, or the next one if health checks have found that it failed."""
        number = self.region_of[id(cache)] if cache else int(self.random.random() * len(self.regions))
        failed_at = self.regions[number].failed_at
        if failed_at is not None and self.now - failed_at >= quotas.FAILOVER_SECONDS:
            number = (number + 1) % len(self.regions)
        return self.regions[number]

    def _invoke(self, cache: Cache | None, identifier: int, arrival: float) -> None:
        region = self._route(cache)
        if region.failed_at is not None:
            environment, seconds, outcome = None, 0.0, "region"
        else:
            environment, seconds, outcome = region.invoke(identifier, self.now)
        self.origin[outcome] += 1
        if environment is not None:
            self._at(self.now + seconds, region.fleet.release, environment)
        back = self.now + seconds + self._delay / 2
        self._at(back, self._return, cache, identifier, arrival, self.now, outcome)

    def _return(self, cache: Cache | None, identifier: int, arrival: float, made: float, outcome: str) -> None:
        seen = "origin" if outcome == "ok" else f"error: {outcome}"
        if cache is None:
            self._answer(seen, identifier, self.now - arrival)
        else:
            self._deliver(cache, identifier, made if outcome == "ok" else None, seen)

    # ---- Failures and purges -------------------------------------------------------------------------------------

    def _fail(self, since: float | None) -> None:
        self.regions[0].failed_at = since

    def _purge(self) -> None:
        identifier = self.demand.sample(self.random)
        self.purged += 1
        for cache in self.caches:
            cache.purge(identifier)
        self.regions[0].records.write(identifier, float(assumptions.CHANGE_UNITS), self.now)
        following = self.now + self.random.expovariate(self.scenario.purges)
        if following < self.scenario.seconds:
            self._at(following, self._purge)

    def _purge_all(self) -> None:
        self.purged += 1
        for cache in self.caches:
            cache.purged_at = self.now


def simulate(scenario: Scenario) -> Result:
    """Run a scenario."""
    return Simulation(scenario).run()

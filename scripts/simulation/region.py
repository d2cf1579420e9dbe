"""One AWS region of the service: API Gateway, the resolve function and its tables."""

import math
from dataclasses import dataclass
from random import Random
from typing import Final

from coolid.resolution.cache import PREFIX_TTL, RECORD_TTL
from scripts.cost import assumptions
from scripts.simulation.analysis import read_units
from scripts.simulation.dynamodb import Table
from scripts.simulation.lambda_fleet import Environment, Fleet
from scripts.simulation.popularity import HOT, Popularity
from scripts.simulation.quotas import (
    GATEWAY_BURST,
    GATEWAY_RATE,
    LAMBDA_CONCURRENCY,
    PROVIDER_PREFIXES,
    RETRY_SECONDS,
    STORE_SPREAD,
)
from scripts.simulation.token_bucket import TokenBucket

_SLOWDOWN: Final = assumptions.FULL_PROCESSOR_MB / assumptions.MEMORY_MB
READ_CPU_SECONDS: Final = float(assumptions.CPU_MS) * _SLOWDOWN / 1000
CACHED_CPU_SECONDS: Final = float(assumptions.CACHED_CPU_MS) * _SLOWDOWN / 1000
RUNTIME_SECONDS: Final = assumptions.RUNTIME_MS / 1000
COLD_SECONDS: Final = assumptions.COLD_START_MS / 1000


@dataclass(frozen=True)
class Settings:
    """What an operator sets in a region; `caches` is off only to show what the cached rows of functions save.

    Without `gateway_rate` the edge calls the function's URL, which API Gateway does not limit.
    """

    gateway_rate: float | None = GATEWAY_RATE
    gateway_burst: float = GATEWAY_BURST
    concurrency: int = LAMBDA_CONCURRENCY
    warm: int = 0
    provisioned: float | None = None
    caches: bool = True


class Region:
    """A region that handles requests at the times at which they arrive."""

    def __init__(self, settings: Settings, demand: Popularity, random: Random) -> None:
        self.settings, self._demand, self._random = settings, demand, random
        rate, burst = settings.gateway_rate, settings.gateway_burst
        self.gateway = None if rate is None else TokenBucket(rate, burst)
        self.fleet = Fleet(settings.concurrency, settings.warm)
        used = assumptions.PREFIXES_IN_USE + (PROVIDER_PREFIXES if demand.traffic.others else 0)
        for environment in self.fleet.idle:  # in the steady state, prefixes expire at any time
            environment.prefixes |= {each: random.random() * PREFIX_TTL for each in range(used)}
        self.records = Table(demand.traffic.identifiers, assumptions.RECORD_BYTES, settings.provisioned)
        self.prefixes = Table(3_000, assumptions.PREFIX_BYTES)
        self.failed_at: float | None = None
        self.invocations = self.billed_ms = self.hot_invocations = self.hot_reads = 0

    def invoke(self, identifier: int, now: float) -> tuple[Environment | None, float, str]:
        """Return the environment, the seconds that it is busy, and `ok` or who refused.

        API Gateway's and Lambda's refusals occupy no environment.
        """
        if self.gateway and not self.gateway.take(now):
            return None, 0.0, "gateway"
        acquired = self.fleet.acquire(now)
        if acquired is None:
            return None, 0.0, "lambda"
        environment, cold = acquired
        self.invocations += 1
        self.hot_invocations += identifier == HOT
        seconds = COLD_SECONDS if cold else 0.0
        outcome, work = self._resolve(environment, identifier, now + seconds)
        seconds += work + RUNTIME_SECONDS
        self.billed_ms += math.ceil(seconds * 1000)  # AWS Lambda Pricing: rounded up to the nearest millisecond
        return environment, seconds, outcome

    def _resolve(self, environment: Environment, identifier: int, now: float) -> tuple[str, float]:
        """Return `ok` or `dynamodb`, and the seconds of processor time and of waiting for the store."""
        prefix, waited, reads = self._prefix(identifier), 0.0, 0
        if environment.prefixes.get(prefix, 0.0) <= now:
            taken, seconds = self._read(self.prefixes, prefix, assumptions.PREFIX_KEYS / 2, now)
            waited, reads = waited + seconds, reads + 1
            if not taken:
                return "dynamodb", READ_CPU_SECONDS + waited
            environment.prefixes[prefix] = now + PREFIX_TTL
        if self._demand.is_other(identifier):
            return "ok", (READ_CPU_SECONDS if reads else CACHED_CPU_SECONDS) + waited
        if not self.settings.caches or environment.records.get(identifier, 0.0) <= now:
            self.hot_reads += identifier == HOT
            units = read_units(assumptions.RECORD_BYTES)
            taken, seconds = self._read(self.records, identifier, units, now + waited)
            waited, reads = waited + seconds, reads + 1
            if not taken:
                return "dynamodb", READ_CPU_SECONDS + waited
            environment.records[identifier] = now + RECORD_TTL
        return "ok", (READ_CPU_SECONDS if reads else CACHED_CPU_SECONDS) + waited

    def _prefix(self, identifier: int) -> int:
        """Return the number of the identifier's prefix: first those of own records, then those of providers."""
        if self._demand.is_other(identifier):
            return assumptions.PREFIXES_IN_USE + identifier % PROVIDER_PREFIXES
        return identifier % assumptions.PREFIXES_IN_USE

    def _read(self, table: Table, key: int, units: float, now: float) -> tuple[bool, float]:
        """Return whether one of two attempts succeeds, and the seconds until then."""
        mean = assumptions.STORE_MS / 1000
        seconds = self._random.lognormvariate(math.log(mean) - STORE_SPREAD**2 / 2, STORE_SPREAD)
        if table.read(key, units, now):
            return True, seconds
        return table.read(key, units, now + RETRY_SECONDS), 2 * seconds + RETRY_SECONDS

"""The execution environments of one function in one region: concurrency, scaling rate, cold starts, cached rows."""

from scripts.simulation.quotas import LAMBDA_RATE_PER_CONCURRENCY, LAMBDA_SCALING, LAMBDA_SCALING_SECONDS
from scripts.simulation.token_bucket import TokenBucket


class Environment:
    """An environment, and the times until which its rows are fresh: records by identifier, prefixes by number."""

    __slots__ = ("prefixes", "records")

    def __init__(self) -> None:
        self.records: dict[int, float] = {}
        self.prefixes: dict[int, float] = {}


class Fleet:
    """Environments up to a limit. A request that gets none is throttled; there is no queue."""

    def __init__(self, concurrency: int, warm: int = 0) -> None:
        self.concurrency, self.created, self.cold_starts, self.busy, self.peak = concurrency, warm, 0, 0, 0
        self.idle = [Environment() for _ in range(warm)]
        self._scaling = TokenBucket(LAMBDA_SCALING / LAMBDA_SCALING_SECONDS, LAMBDA_SCALING)
        rate = concurrency * LAMBDA_RATE_PER_CONCURRENCY
        self._rate = TokenBucket(rate, rate)

    def acquire(self, now: float) -> tuple[Environment, bool] | None:
        """Return an environment and whether it is new, or None if the request is throttled."""
        if self.busy >= self.concurrency or not self._rate.take(now):
            return None
        cold = not self.idle
        if cold:
            if not self._scaling.take(now):
                return None
            self.created += 1
            self.cold_starts += 1
        self.busy += 1
        self.peak = max(self.peak, self.busy)
        return (Environment() if cold else self.idle.pop()), cold

    def release(self, environment: Environment) -> None:
        self.busy -= 1
        self.idle.append(environment)

"""One hot PID with 10,000 requests a second: measured in one process, and the arithmetic of `scripts/simulation`.

A process stands for an environment of the function. The processor time is that of a redirect whose rows are cached; on
Lambda it is longer by the share of a processor that the function's memory gets.
"""

from itertools import repeat
from pathlib import Path
from typing import Final

from coolid.aws.api_gateway import Handler
from scripts.benchmark import canned, rows
from scripts.benchmark.canned import Canned
from scripts.benchmark.handlers import demand, event, own_path, repeated, resolving
from scripts.benchmark.harness import MICROSECONDS, Case, Effort, measured
from scripts.benchmark.results import Figure, at_most, exactly, figure
from scripts.benchmark.tables import size_of
from scripts.cost.assumptions import FULL_PROCESSOR_MB, MEMORY_MB
from scripts.simulation.edge import Lifetimes
from scripts.simulation.hot_pid import HotPid
from scripts.simulation.quotas import LAMBDA_CONCURRENCY, REGIONAL_CACHES
from scripts.simulation.region import RUNTIME_SECONDS

RATE: Final = 10_000
REQUESTS: Final = 20_000
"""Few enough to end before the cached row expires."""
REDIRECT: Final = "hot PID: a redirect from the cache"
AT_RATE: Final = f"at {RATE:,} requests a second"


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    with canned.running(scratch, "prefixes", "luis-1000") as store:
        handler = resolving(store.environment(tls=False, prefixes="prefixes", luis="luis-1000"))
        reads = _reads(store, handler)
        samples = measured([Case(REDIRECT, repeated(handler, [own_path(1)]))], effort.rounds(51))[REDIRECT]
    row_bytes, slowdown = size_of(rows.read(scratch / canned.ROWS).pattern), FULL_PROCESSOR_MB / MEMORY_MB
    loads = [HotPid(RATE, row_bytes, each / MICROSECONDS * slowdown + RUNTIME_SECONDS) for each in samples]
    invocations = loads[0].invocations(REGIONAL_CACHES, Lifetimes().fresh)
    return [
        figure(REDIRECT, "µs", samples),
        figure(f"hot PID: reads of its record for {REQUESTS:,} requests", "reads", [reads]).aiming(exactly(1)),
        figure(f"hot PID: environments busy {AT_RATE}", "environments", (each.busy for each in loads)).aiming(
            at_most(LAMBDA_CONCURRENCY, "environments")
        ),
        figure(f"hot PID: reads a second of its record {AT_RATE}", "reads/s", [loads[0].record_reads]).aiming(
            at_most(loads[0].largest_read_rate, "reads/s")
        ),
        figure(f"hot PID: invocations a second behind the edge {AT_RATE}", "invocations/s", [invocations]).aiming(
            at_most(1, "invocations/s")
        ),
    ]


def _reads(store: Canned, handler: Handler) -> float:
    """Return the reads that so many requests for one record need, after the prefix is cached."""
    request = event(own_path(1))
    store.counts()
    for _ in repeat(None, REQUESTS):
        demand(handler(request, None), 302)
    return store.counts().get("GetItem", 0)

"""Tables of one hot PID: by arithmetic, in the simulated runs, and what splits of its partition change."""

from collections.abc import Sequence

from coolid.resolution.cache import PREFIX_TTL, RECORD_TTL
from scripts.cost import assumptions
from scripts.cost.tables import table
from scripts.simulation import analysis, quotas
from scripts.simulation.dynamodb import Table
from scripts.simulation.edge import Lifetimes
from scripts.simulation.hot_pid import HotPid
from scripts.simulation.popularity import HOT
from scripts.simulation.region import CACHED_CPU_SECONDS, RUNTIME_SECONDS
from scripts.simulation.simulator import REDIRECTED, Result

SPLIT_MINUTES = 35
SPLIT_READS = 15_000  # a second, so that a partition needs two splits


def arithmetic(rate: float) -> str:
    """Return the arithmetic of one identifier with so many requests a second, in one region."""
    load = HotPid(rate, assumptions.RECORD_BYTES, CACHED_CPU_SECONDS + RUNTIME_SECONDS)
    caches, lifetime = quotas.REGIONAL_CACHES, Lifetimes().fresh
    behind = load.invocations(caches, lifetime)
    rows = [
        ["reads a second of one item that DynamoDB answers", f"{load.largest_read_rate:,.0f}"],
        ["throttled if every request reads, %", f"{100 * load.uncached_throttles:.0f}"],
        [f"environments busy, {1000 * load.seconds:.1f} ms a request", f"{load.busy:,}"],
        ["concurrency for that rate, at 10 requests a second for each", f"{load.concurrency:,}"],
        [
            f"reads a second of the record if so many environments cache it for {RECORD_TTL:g} s",
            f"{load.record_reads:,.0f}",
        ],
        [f"reads a second of each name of its prefix, cached for {PREFIX_TTL:g} s", f"{load.prefix_reads:,.0f}"],
        ["reads of the record in the first second if no environment exists", f"{load.first_reads:,}"],
        [f"invocations a second behind {caches} regional caches, TTL {lifetime:g} s", f"{behind:.2f}"],
        ["the same with a change of the record each second, purged", f"{load.invocations(caches, lifetime, 1.0):.1f}"],
        ["requests that the edge answers, %", f"{100 * (1 - behind / rate):.4f}"],
    ]
    return table([f"one identifier, {rate:,.0f} requests a second", "figure"], rows)


def simulated(results: Sequence[Result]) -> str:
    """Return what the runs with a hot identifier did with its requests."""
    rows = []
    for result in (each for each in results if each.scenario.traffic.hot):
        requests, seconds = max(1, result.hot.total()), result.usage.seconds
        absorbed = sum(result.hot[each] for each in (REDIRECTED, "edge hit", "edge stale", "regional hit"))
        failed = sum(number for outcome, number in result.hot.items() if outcome.startswith("error"))
        rows.append(
            [
                result.scenario.name,
                f"{requests / seconds:,.0f}",
                f"{100 * absorbed / requests:.3f}",
                f"{sum(each.hot_invocations for each in result.regions) / seconds:,.1f}",
                f"{sum(each.hot_reads for each in result.regions) / seconds:,.1f}",
                f"{100 * failed / requests:.1f}",
            ]
        )
    head = ["scenario", "requests/s", "answered by CloudFront %", "invocations/s", "reads/s", "errors %"]
    return table(head, rows)


def answered_by_minute(keys: Sequence[int], reads: int, minutes: int, batch: int = 250) -> list[tuple[float, int]]:
    """Return, for each minute, the reads a second that one partition answers, and its splits until then.

    The reads are spread evenly over the keys, in batches.
    """
    store, units, found = Table(1, 1), analysis.read_units(assumptions.RECORD_BYTES), []
    store.partitions = store.partitions[:1]
    steps = reads // batch
    for minute in range(minutes):
        taken = 0
        for step in range(60 * steps):
            now = 60 * minute + step / steps
            taken += batch * store.read(keys[step % len(keys)], batch * units, now)
        found.append((taken / 60, store.splits))
    return found


def splits() -> str:
    """Return how splits help many items of a partition, and how they do not help one."""
    many = answered_by_minute(range(1_000), SPLIT_READS, SPLIT_MINUTES)
    one = answered_by_minute([HOT], SPLIT_READS, SPLIT_MINUTES)
    rows = [
        [str(minute), f"{many[minute - 1][0]:,.0f}", str(many[minute - 1][1]), f"{one[minute - 1][0]:,.0f}"]
        for minute in range(5, SPLIT_MINUTES + 1, 5)
    ]
    return table(["minute", "1,000 items, reads/s", "splits", "one item, reads/s"], rows)

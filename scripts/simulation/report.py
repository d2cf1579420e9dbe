"""The tables of the report, in Markdown."""

from collections.abc import Sequence
from typing import Final

from scripts.cost.tables import dollars, table
from scripts.simulation import analysis, hot_pid_tables, prices, quotas, recommendation
from scripts.simulation.popularity import Traffic, Zipf
from scripts.simulation.simulator import REDIRECTED, Result

EXPONENTS: Final = (0.8, 0.9, 1.0)
LIFETIMES: Final = (60, 300, 3_600, 86_400)


def share(result: Result, *outcomes: str) -> str:
    """Return the percentage of requests with these outcomes."""
    return f"{100 * sum(result.outcomes[each] for each in outcomes) / result.usage.requests:.1f}"


def responses(results: Sequence[Result]) -> str:
    """Return what viewers received: shares in per cent, latencies in milliseconds."""
    head = [
        "scenario",
        "redirected %",
        "edge %",
        "regional %",
        "origin %",
        "stale on error %",
        "errors %",
        "p50",
        "p90",
        "p99",
        "p99.9",
    ]
    rows = []
    for result in results:
        errors = [each for each in result.outcomes if each.startswith("error")]
        row = [
            result.scenario.name,
            share(result, REDIRECTED),
            share(result, "edge hit", "edge stale"),
            share(result, "regional hit"),
            share(result, "origin"),
            share(result, "stale on error"),
            share(result, *errors),
        ]
        rows.append(row + [f"{result.percentile(each):.0f}" for each in (0.5, 0.9, 0.99, 0.999)])
    return table(head, rows)


def use(results: Sequence[Result]) -> str:
    """Return what the runs used of AWS, and dollars a month."""
    head = ["scenario", "invocations/s", "cold starts", "peak busy", "read units/s"]
    head += ["API Gateway throttles", "Lambda throttles", "503 DynamoDB", "503 region", "$ a month"]
    rows = []
    for result in results:
        seconds = result.usage.seconds
        row = [
            result.scenario.name,
            f"{result.usage.invocations / seconds:,.0f}",
            f"{sum(each.fleet.cold_starts for each in result.regions):,}",
            f"{max(each.fleet.peak for each in result.regions):,}",
            f"{result.usage.read_units / seconds:,.0f}",
        ]
        row += [f"{result.origin[each]:,}" for each in ("gateway", "lambda", "dynamodb", "region")]
        rows.append([*row, dollars(prices.total(result.usage))])
    return table(head, rows)


def lifetimes(traffic: Traffic) -> str:
    """Return the hit rates by closed form: of all requests, those that do not reach the service."""
    rows, zipf_rate = [], traffic.rate * (1 - traffic.crawl)
    for exponent in EXPONENTS:
        zipf = Zipf(traffic.identifiers, exponent)
        for name, parts in (("regional caches", quotas.REGIONAL_CACHES), ("Origin Shield", 1)):
            rates = [(1 - traffic.crawl) * analysis.hit_rate(zipf, zipf_rate / parts, each) for each in LIFETIMES]
            rows.append([f"{exponent}, {name}", *[f"{100 * each:.1f}" for each in rates]])
    return table(["exponent, caches before the service", *[f"TTL {each:,} s, %" for each in LIFETIMES]], rows)


def report(results: Sequence[Result], checked: Sequence[Result]) -> str:
    """Return everything; the first result is that of the base scenario, `checked` are those of `checks`."""
    base, named = results[0], {each.scenario.name: each for each in results}
    scenario, traffic = base.scenario, base.scenario.traffic
    heading = (
        f"{traffic.rate:,.0f} requests a second over {traffic.identifiers:,} identifiers (exponent {traffic.exponent}, "
        f"{traffic.crawl:.0%} crawl), {scenario.seconds:g} s, seed {scenario.seed}."
    )
    parts = (
        heading,
        responses(results),
        use(results),
        "Requests that do not reach the service, by closed form:",
        lifetimes(traffic),
        "One hot identifier, by arithmetic:",
        hot_pid_tables.arithmetic(10_000),
        "The hot identifier in the runs:",
        hot_pid_tables.simulated(results),
        f"A partition with {hot_pid_tables.SPLIT_READS:,} reads a second, by minute:",
        hot_pid_tables.splits(),
        "Beside the benchmark:",
        recommendation.measured(base),
        "Recommended settings:",
        recommendation.settings(named, base),
        "Runs with these settings, after the other region failed:",
        responses(checked),
        use(checked),
        "Assumptions:",
        "\n".join(f"- {each}" for each in quotas.ASSUMPTIONS),
    )
    return "\n\n".join(parts)

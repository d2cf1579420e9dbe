"""The settings that the runs suggest, the run that checks them, and the benchmark's figures beside the assumptions."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from scripts.cost import assumptions
from scripts.cost.tables import dollars, table
from scripts.simulation import analysis, prices, quotas
from scripts.simulation.edge import Lifetimes
from scripts.simulation.popularity import Traffic
from scripts.simulation.region import READ_CPU_SECONDS
from scripts.simulation.scenarios import (
    MIXED,
    MIXED_REDIRECTED,
    MIXED_URL,
    OTHERS,
    REDIRECTED,
    TEMPLATE_RATE,
)
from scripts.simulation.simulator import Result, Scenario

BENCH: Final = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "evidence" / "bench" / "results.json"
UTILISATION: Final = 0.7
"""The target of auto scaling: DynamoDB Developer Guide, "Managing throughput capacity with auto scaling"."""
PREFIX_UNITS: Final = "round trips: read units of a record's candidate prefixes"
RESERVE: Final = 2
"""Times the need that the simulation shows."""


def measured(base: Result) -> str:
    """Return the simulation's figures beside those of the benchmark."""
    medians = {row["name"]: row["median"] for row in json.loads(BENCH.read_text(encoding="utf-8"))}
    handler = medians["one read: the handler, TLS"] / 1000
    cold = medians["cold start: resolve, one read"]
    units = sum(each.records.read_units for each in base.regions) / max(1, base.usage.invocations)
    slowdown = assumptions.FULL_PROCESSOR_MB / assumptions.MEMORY_MB
    rows = [
        ["processor time with one read, a whole processor, ms", f"{float(assumptions.CPU_MS):.2f}", f"{handler:.2f}"],
        ["the same with 512 MB, ms", f"{READ_CPU_SECONDS * 1000:.1f}", f"{handler * slowdown:.1f}"],
        [
            "processor time if all is cached, ms",
            f"{float(assumptions.CACHED_CPU_MS):.2f}",
            f"{medians['warm: a record of ours'] / 1000:.2f}",
        ],
        ["cold start, ms", f"{assumptions.COLD_START_MS}", f"{cold:.0f}"],
        [
            "read units of a record",
            f"{analysis.read_units(assumptions.RECORD_BYTES)}",
            f"{medians['round trips: read units of a record']}",
        ],
        [
            "read units of a prefix",
            f"{assumptions.PREFIX_KEYS / 2}",
            f"{medians[PREFIX_UNITS]}",
        ],
        ["read units for records, an invocation", f"{units:.2f}", "0 if cached, else 0.5"],
        ["billed time of an invocation, ms", f"{base.usage.billed_ms / max(1, base.usage.invocations):.1f}", ""],
    ]
    return table(["figure", "simulation", "benchmark"], rows)


def needed_rate(base: Result) -> float:
    """Return the requests a second that reach the service."""
    return base.usage.invocations / base.usage.seconds


def needed_concurrency(base: Result) -> int:
    """Return `ReadingConcurrency` for one region that takes all requests, with a reserve.

    Lambda's limit of ten requests a second for each is higher than what is busy at once.
    """
    busy = sum(each.fleet.peak for each in base.regions)
    return max(RESERVE * busy, round(RESERVE * needed_rate(base) / quotas.LAMBDA_RATE_PER_CONCURRENCY))


def checks(base: Result) -> list[Scenario]:
    """Return scenarios with the recommended settings in the only region that is left: the limits, then everything."""
    concurrency = needed_concurrency(base)
    settings = replace(base.scenario.settings, gateway_rate=None, concurrency=concurrency, warm=concurrency // 10)
    limits = replace(base.scenario, name="recommended limits, one region", regions=1, settings=settings)
    traffic: Traffic = replace(base.scenario.traffic, others=OTHERS)
    everything = replace(
        limits,
        name="all recommended settings, half for providers, one region",
        traffic=traffic,
        redirects=REDIRECTED,
        lifetimes=Lifetimes(86_400),
    )
    return [limits, everything]


def settings(named: Mapping[str, Result], base: Result) -> str:
    """Return the recommended settings beside the template's, with the reason."""
    shield, day = named["Origin Shield"], named["TTL one day"]
    rate, busy = needed_rate(base), sum(each.fleet.peak for each in base.regions)
    rows = [
        [
            "`EdgeOrigin`",
            "`api`",
            "`function`",
            f"with redirects {_difference(named[MIXED_REDIRECTED], named[MIXED_URL])}",
        ],
        [
            "`EdgeRedirects`, only for `Edge=on`",
            "`on`",
            "`on`, if many requests are for providers",
            f"with API Gateway {_difference(named[MIXED], named[MIXED_REDIRECTED])}, and no round trip to the service",
        ],
        [
            "`RequestsPerSecond`, only for `EdgeOrigin=api`",
            f"{TEMPLATE_RATE:,}",
            f"{RESERVE * rate:,.0f}",
            f"twice the {rate:,.0f} that reach the service",
        ],
        [
            "`ReadingConcurrency`",
            "0",
            f"{needed_concurrency(base):,}",
            f"at most {busy} were busy, but Lambda accepts ten requests a second for each",
        ],
        ["`ttl`", "300 s", "a day, where targets seldom change", _difference(base, day)],
        ["Origin Shield", "off", "off", f"with the default lifetime {_difference(base, shield)}"],
        ["capacity of DynamoDB", "on demand", "on demand", _capacity(base)],
    ]
    return table(["setting", "template", "recommended", "because"], rows, texts=4)


def _capacity(base: Result) -> str:
    """Return what read capacity costs on demand and provisioned."""
    units = base.usage.read_units / base.usage.seconds
    demand, provisioned = prices.on_demand(units), prices.provisioned(units, UTILISATION)
    even = float(prices.provisioned(1, 1) / prices.on_demand(1))
    return (
        f"{units:,.0f} read units a second cost ${dollars(demand)} a month; provisioned for {UTILISATION:.0%} "
        f"use ${dollars(provisioned)}, cheaper above a use of {even:.0%}, but it throttles peaks"
    )


def _difference(before: Result, after: Result) -> str:
    """Return what `after` costs more or less, for people."""
    difference = prices.total(after.usage) - prices.total(before.usage)
    return f"${dollars(abs(difference))} a month {'more' if difference > 0 else 'less'}"

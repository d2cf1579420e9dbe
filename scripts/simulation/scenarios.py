"""The scenarios of the report."""

from dataclasses import replace

from scripts.simulation.edge import Lifetimes
from scripts.simulation.popularity import Traffic
from scripts.simulation.region import Settings
from scripts.simulation.simulator import Scenario

HOT_RATE = 10_000.0
TEMPLATE_RATE, TEMPLATE_BURST = 2_000, 1_000  # RequestsPerSecond and RequestsBurst of template.yaml
OTHERS = 0.5  # share of identifiers with prefixes of providers in the scenarios with redirects
REDIRECTED = 0.9  # share of these that the function answers; it passes on what is out of the ordinary

MIXED, MIXED_REDIRECTED = "half for providers, no redirects", "half for providers, redirected at the edge"
MIXED_URL = "half for providers, redirected, function URL"


def scenarios(seconds: float, seed: int, rate: float) -> list[Scenario]:
    """Return the scenarios for runs of this length, with `rate` requests a second over all identifiers."""
    warm = Settings(warm=max(4, round(rate / 100)))
    base = Scenario("edge, two regions", Traffic(rate), warm, seconds=seconds, seed=seed)
    # Health checks take longer than a run, so this one has a sixth of the rate for six times as long.
    long = replace(base, traffic=Traffic(rate / 6), seconds=6 * seconds, failure=(seconds, 5 * seconds))
    return [
        base,
        replace(base, name="Origin Shield", shield=True),
        replace(base, name="TTL one hour", lifetimes=Lifetimes(3_600)),
        replace(base, name="TTL one day", lifetimes=Lifetimes(86_400)),
        replace(base, name="Origin Shield, TTL one day", shield=True, lifetimes=Lifetimes(86_400)),
        replace(base, name="no edge", edge=False),
        replace(base, name="no environment warm", settings=Settings()),
        replace(base, name="50 reserved executions a region", settings=replace(warm, concurrency=50, warm=50)),
        replace(
            base,
            name="the template's request limit",
            settings=replace(warm, gateway_rate=TEMPLATE_RATE, gateway_burst=TEMPLATE_BURST),
        ),
        replace(long, name="a region fails (a sixth of the rate)"),
        replace(long, name="the same without the edge", edge=False),
        replace(base, name="a change every two seconds, purged", purges=0.5),
        replace(base, name="everything purged", purge_all=seconds / 2),
        *_for_providers(base, long),
        replace(base, name="provisioned for half of the need", settings=replace(warm, provisioned=rate / 10)),
        *_hot(base),
    ]


def _for_providers(base: Scenario, long: Scenario) -> list[Scenario]:
    """Return scenarios in which half of the identifiers have prefixes of providers."""
    mixed, failing = (replace(each, traffic=replace(each.traffic, others=OTHERS)) for each in (base, long))
    return [
        replace(mixed, name=MIXED),
        replace(mixed, name=MIXED_REDIRECTED, redirects=REDIRECTED),
        replace(mixed, name=MIXED_URL, redirects=REDIRECTED, settings=replace(base.settings, gateway_rate=None)),
        replace(failing, name="a region fails, half for providers, redirected", redirects=REDIRECTED),
    ]


def _hot(base: Scenario) -> list[Scenario]:
    """Return scenarios with one hot identifier, in one region."""
    settings = replace(base.settings, gateway_rate=20_000, gateway_burst=10_000, concurrency=2_000)
    traffic = replace(base.traffic, rate=base.traffic.rate / 10, hot=HOT_RATE)
    other = replace(traffic, hot_is_other=True)
    hot = replace(base, traffic=traffic, regions=1, settings=settings)
    return [
        replace(hot, name="hot PID, edge"),
        replace(hot, name="hot PID of a provider, redirected", traffic=other, redirects=REDIRECTED),
        replace(hot, name="hot PID, no edge", edge=False),
        replace(hot, name="hot PID, no edge, nothing cached", edge=False, settings=replace(settings, caches=False)),
    ]

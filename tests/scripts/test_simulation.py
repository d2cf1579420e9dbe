"""The simulation: closed forms where they exist, the cost model's figures, and nothing lost."""

import doctest
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from random import Random

import pytest

from scripts.cost import assumptions, months
from scripts.cost.prices import SECONDS
from scripts.simulation import analysis, hot_pid_tables, prices, quotas, recommendation, report
from scripts.simulation.dynamodb import Table
from scripts.simulation.edge import Lifetimes
from scripts.simulation.hot_pid import HotPid
from scripts.simulation.lambda_fleet import Environment, Fleet
from scripts.simulation.popularity import Popularity, Traffic, Zipf
from scripts.simulation.region import CACHED_CPU_SECONDS, RUNTIME_SECONDS, Settings
from scripts.simulation.scenarios import scenarios
from scripts.simulation.simulator import REDIRECTED, Result, Scenario, simulate
from tests.support.builders.samples import ROOT

LIGHT = Scenario("light", Traffic(1_000), Settings(warm=20), seconds=2.0)


@pytest.mark.parametrize("name", ["analysis", "hot_pid", "token_bucket"])
def test_examples_are_right(name: str) -> None:
    found = doctest.testmod(import_module(f"scripts.simulation.{name}"))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.2])
def test_ranks_have_the_probabilities_of_a_zipf_distribution(exponent: float) -> None:
    zipf, random, size = Zipf(50, exponent), Random(1), 30_000
    exact = sum(k**-exponent for k in range(1, 51))
    assert zipf.total == pytest.approx(exact)
    ranks = [zipf.sample(random) for _ in range(size)]
    for rank in (1, 2, 10, 50):
        expected = rank**-exponent / exact
        assert ranks.count(rank) / size == pytest.approx(expected, abs=4 * (expected / size) ** 0.5)


def test_the_sum_over_all_ranks_is_exact_enough() -> None:
    whole, near = Zipf(10_000, 0.9), sum(k**-0.9 for k in range(1, 10_001))
    assert whole.total == pytest.approx(near, rel=1e-6)
    assert analysis.hit_rate(Zipf(10, 0.9), 1e9, 1e9) == pytest.approx(1.0)


@pytest.mark.parametrize("lifetime", [1.0, 30.0])
def test_hit_rates_are_those_of_the_closed_form(lifetime: float) -> None:
    """The shield's tree has one lifetime for all copies: what does not reach the service is its root's hit rate."""
    traffic = Traffic(2_000, crawl=0.0, identifiers=10**6)
    scenario = replace(LIGHT, traffic=traffic, shield=True, lifetimes=Lifetimes(lifetime, 0.0, 0.0), seconds=4.0)
    result = simulate(scenario)
    reached = result.origin.total() / result.usage.requests
    expected = analysis.hit_rate(Zipf(traffic.identifiers, traffic.exponent), traffic.rate, lifetime)
    assert 1 - reached == pytest.approx(expected, abs=0.02)


def test_throttling_is_that_of_the_loss_formula() -> None:
    """A function with c environments and no queue is M/M/c/c."""
    servers, load, random, fleet = 8, 6.0, Random(3), Fleet(8, warm=8)
    fleet._rate.rate = fleet._rate.burst = fleet._rate.level = 1e9
    now, lost, arrivals, busy = 0.0, 0, 20_000, list[tuple[float, Environment]]()
    for _ in range(arrivals):
        now += random.expovariate(load)
        for finished in [each for each in busy if each[0] <= now]:
            fleet.release(finished[1])
        busy = [each for each in busy if each[0] > now]
        acquired = fleet.acquire(now)
        if acquired is None:
            lost += 1
        else:
            busy.append((now + random.expovariate(1.0), acquired[0]))
    assert lost / arrivals == pytest.approx(analysis.erlang_b(servers, load), abs=0.012)


@pytest.mark.parametrize("scenario", scenarios(0.1, 1, 1_500.0), ids=lambda each: each.name)
def test_every_request_is_answered_once_and_nothing_stays_behind(scenario: Scenario) -> None:
    result = simulate(scenario)
    assert result.outcomes.total() == len(result.latencies) == result.usage.requests
    assert min(result.latencies) > 0
    assert result.usage.invocations == result.origin["ok"] + result.origin["dynamodb"]
    assert all(region.fleet.busy == 0 for region in result.regions)
    if not scenario.edge:
        assert result.origin.total() == result.usage.requests


def figures(result: Result) -> object:
    return result.outcomes, result.latencies, result.origin, result.usage


def test_a_seed_decides_everything() -> None:
    assert figures(simulate(LIGHT)) == figures(simulate(LIGHT))
    assert figures(simulate(LIGHT)) != figures(simulate(replace(LIGHT, seed=2)))


@pytest.mark.parametrize(("way", "redirects"), [("api", 0.0), ("edge", 0.9), ("edge-function", 0.9)])
def test_the_cost_is_that_of_the_cost_model_for_the_same_traffic(way: str, redirects: float) -> None:
    settings = LIGHT.settings if way != "edge-function" else replace(LIGHT.settings, gateway_rate=None)
    traffic = replace(LIGHT.traffic, others=0.5)
    result = simulate(replace(LIGHT, edge=way != "api", redirects=redirects, traffic=traffic, settings=settings))
    usage = result.usage
    assert bool(usage.redirected) == bool(redirects)
    month, passed_on = Fraction(SECONDS) / Fraction(usage.seconds), usage.requests - usage.redirected
    same = months.Month(
        way,
        int(usage.requests * month),
        Fraction(100 * (passed_on - usage.invocations), passed_on),
        Fraction(100 * usage.redirected, usage.requests),
        records=0,
        mints=0,
        changes=0,
    )
    modelled, simulated = months.parts(same), prices.parts(usage)
    idle = months.parts(replace(same, resolutions=0))
    edge = months.edge_parts(months.EdgeUse(Fraction(1), Fraction(0)))
    assert set(simulated) - set(modelled) <= {"Origin Shield"}
    for part in ("API Gateway requests", "Lambda requests", "CloudWatch logs", *(edge if way != "api" else ())):
        if part != "CloudFront invalidations":  # the model's are of changes that this run does not have
            assert float(simulated[part]) == pytest.approx(float(modelled[part] - idle[part]), rel=0.01, abs=1.5)
    # An invocation of the model always reads a record and is sometimes cold: an upper bound, not a wide one.
    assert 0.5 * assumptions.INVOCATION_MS < usage.billed_ms / usage.invocations < 1.2 * assumptions.INVOCATION_MS
    assert 0.3 < float(simulated["DynamoDB reads"] / (modelled["DynamoDB reads"] - idle["DynamoDB reads"])) < 1.2


def test_the_edge_redirects_its_share_and_the_service_answers_the_rest() -> None:
    traffic = Traffic(2_000, others=0.5)
    redirected = simulate(replace(LIGHT, traffic=traffic, redirects=0.9))
    plain = simulate(replace(LIGHT, traffic=traffic))
    share = redirected.outcomes[REDIRECTED] / redirected.usage.requests
    demand, random = Popularity(traffic), Random(5)
    others = [demand.is_other(demand.sample(random)) for _ in range(20_000)]
    assert share == pytest.approx(0.9 * sum(others) / len(others), abs=0.03)
    assert redirected.usage.invocations < plain.usage.invocations
    assert redirected.percentile(0.3) < plain.percentile(0.3)
    assert plain.usage.redirected == 0


def test_the_edge_absorbs_a_hot_identifier() -> None:
    hot = replace(LIGHT, traffic=Traffic(10, hot=2_000), regions=1)
    cached, bare = simulate(hot), simulate(replace(hot, edge=False, settings=replace(hot.settings, caches=False)))
    redirected = simulate(replace(hot, traffic=replace(hot.traffic, hot_is_other=True), redirects=1.0))
    assert cached.hot.total() > 0.9 * cached.usage.requests
    assert sum(each.hot_invocations for each in cached.regions) < 0.01 * cached.hot.total()
    assert sum(each.hot_reads for each in bare.regions) == bare.hot.total()
    assert set(redirected.hot) == {REDIRECTED}


def test_provisioned_capacity_limits_a_table_and_saves_what_is_unused() -> None:
    table = Table(10**9, 2_200, provisioned=100)
    assert sum(table.read(key, 1, 0.0) for key in range(1_000)) == 100
    assert sum(table.read(key, 1, 1.0) for key in range(1_000)) == 100
    assert sum(table.read(key, 1, 11.0) for key in range(5_000)) == 1_000  # ten unused seconds
    assert table.throttled == 7_000 - 1_200
    assert sum(table.read(key, 1, 10_000.0) for key in range(40_000)) == 100 * quotas.BURST_SECONDS


def test_provisioned_capacity_costs_less_from_the_break_even_on() -> None:
    even = float(prices.provisioned(1, 1) / prices.on_demand(1))
    assert prices.provisioned(1_000, even * 1.01) < prices.on_demand(1_000) < prices.provisioned(1_000, even * 0.99)
    starved = replace(LIGHT, edge=False, settings=replace(LIGHT.settings, provisioned=50.0))
    assert simulate(starved).origin["dynamodb"] > 0.3 * simulate(LIGHT).usage.requests


def test_the_recommended_settings_throttle_nothing_in_one_region() -> None:
    base = simulate(replace(LIGHT, traffic=Traffic(1_500)))
    limits, everything = map(simulate, recommendation.checks(base))
    for result in (limits, everything):
        assert result.scenario.regions == 1
        assert set(result.origin) == {"ok"}
    assert prices.total(everything.usage) < prices.total(limits.usage)


def test_one_item_gets_what_one_partition_has_even_after_splits() -> None:
    table, answered, units = Table(10**9, 2_200), 0, analysis.read_units(2_200)
    table.partition(7).first_throttle = -quotas.SPLIT_SECONDS
    for number in range(20_000):  # 10,000 a second
        answered += table.read(7, units, number / 10_000)
    assert table.splits == 1
    assert answered <= 2 * 6_000 + 2 * 6_000  # of two seconds, and the full buckets before and after the split
    assert table.throttled == 20_000 - answered
    assert analysis.largest_rate_of_one_item(2_200) == 6_000


def test_splits_help_many_items_and_not_one() -> None:
    minutes = 1 + int(quotas.SPLIT_SECONDS / 60)
    many = hot_pid_tables.answered_by_minute(range(1_000), 12_000, minutes + 1)
    one = hot_pid_tables.answered_by_minute([0], 12_000, minutes + 1)
    assert many[0][0] == pytest.approx(6_000, rel=0.02)
    assert many[minutes][0] == pytest.approx(12_000, rel=0.05)
    assert one[minutes][0] == pytest.approx(6_000, rel=0.02)
    assert many[minutes][1] == one[minutes][1] == 1


def test_a_split_doubles_what_many_items_get() -> None:
    table = Table(1, 1)
    table.partitions = table.partitions[:1]
    assert sum(table.read(key, 1, 0.0) for key in range(5_000)) == 3_000
    for key in range(9_000):
        table.read(key, 1, quotas.SPLIT_SECONDS)
    assert table.splits == 1
    assert sum(table.read(key, 1, quotas.SPLIT_SECONDS + 2) for key in range(9_000)) > 5_500


def test_scaling_is_limited_to_1000_environments_and_100_more_a_second() -> None:
    fleet = Fleet(5_000)
    assert sum(fleet.acquire(0.0) is not None for _ in range(2_000)) == 1_000
    assert sum(fleet.acquire(1.0) is not None for _ in range(2_000)) == 100


def test_the_edge_serves_what_it_has_while_a_region_fails() -> None:
    traffic = Traffic(100, hot=1_000)
    failing = replace(LIGHT, traffic=traffic, regions=1, failure=(0.5, 2.0), lifetimes=Lifetimes(0.2, 0.1))
    with_edge, without = simulate(failing), simulate(replace(failing, edge=False))
    assert with_edge.outcomes["stale on error"] > with_edge.outcomes["error: region"]
    assert without.outcomes["error: region"] > 0.5 * without.usage.requests


def test_one_hot_identifier_takes_what_its_closed_forms_say() -> None:
    lifetimes, rate = Lifetimes(0.5, 0.0, 0.0), 2_000.0
    hot = replace(LIGHT, traffic=Traffic(0.001, hot=rate), regions=1, lifetimes=lifetimes)
    load = HotPid(rate, assumptions.RECORD_BYTES, CACHED_CPU_SECONDS + RUNTIME_SECONDS)
    (region,) = simulate(replace(hot, edge=False)).regions
    reads = region.records.read_units / analysis.read_units(assumptions.RECORD_BYTES)
    assert load.busy <= region.fleet.peak <= region.fleet.created <= load.concurrency
    assert reads <= region.fleet.created  # each environment reads once in so short a run
    behind = simulate(hot).origin.total() / hot.seconds
    assert behind == pytest.approx(load.invocations(quotas.REGIONAL_CACHES, lifetimes.fresh), rel=0.2)


def test_a_purge_of_everything_brings_requests_to_the_service() -> None:
    hot = replace(LIGHT, traffic=Traffic(10, hot=1_000))
    purged = simulate(replace(hot, purge_all=1.0))
    assert purged.origin.total() >= simulate(hot).origin.total() + quotas.REGIONAL_CACHES / 2


def test_the_page_has_the_tables_that_need_no_run() -> None:
    page = (ROOT / "docs" / "explanation" / "evidence" / "simulation.md").read_text(encoding="utf-8")
    assert report.lifetimes(Traffic()) in page
    assert hot_pid_tables.arithmetic(10_000) in page
    assert hot_pid_tables.splits() in page
    assert [each for each in quotas.ASSUMPTIONS if f"- {each}" not in page] == []

"""The cost model: each tier at its own price, never less for more, and the guide quotes its output."""

import doctest
import json as plain_json
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace as replace_struct

from coolid.aws.telemetry.logs import line
from coolid.health.due_tasks import due
from coolid.health.messages import check_batches
from coolid.health.schedule import TICK_SECONDS, CheckSchedule, CheckTask
from coolid.http.message import Request, Response
from coolid.local import bioregistry_prefixes
from coolid.model.check_state import CheckState, CheckSubject
from coolid.proofs.statements import sign, statement_of
from coolid.store.rows import registry_rows
from scripts.cost import answers, assumptions, months, plans, prices, tables
from scripts.cost.__main__ import main
from scripts.cost.months import Month, parts, total
from scripts.cost.prices import price
from scripts.cost.probing import probes
from scripts.cost.sequencing import sequencing
from tests.infra.cloudformation import load
from tests.support.builders.samples import BASE_URL, MOMENT, ROOT, provider_prefix
from tests.support.fixtures.ports import KeySigner

NAMES = sorted(prices.PRICES)
QUANTITIES = st.integers(min_value=0, max_value=10**17)
names = st.sampled_from(NAMES)
hit_rates = st.fractions(min_value=0, max_value=100, max_denominator=1000)
MONTHS = st.builds(
    Month,
    way=st.sampled_from(sorted(months.WAYS)),
    resolutions=st.integers(0, 10**13),
    hit_rate=hit_rates,
    edge_share=hit_rates,
    architecture=st.sampled_from(["arm64", "x86_64"]),
    records=st.integers(0, 10**11),
    mints=st.integers(0, 10**10),
    changes=st.integers(0, 10**9),
    milliseconds=st.integers(1, 10_000),
    providers=st.integers(0, 10**6),
)


class TestTiers:
    @pytest.mark.parametrize("name", NAMES)
    def test_a_unit_more_costs_the_price_of_the_tier_that_it_falls_into(self, name: str) -> None:
        end = 0
        for (size, unit), (_, following) in zip(prices.PRICES[name], prices.PRICES[name][1:], strict=False):
            assert size is not None
            end += size
            assert price(name, end) - price(name, end - 1) == unit
            assert price(name, end + 1) - price(name, end) == following

    @given(names, QUANTITIES, QUANTITIES)
    def test_more_never_costs_less_and_two_bills_never_less_than_one(self, name: str, one: int, other: int) -> None:
        assert 0 <= price(name, one) <= price(name, one + other)
        units = [unit for _, unit in prices.PRICES[name] if unit]
        if units == sorted(units, reverse=True):
            assert price(name, one + other) - price(name, other) <= one * units[0]

    @pytest.mark.parametrize("name", NAMES)
    def test_only_the_last_tier_has_no_end(self, name: str) -> None:
        *bounded, (last, _) = prices.PRICES[name]
        assert last is None
        assert all(size is not None and size > 0 for size, _ in bounded)

    @pytest.mark.parametrize(
        ("name", "quantity", "expected"),
        [
            ("API Gateway requests", 333_000_000, "1165.50"),
            ("API Gateway requests", 1_000_000_000, "3033.10"),
            ("API Gateway requests", 20_000_000_000, "48253.10"),
            ("Lambda requests", 3_000_000, "0.40"),
            ("Lambda GB-s, arm64", 400_001, "0.0000133334"),
            ("CloudFront bytes", 10 * 2**40, "783.36"),
            ("CloudFront invalidations", 1_002, "0.01"),
            ("KMS signatures", 10_000, "0.15"),
        ],
    )
    def test_what_was_reckoned_by_hand(self, name: str, quantity: int, expected: str) -> None:
        assert price(name, quantity) == Fraction(expected)


class TestMonths:
    @given(MONTHS)
    def test_no_part_is_negative_and_the_parts_are_the_whole(self, month: Any) -> None:
        bill = parts(month)
        assert all(amount >= 0 for amount in bill.values())
        assert sum(bill.values()) == total(month)

    @pytest.mark.parametrize("member", ["resolutions", "records", "mints", "changes", "milliseconds", "providers"])
    @given(month=MONTHS, more=st.integers(1, 10**12))
    def test_more_of_anything_never_costs_less(self, member: str, month: Any, more: int) -> None:
        busier = replace(month, **{member: getattr(month, member) + more})
        assert total(busier) >= total(month)

    @given(st.integers(0, 10**9), st.integers(0, 10**8), st.integers(0, 10**6), st.sampled_from([0, 3_000]))
    def test_a_larger_or_busier_log_never_takes_less(self, size: int, entries: int, more: int, listed: int) -> None:
        taken, larger, busier = (
            sequencing(*each, listed) for each in ((size, entries), (size + more, entries), (size, entries + more))
        )
        for name, amount in vars(taken).items():
            assert 0 <= amount <= min(getattr(larger, name), getattr(busier, name))

    @given(MONTHS, hit_rates)
    def test_what_the_edge_answers_costs_no_more_behind_it(self, month: Any, rate: Fraction) -> None:
        one, other = (replace(month, hit_rate=each) for each in sorted([month.hit_rate, rate]))
        assert total(other) <= total(one)
        if month.way == "api":
            assert parts(other) == parts(one)

    @given(MONTHS)
    def test_each_way_is_billed_for_what_it_has(self, month: Any) -> None:
        bill = parts(replace(month, resolutions=10**9, providers=0))
        edge = {"CloudFront requests", "CloudFront transfer", "CloudFront function", "WAF"}
        assert {name for name in edge if bill[name]} == (set() if month.way == "api" else edge)
        assert bool(bill["Transfer to the internet"]) == (month.way == "api")
        assert bool(bill["KeyValueStore requests"]) == bool(month.has_edge and month.edge_share)

    @pytest.mark.parametrize("way", ["edge", "edge-function"])
    def test_redirects_at_the_edge_take_no_gateway_function_or_table(self, way: str) -> None:
        none = parts(Month(way, 0))
        redirected = parts(Month(way, 10**9, edge_share=Fraction(100)))
        for name in ("API Gateway requests", "CloudWatch logs"):
            assert redirected[name] == none[name]
        for name in ("Lambda requests", "Lambda time", "DynamoDB reads"):  # only those of the updater
            assert 0 <= redirected[name] - none[name] < Fraction("0.5")
        assert redirected["KeyValueStore reads"] == Fraction("0.03") * (2 * 1_000 - 2)

    @given(MONTHS, st.fractions(1, 100, max_denominator=100), st.fractions(1, 100, max_denominator=100))
    def test_more_redirects_cost_less_than_the_rest_api(self, month: Any, one: Fraction, other: Fraction) -> None:
        without_hits = replace(month, way="edge", hit_rate=Fraction(0), store_requests=0)
        fewer, more = (total(replace(without_hits, edge_share=share)) for share in sorted([one, other]))
        assert more <= fewer

    def test_the_requests_of_the_updater_are_billed(self) -> None:
        month = Month("edge", 10**6, edge_share=Fraction(50))
        few, many = (parts(replace(month, store_requests=each)) for each in (0, 43_800))
        assert many["KeyValueStore requests"] - few["KeyValueStore requests"] == Fraction("43.8")


class TestPlans:
    def test_the_template_needs_what_the_business_plan_has(self) -> None:
        """It has policies and purges by tag of its own, and more behaviors than the plans below allow."""
        edge = load(ROOT / "infra" / "edge.yaml")["Resources"]
        types = {each["Type"] for each in edge.values()}
        assert {"AWS::CloudFront::CachePolicy", "AWS::CloudFront::ResponseHeadersPolicy"} <= types
        config = edge["Distribution"]["Properties"]["DistributionConfig"]
        assert "CacheTagConfig" in config
        assert len(config["CacheBehaviors"]) + 1 == plans.BEHAVIORS
        assert {plan.name for plan in plans.PLANS if plan.fits} == {"Business", "Premium"}

    def test_a_dearer_plan_allows_more(self) -> None:
        for one, other in zip(plans.PLANS, plans.PLANS[1:], strict=False):
            assert one.dollars < other.dollars
            assert one.requests < other.requests
            assert one.size <= other.size
            assert assumptions.WAF_RULES <= one.rules <= other.rules

    @given(st.integers(0, 6 * 10**9), st.integers(0, 600 * 2**40))
    def test_the_cheapest_plan_that_suffices_is_chosen(self, requests: int, size: int) -> None:
        chosen = plans.plan_for(requests, size)
        assert chosen.fits
        assert (requests, size) <= (chosen.requests, max(size, chosen.size))
        cheaper = [each for each in plans.PLANS if each.fits and each.dollars < chosen.dollars]
        assert all(requests > each.requests or size > each.size for each in cheaper)

    def test_a_plan_replaces_what_it_covers(self) -> None:
        month = Month("edge-function", 10**8, edge_share=Fraction(50))
        bill, planned = parts(month), parts(replace(month, plan=True))
        assert planned["CloudFront plan"] == 200
        kept = {name: amount for name, amount in planned.items() if amount and name != "CloudFront plan"}
        assert not {"CloudFront requests", "KeyValueStore reads", "WAF", "Route 53"} & set(kept)
        assert all(bill[name] == amount for name, amount in kept.items())

    def test_no_plan_has_a_published_price_for_ten_billion_requests(self) -> None:
        with pytest.raises(plans.NoPlanError):
            total(Month("edge", 10**10, plan=True))
        assert total(Month("api", 10**10, plan=True)) == total(Month("api", 10**10))

    def test_arm64_is_the_cheaper_processor(self) -> None:
        arm, x86 = (Month("api", 10**9, architecture=each) for each in ("arm64", "x86_64"))
        assert total(arm) < total(x86)


class TestAssumptions:
    def test_memory_is_what_the_functions_have(self) -> None:
        functions = load()["Resources"]
        memory = {name: each.get("Properties", {}).get("MemorySize", 0) for name, each in functions.items()}
        assert memory["ResolveFunction"] == assumptions.MEMORY_MB
        assert memory["ProbeFunction"] == assumptions.PROBE_MEMORY_MB
        assert memory["SequenceFunction"] == assumptions.SEQUENCE_MB
        snapshots = [name for name, each in functions.items() if "SnapStart" in each.get("Properties", {})]
        assert sum(memory[name] for name in snapshots) == assumptions.SNAPSHOT_MB

    def test_the_templates_have_no_more_keys_alarms_and_rules_than_was_assumed(self) -> None:
        watched, web = (load(ROOT / "infra" / f"{name}.yaml")["Resources"] for name in ("watch", "global"))
        keys = [each for each in (load()["Resources"] | watched).values() if each["Type"] == "AWS::KMS::Key"]
        alarms = [each for each in watched.values() if each["Type"] == "AWS::CloudWatch::Alarm"]
        redirects = [each for each in alarms if each.get("Condition") == "HasRedirects"]
        others = [each for each in alarms if each not in redirects]
        assert 0 < len(keys) <= assumptions.KEYS
        assert 0 < sum(map(metrics_of, redirects)) <= assumptions.STORE_ALARMS
        assert 0 < sum(map(metrics_of, others)) <= assumptions.ALARMS
        assert 0 < len(web["WebAcl"]["Properties"]["Rules"]) <= assumptions.WAF_RULES

    def test_a_check_state_and_the_bioregistrys_prefixes_are_no_larger_than_was_assumed(self) -> None:
        falls = (MOMENT,) * 4
        pulse = CheckState(
            url="https://" + "a" * 200, state="down", since=MOMENT, checked=MOMENT, good=MOMENT, falls=falls
        )
        assert len(json.encode(replace_struct(pulse, reason="r" * 100, etag='"' + "e" * 64 + '"'))) < 1_000
        rows = registry_rows(
            [provider_prefix("go", *["https://a.example/{$id}"] * 2, description="d" * 300, pattern="p" * 50)]
        )
        assert len(str(rows)) < assumptions.PREFIX_BYTES

    def test_the_bioregistrys_prefixes_have_no_more_synonyms_than_was_assumed(self) -> None:
        prefixes = [*bioregistry_prefixes.prefixes()]
        assert 0 < sum(len(each.synonyms) for each in prefixes) / len(prefixes) <= assumptions.SYNONYMS

    @pytest.mark.parametrize(
        ("assumed", "row"),
        [
            (assumptions.CPU_MS, "one read: the handler, TLS"),
            (assumptions.CACHED_CPU_MS, "warm: a record of ours"),
        ],
    )
    def test_processor_times_are_those_of_the_benchmark_with_room_for_lambda(self, assumed: Fraction, row: str) -> None:
        bench = ROOT / "docs" / "explanation" / "evidence" / "bench" / "results.json"
        medians = {each["name"]: each["median"] / 1000 for each in plain_json.loads(bench.read_text("utf-8"))}
        assert 2 * medians[row] <= assumed <= 20 * medians[row]

    def test_an_entry_of_the_log_is_no_longer_than_was_assumed(self) -> None:
        signer = KeySigner()
        document = {"pid": f"{BASE_URL}/2021/06/materials/tw0t-ywdj-94", "version": 12, "issuer": BASE_URL}
        proof = sign(statement_of(document, 1_800_000_000), signer.public_key(), signer.sign)
        assert len(proof) <= assumptions.ENTRY_BYTES

    def test_planning_sends_no_more_letters_than_was_assumed(self) -> None:
        providers = 3_000
        errands = [
            CheckTask(CheckSubject(f"prefix:p{each}", "x"), f"https://h{each % 1_300}.example/{each}")
            for each in range(providers)
        ]
        period = CheckSchedule().hours * 3600 // TICK_SECONDS
        sent = sum(
            len([*check_batches(due([(each, period) for each in errands], tick), tick)]) for tick in range(period)
        )
        assert sent / period <= probes(providers).invocations * TICK_SECONDS / prices.SECONDS - 1

    def test_a_line_of_the_log_is_no_longer_than_was_assumed(self) -> None:
        request = Request("GET", "/2021/06/materials/tw0t-ywdj-94", request_id=str(UUID(int=0)))
        returned = line(request, Response(302), seconds=0.01234, service="resolve", base_url=BASE_URL, now=0)
        assert len(returned) + 26 <= assumptions.LOG_LINE_BYTES


def metrics_of(alarm: Any) -> int:
    """How many metrics an alarm looks at, for each of which there is a price."""
    return sum("MetricStat" in each for each in alarm["Properties"].get("Metrics", ())) or 1


class TestPrinting:
    def test_the_operators_guide_has_the_tables(self) -> None:
        page = (ROOT / "docs" / "how-to" / "operator" / "costs.md").read_text(encoding="utf-8")
        assert [each for each in tables.sections().items() if "\n\n".join(each) not in page] == []

    @pytest.mark.parametrize("name", ["answers", "plans", "prices", "tables"])
    def test_examples_are_right(self, name: str) -> None:
        found = doctest.testmod(import_module(f"scripts.cost.{name}"))
        assert found.attempted
        assert not found.failed

    def test_a_request_that_the_edge_redirects_is_cheaper_than_any_that_reaches_the_service(self) -> None:
        sums = {answer: sum(answers.million(answer).values()) for answer in answers.ANSWERS}
        assert sums["cache"] < sums["edge"] < min(sums["edge-function"], sums["api"])
        assert not {"Lambda", "DynamoDB reads", "API Gateway requests"} & set(answers.million("edge"))

    def test_a_number_of_resolutions_gives_the_parts_of_their_bill(self, capsys: pytest.CaptureFixture[str]) -> None:
        main(["--resolutions", "5000000", "--hit-rate", "80"])
        shown = [Month(way, 5_000_000, Fraction(80)) for way in months.WAYS]
        assert capsys.readouterr().out == tables.itemised(shown) + "\n"

    def test_as_json_the_parts_add_up(self, capsys: pytest.CaptureFixture[str]) -> None:
        main(["--json"])
        bills = plain_json.loads(capsys.readouterr().out)
        assert {(bill["way"], bill["resolutions"]) for bill in bills} == {
            (way, number) for way in months.WAYS for number in tables.RESOLUTIONS
        }
        for bill in bills:
            assert sum(bill["parts"].values()) == pytest.approx(bill["total"], abs=0.1)

    def test_options_change_what_the_operator_chose(self, capsys: pytest.CaptureFixture[str]) -> None:
        main(["--json", "--resolutions", "100000000", "--edge-answers", "50", "--plan", "--store-requests", "1000"])
        plain, edge, _ = plain_json.loads(capsys.readouterr().out)
        assert (plain["plan"], edge["plan"], edge["edge_share"]) == (False, True, 50.0)
        assert edge["parts"]["CloudFront plan"] == 200
        assert edge["parts"]["KeyValueStore requests"] == 1

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--plan", "--json"],
            ["--hit-rate", "101"],
            ["--hit-rate", "nan"],
            ["--resolutions", "-1"],
            ["--records", "many"],
        ],
    )
    def test_what_cannot_be_is_refused(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as refused:
            main(arguments)
        assert refused.value.code == 2
        assert "error: " in capsys.readouterr().err

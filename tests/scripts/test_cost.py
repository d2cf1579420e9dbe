"""The cost model: each tier at its own price, never less for more, and the guide quotes its output."""

import json as plain_json
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace as replace_struct

from coolid.aws.telemetry.logs import line
from coolid.health.messages import check_batches
from coolid.health.schedule import TICK_SECONDS, CheckSchedule, CheckTask, due
from coolid.http.message import Request, Response
from coolid.model.check_state import CheckState, CheckSubject
from coolid.proofs.statements import sign, statement_of
from coolid.store.rows import registry_rows
from tests.infra.cloudformation import load
from tests.support.builders.samples import BASE_URL, MOMENT, ROOT, provider_prefix
from tests.support.fixtures.ports import KeySigner

cost = ModuleType("cost")
SourceFileLoader("cost", str(ROOT / "scripts" / "cost")).exec_module(cost)

NAMES = sorted(cost.PRICES)
QUANTITIES = st.integers(min_value=0, max_value=10**17)
names = st.sampled_from(NAMES)
hit_rates = st.fractions(min_value=0, max_value=100, max_denominator=1000)
months = st.builds(
    cost.Month,
    way=st.sampled_from(sorted(cost.WAYS)),
    resolutions=st.integers(0, 10**13),
    hit_rate=hit_rates,
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
        for (size, unit), (_, following) in zip(cost.PRICES[name], cost.PRICES[name][1:], strict=False):
            end += size
            assert cost.price(name, end) - cost.price(name, end - 1) == unit
            assert cost.price(name, end + 1) - cost.price(name, end) == following

    @given(names, QUANTITIES, QUANTITIES)
    def test_more_never_costs_less_and_two_bills_never_less_than_one(self, name: str, one: int, other: int) -> None:
        assert 0 <= cost.price(name, one) <= cost.price(name, one + other)
        units = [unit for _, unit in cost.PRICES[name] if unit]
        if units == sorted(units, reverse=True):
            assert cost.price(name, one + other) - cost.price(name, other) <= one * units[0]

    @pytest.mark.parametrize("name", NAMES)
    def test_only_the_last_tier_has_no_end(self, name: str) -> None:
        *bounded, (last, _) = cost.PRICES[name]
        assert last is None
        assert all(size > 0 for size, _ in bounded)

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
        assert cost.price(name, quantity) == Fraction(expected)


class TestMonths:
    @given(months)
    def test_no_part_is_negative_and_the_parts_are_the_whole(self, month: Any) -> None:
        parts = cost.parts(month)
        assert all(amount >= 0 for amount in parts.values())
        assert sum(parts.values()) == cost.total(month)

    @pytest.mark.parametrize("member", ["resolutions", "records", "mints", "changes", "milliseconds", "providers"])
    @given(month=months, more=st.integers(1, 10**12))
    def test_more_of_anything_never_costs_less(self, member: str, month: Any, more: int) -> None:
        busier = replace(month, **{member: getattr(month, member) + more})
        assert cost.total(busier) >= cost.total(month)

    @given(st.integers(0, 10**9), st.integers(0, 10**8), st.integers(0, 10**6), st.sampled_from([0, 3_000]))
    def test_a_larger_or_busier_log_never_takes_less(self, size: int, entries: int, more: int, listed: int) -> None:
        taken, larger, busier = (
            cost.sequencing(*each, listed) for each in ((size, entries), (size + more, entries), (size, entries + more))
        )
        for name, amount in vars(taken).items():
            assert 0 <= amount <= min(getattr(larger, name), getattr(busier, name))

    @given(months, hit_rates)
    def test_what_the_edge_answers_costs_no_more_behind_it(self, month: Any, rate: Fraction) -> None:
        one, other = (replace(month, hit_rate=each) for each in sorted([month.hit_rate, rate]))
        assert cost.total(other) <= cost.total(one)
        if month.way == "api":
            assert cost.parts(other) == cost.parts(one)

    @given(months)
    def test_each_way_is_billed_for_what_it_has(self, month: Any) -> None:
        parts = cost.parts(replace(month, resolutions=10**9, providers=0))
        edge = {"CloudFront requests", "CloudFront transfer", "CloudFront function", "WAF"}
        assert {name for name in edge if parts[name]} == (set() if month.way == "api" else edge)
        assert bool(parts["Transfer to the internet"]) == (month.way == "api")

    def test_arm64_is_the_cheaper_processor(self) -> None:
        arm, x86 = (cost.Month("api", 10**9, architecture=each) for each in ("arm64", "x86_64"))
        assert cost.total(arm) < cost.total(x86)


class TestAssumptions:
    def test_memory_is_what_the_functions_have(self) -> None:
        functions = load()["Resources"]
        memory = {name: each.get("Properties", {}).get("MemorySize", 0) for name, each in functions.items()}
        assert memory["ResolveFunction"] == cost.MEMORY_MB
        assert memory["ProbeFunction"] == cost.PROBE_MEMORY_MB
        assert memory["SequenceFunction"] == cost.SEQUENCE_MB
        snapshots = [name for name, each in functions.items() if "SnapStart" in each.get("Properties", {})]
        assert sum(memory[name] for name in snapshots) == cost.SNAPSHOT_MB

    def test_the_templates_have_no_more_keys_alarms_and_rules_than_was_assumed(self) -> None:
        watched, web = (load(ROOT / "infra" / f"{name}.yaml")["Resources"] for name in ("watch", "global"))
        keys = [each for each in (load()["Resources"] | watched).values() if each["Type"] == "AWS::KMS::Key"]
        alarms = [each for each in watched.values() if each["Type"] == "AWS::CloudWatch::Alarm"]
        assert 0 < len(keys) <= cost.KEYS
        assert 0 < sum(map(metrics_of, alarms)) <= cost.ALARMS
        assert 0 < len(web["WebAcl"]["Properties"]["Rules"]) <= cost.WAF_RULES

    def test_a_check_state_and_the_bioregistrys_prefixes_are_no_larger_than_was_assumed(self) -> None:
        falls = (MOMENT,) * 4
        pulse = CheckState(
            url="https://" + "a" * 200, state="down", since=MOMENT, checked=MOMENT, good=MOMENT, falls=falls
        )
        assert len(json.encode(replace_struct(pulse, reason="r" * 100, etag='"' + "e" * 64 + '"'))) < 1_000
        rows = registry_rows(
            [provider_prefix("go", *["https://a.example/{$id}"] * 2, description="d" * 300, pattern="p" * 50)]
        )
        assert len(str(rows)) < cost.PREFIX_BYTES

    def test_an_entry_of_the_log_is_no_longer_than_was_assumed(self) -> None:
        signer = KeySigner()
        document = {"pid": f"{BASE_URL}/2021/06/materials/tw0t-ywdj-94", "version": 12, "issuer": BASE_URL}
        proof = sign(statement_of(document, 1_800_000_000), signer.public_key(), signer.sign)
        assert len(proof) <= cost.ENTRY_BYTES

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
        assert sent / period <= cost.probes(providers).invocations * TICK_SECONDS / cost.SECONDS - 1

    def test_a_line_of_the_log_is_no_longer_than_was_assumed(self) -> None:
        request = Request("GET", "/2021/06/materials/tw0t-ywdj-94", request_id=str(UUID(int=0)))
        now = datetime(2026, 11, 21, tzinfo=UTC)
        returned = line(request, Response(302), seconds=0.01234, service="resolve", base_url=BASE_URL, now=now)
        assert len(returned) + 26 <= cost.LOG_LINE_BYTES


def metrics_of(alarm: Any) -> int:
    """How many metrics an alarm looks at, for each of which there is a price."""
    return sum("MetricStat" in each for each in alarm["Properties"].get("Metrics", ())) or 1


class TestPrinting:
    def test_the_operators_guide_has_the_tables(self) -> None:
        assert cost.report() in (ROOT / "docs" / "how-to" / "operator" / "costs.md").read_text(encoding="utf-8")

    def test_a_number_of_resolutions_gives_the_parts_of_their_bill(self, capsys: pytest.CaptureFixture[str]) -> None:
        cost.main(["--resolutions", "5000000", "--hit-rate", "80"])
        months = [cost.Month(way, 5_000_000, Fraction(80)) for way in cost.WAYS]
        assert capsys.readouterr().out == cost.itemised(months) + "\n"

    def test_as_json_the_parts_add_up(self, capsys: pytest.CaptureFixture[str]) -> None:
        cost.main(["--json"])
        bills = plain_json.loads(capsys.readouterr().out)
        assert {(bill["way"], bill["resolutions"]) for bill in bills} == {
            (way, number) for way in cost.WAYS for number in cost.RESOLUTIONS
        }
        for bill in bills:
            assert sum(bill["parts"].values()) == pytest.approx(bill["total"], abs=0.1)

    @pytest.mark.parametrize(
        "arguments", [["--hit-rate", "101"], ["--hit-rate", "nan"], ["--resolutions", "-1"], ["--records", "many"]]
    )
    def test_what_cannot_be_is_refused(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as refused:
            cost.main(arguments)
        assert refused.value.code == 2
        assert "error: argument" in capsys.readouterr().err

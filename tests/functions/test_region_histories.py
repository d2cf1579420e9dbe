"""Two regions with lagging replicas, in any order of events: no identifier is minted twice, no version is lost."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule
from msgspec.structs import replace

from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.proofs.verification import verify
from coolid.registry.home_regions import MOVE_DURATION, Region
from tests.support.builders.samples import namespace, repository
from tests.support.effort import examples
from tests.support.fixtures.application import MINT, RECORDS, InMemoryApplication
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.fixtures.system import Answer
from tests.support.stores.replicas import Replicas

REGIONS = EU, US = "eu-west-1", "us-east-1"
OWNER = "r4k2-9m3x-62"
REPOSITORY = f"/api/v1/repositories/{OWNER}"
MOST_LAG = 20
"""Seconds; more than replication is ever seen to take, and no more than homes that move allow for."""

where = st.sampled_from(REGIONS)


class TwoRegions(RuleBasedStateMachine):
    """One repository; its names are at home in `EU`. The dice fall alike in both regions: they would draw the same."""

    rules_: Rules = NoidRules(".rddd", order="0f" * 16)
    minted: Bundle[Any] = Bundle("minted")

    def __init__(self) -> None:
        super().__init__()
        self.replicas = Replicas(*REGIONS)
        self.clock, self.lag, self.named = FixedClock(), 0, 0
        first, owner = self.replicas.stores[EU], repository(OWNER, home=EU, rules=self.rules_)
        first.create_repository(owner)
        first.put_prefix(namespace("demo", replace(owner, canonical="demo")), None)
        self.replicas.wrote(EU)
        self.replicas.converge()
        self.apps = {
            region: InMemoryApplication(
                self.replicas.stores[region], self.clock, SeededEntropy(1), region=Region(region, EU)
            )
            for region in REGIONS
        }
        for region in REGIONS:
            self.replicas.wrote(region)
        self.versions: dict[str, int] = {}

    def _ask(self, region: str, method: str, path: str, document: Any) -> Answer:
        answer = self.apps[region].change(method, path, document)
        assert answer.status < 500 or answer.is_problem(503, "home-moving"), answer.body
        self.replicas.wrote(region)
        return answer

    @rule(target=minted, region=where, newest=st.booleans())
    def mint(self, region: str, newest: bool) -> Any:
        return self._mint(region, {}, newest)

    @rule(target=minted, region=where, number=st.integers(0, 1), newest=st.booleans())
    def mint_what_is_chosen(self, region: str, number: int, newest: bool) -> Any:
        chosen = ("000", "001") if isinstance(self.rules_, NoidRules) else ("0000-0000-98", "0000-0001-95")
        return self._mint(region, {"id": chosen[number]}, newest)

    def _mint(self, region: str, wanted: dict[str, str], newest: bool) -> Any:
        """Under the newest alias, or the first."""
        prefix = f"n{self.named}" if newest and self.named else "demo"
        answer = self._ask(region, "POST", RECORDS, MINT | wanted | {"prefix": prefix})
        if answer.status != 201:
            return multiple()
        pid = answer.json()["pid"]
        assert pid not in self.versions, f"{pid} was given a second time"
        self.versions[pid] = 1
        return pid

    @rule(region=where, pid=minted)
    def update(self, region: str, pid: str) -> None:
        document = {"metadata": {"what": f"{self.versions[pid] + 1}"}}
        if self._ask(region, "PATCH", f"{RECORDS}/{pid}", document).status == 200:
            self.versions[pid] += 1

    @rule(region=where, to=where)
    def move(self, region: str, to: str) -> None:
        """In `US` only a home that is to be there can be taken over."""
        answer = self._ask(region, "PATCH", REPOSITORY, {"home": to})
        assert answer.status == (409 if (region, to) == (US, EU) else 200)

    @rule(title=st.none() | st.sampled_from("ab"))
    def change_names(self, title: str | None) -> None:
        """A new title, or a new alias: either may undo a takeover which it has not heard of, or a part of it."""
        if title:
            assert self._ask(EU, "PATCH", REPOSITORY, {"title": title}).status == 200
            return
        self.named += 1
        alias = {"kind": "namespace", "repository": OWNER}
        assert self._ask(EU, "PUT", f"/api/v1/prefixes/n{self.named}", alias).status == 201
        assert self._ask(US, "PUT", f"/api/v1/prefixes/us{self.named}", alias).is_problem(409, "home-elsewhere")

    @rule(seconds=st.sampled_from([1, 5, MOST_LAG, MOVE_DURATION.seconds]))
    def time_goes_by(self, seconds: int) -> None:
        """Before it gets too long, everything comes over."""
        self.lag += seconds
        if self.lag >= MOST_LAG:
            self.replicas.converge()
            self.lag = 0
        self.clock.moment += timedelta(seconds=seconds)

    @invariant()
    def nothing_unforeseen_happened(self) -> None:
        assert [app.reported for app in self.apps.values()] == [[], []]

    def teardown(self) -> None:
        self.replicas.converge()
        keys = {"keys": self.replicas.stores[US].keys}
        for pid, version in self.versions.items():
            returned = [app.request("GET", f"{RECORDS}/{pid}").json() for app in self.apps.values()]
            assert returned[0] == returned[1]
            assert returned[0]["version"] == version
            assert verify(returned[0], keys).ok


class TwoRegionsThatDraw(TwoRegions):
    """The same where identifiers are drawn."""

    rules_ = LuiRules()


TestCounting = TwoRegions.TestCase
TestDrawing = TwoRegionsThatDraw.TestCase
TestCounting.settings = TestDrawing.settings = examples(50, stateful_step_count=25)


@pytest.mark.parametrize("heard", [0, 3])
def test_what_a_lost_region_gave_unheard_is_not_given_again(heard: int) -> None:
    """Its last numbers never came over; whoever takes over passes over them."""
    machine = TwoRegions()
    given = [machine.apps[EU].mint().json()["id"] for _ in range(heard)]
    machine.replicas.wrote(EU)
    machine.replicas.converge()
    given += [machine.apps[EU].mint().json()["id"] for _ in range(9)]
    machine.move(US, US)
    machine.clock.moment += MOVE_DURATION
    later = [machine.apps[US].mint().json()["id"] for _ in range(50)]
    assert not {*given} & {*later}

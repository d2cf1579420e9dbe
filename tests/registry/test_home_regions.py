"""Home regions: conditional writes happen in one region, and in none while a home moves."""

import re
from datetime import datetime, timedelta
from typing import Any

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import HomeElsewhere, HomeMoving, StoreUnavailable
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.records.counters import Counters, skip_numbers
from coolid.records.minter import home_check
from coolid.registry.home_regions import CACHE_TTL, MOVE_DURATION, PATTERN, SINGLE_REGION, HomeRegions, Region
from coolid.wiring.boto_clients import WRITES
from tests.infra.cloudformation import load
from tests.support.builders.samples import MOMENT, moments, repositories, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

NAMES = ["eu-west-1", "us-east-1", "ap-southeast-2"]
homes = st.none() | st.sampled_from(NAMES)
owned = st.builds(lambda home, settled: repository(home=home, settled=settled), homes, st.none() | moments)


def writes(region: Region, owner: object, now: datetime) -> bool:
    try:
        region.require_records_home(owner, now)  # type: ignore[arg-type]
    except (HomeElsewhere, HomeMoving):
        return False
    return True


@given(repositories, moments)
def test_a_process_without_a_region_writes_everything(owner: object, now: datetime) -> None:
    assert writes(SINGLE_REGION, owner, now)
    assert SINGLE_REGION.writes_names()
    SINGLE_REGION.require_names_home("the prefix mp")


@given(owned, st.sampled_from(NAMES), moments)
def test_at_no_moment_do_two_regions_write_the_records_of_one_repository(
    owner: object, names_home: str, now: datetime
) -> None:
    writing = [name for name in NAMES if writes(Region(name, names_home), owner, now)]
    assert len(writing) <= 1


@given(homes, st.sampled_from(NAMES))
def test_one_region_writes_them_where_none_is_moving(home: str | None, names_home: str) -> None:
    owner = repository(home=home)
    writing = [name for name in NAMES if writes(Region(name, names_home), owner, MOMENT)]
    assert writing == [home or names_home]


@pytest.mark.parametrize("names_home", NAMES)
def test_names_have_one_home_region(names_home: str) -> None:
    assert [name for name in NAMES if Region(name, names_home).writes_names()] == [names_home]
    with pytest.raises(HomeElsewhere, match=names_home) as raised:
        Region("sa-east-1", names_home).require_names_home("the prefix mp")
    assert raised.value.home == names_home


def test_a_region_is_the_home_of_names_unless_another_is_said() -> None:
    assert Region("eu-west-1").writes_names()
    assert Region("eu-west-1").home_of(repository()) == "eu-west-1"
    assert Region("eu-west-1").home_of(repository(home="us-east-1")) == "us-east-1"


@given(homes, homes, st.sampled_from(NAMES))
def test_a_new_home_begins_when_what_the_old_one_wrote_has_come_over(
    old: str | None, new: str | None, names_home: str
) -> None:
    regions = [Region(name, names_home) for name in NAMES]
    current, changed = repository(home=old), repository(home=new)
    moved = regions[0].with_settling_time(changed, current, MOMENT)
    begins = MOMENT + MOVE_DURATION if (new or names_home) != (old or names_home) else MOMENT
    almost = begins - timedelta(seconds=1)
    assert [writes(region, moved, begins) for region in regions].count(True) == 1
    assert begins == MOMENT or not any(writes(region, moved, almost) for region in regions)


def test_an_early_request_gets_the_time_to_wait() -> None:
    owner = repository(home="eu-west-1", settled=MOMENT + timedelta(seconds=20))
    with pytest.raises(HomeMoving) as raised:
        Region("eu-west-1").require_records_home(owner, MOMENT)
    assert raised.value.retry_after == 20


def test_the_former_home_has_stopped_before_the_new_one_begins() -> None:
    """Functions that write versions ask when they begin; the probe does before each write, of so many attempts."""
    functions = [each["Properties"] for each in load()["Resources"].values() if "Function" in each["Type"]]
    timeouts = [each["Timeout"] for each in functions if "Timeout" in each and _role(each) in _writing_roles()]
    assert len(timeouts) > 1
    longest = max(timeouts)
    settings: Any = WRITES
    attempt = 2 * settings.connect_timeout + settings.read_timeout  # TCP, TLS, the answer
    write = settings.retries["total_max_attempts"] * attempt + 20  # at most 20 seconds between attempts
    assert CACHE_TTL + timedelta(seconds=max(longest, write) + 20) <= MOVE_DURATION


def _role(function: dict[str, Any]) -> str:
    """The name of a function's role."""
    return str(function["Role"]["Fn::GetAtt"][0])


def _writing_roles() -> set[str]:
    """The names of the roles that may write versions of records."""
    roles = {name: each["Properties"] for name, each in load()["Resources"].items() if each["Type"] == "AWS::IAM::Role"}
    table = {"Fn::GetAtt": ["LuiTable", "Arn"]}
    return {
        name
        for name, role in roles.items()
        for policy in role.get("Policies", ())
        for each in policy["PolicyDocument"]["Statement"]
        if "dynamodb:PutItem" in each.get("Action", ()) and each["Resource"] == table
    }


class TestWhatAProcessKnows:
    """Homes are read from the repositories' own rows, now and then."""

    def test_nothing_is_read_where_there_are_no_regions(self) -> None:
        store = MemoryStore()
        home_check(SINGLE_REGION, store, FixedClock())("r4k2-9m3x-62")
        assert not store.calls

    def test_a_home_is_cached_briefly_and_then_read_again(self) -> None:
        store, clock = MemoryStore(), FixedClock()
        store.create_repository(repository(home="eu-west-1"))
        homes = HomeRegions(Region("eu-west-1"), store, clock)
        for _ in range(10):
            homes.require_home("r4k2-9m3x-62")
        assert store.calls["repository"] == 1
        store.repositories["r4k2-9m3x-62"] = repository(home="us-east-1")
        clock.moment += CACHE_TTL
        with pytest.raises(HomeElsewhere, match="us-east-1"):
            homes.require_home("r4k2-9m3x-62")

    def test_a_clock_that_is_set_back_makes_nothing_believed_for_longer(self) -> None:
        store, clock = MemoryStore(), FixedClock()
        store.create_repository(repository())
        homes = HomeRegions(Region("eu-west-1"), store, clock)
        homes.require_home("r4k2-9m3x-62")
        clock.moment -= timedelta(days=1)
        homes.require_home("r4k2-9m3x-62")
        assert store.calls["repository"] == 2

    def test_a_repository_that_is_not_replicated_is_not_written_yet(self) -> None:
        with pytest.raises(StoreUnavailable, match="not been replicated"):
            HomeRegions(Region("eu-west-1"), MemoryStore(), FixedClock()).require_home("r4k2-9m3x-62")

    def test_the_cache_of_homes_is_bounded(self) -> None:
        store = MemoryStore()
        homes = HomeRegions(Region("eu-west-1"), store, FixedClock())
        for number in range(1_500):
            store.repositories[str(number)] = repository(str(number))
            homes.require_home(str(number))
        assert len(homes._cached) <= 1_000


def test_every_region_that_there_is_can_be_a_home() -> None:
    session = boto3.Session()
    known = [
        name
        for partition in session.get_available_partitions()
        for name in session.get_available_regions("dynamodb", partition)
    ]
    assert known
    assert [name for name in known if not re.fullmatch(PATTERN, name)] == []


@pytest.mark.parametrize("name", ["", "Frankfurt", "eu-west-1a", "eu-west", "EU-WEST-1", "eu_west_1", "eu-west-1\n"])
def test_what_is_no_region_cannot(name: str) -> None:
    assert not re.fullmatch(PATTERN[:-1] + r"\Z", name)


class TestNumbersThatMayBeTaken:
    """What the lost home counted last is not known: a new one passes over it."""

    @given(st.sampled_from([".sdd", ".reedeedk", ".zeek", ".sd"]), st.integers(0, 5))
    def test_numbers_behind_the_last_that_is_known_are_not_given(self, template: str, taken: int) -> None:
        store, clock, rules = MemoryStore(), FixedClock(), NoidRules(template=template, order="00" * 16)
        before = [Counters(store, clock).take("r", rules) for _ in range(taken)]
        skip_numbers("r", rules, store, clock)
        unheard = set(range(taken, taken + rules.safety_gap()))
        assert Counters(store, clock).take("r", rules) not in unheard | set(before)

    @pytest.mark.parametrize(("template", "leap"), [(".sd", 1), (".sdd", 1), (".reeeddd", 1_000), (".zeek", 1_000)])
    def test_but_no_more_than_a_template_can_spare(self, template: str, leap: int) -> None:
        assert NoidRules(template=template).safety_gap() == leap

    def test_and_where_time_counts_it_has_gone_by(self) -> None:
        store, clock = MemoryStore(), FixedClock()
        skip_numbers("r", PilinRules(), store, clock)
        assert not store.counters

"""The contract of `CounterStore`."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.identifiers.schemes import pilin
from coolid.model.records import Content, Location
from coolid.model.repositories import Repository
from coolid.records.counters import Counters
from coolid.records.minter import Minter, MintRequest
from coolid.registry.registration import create_repository, register_namespace
from coolid.store.store import Store
from tests.contract.concurrency import at_once
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.fixtures.ports import FixedClock, SeededEntropy, prover

# Only writes, which boto3 sends whichever transport reads.
pytestmark = pytest.mark.parametrize("store", ["memory", "sqlite", "dynamo"], indirect=True)

OWNER = "r4k2-9m3x-62"
RECORDED = (Path(__file__).parents[1] / "vectors/ezid/77913_r7_first_20000.csv").read_text().split()


@pytest.fixture
def owner(request: pytest.FixtureRequest) -> str:
    """A repository id that no other test counts for."""
    return f"owner of {request.node.name}"


class TestNumbers:
    def test_they_are_handed_out_in_runs_that_do_not_overlap(self, store: Store) -> None:
        assert [
            store.counters.reserve(OWNER, 0, 10),
            store.counters.reserve(OWNER, 0, 5),
            store.counters.reserve(OWNER, 0, 1),
        ] == [0, 10, 15]

    def test_none_is_below_the_floor_and_none_comes_back(self, store: Store) -> None:
        assert store.counters.reserve(OWNER, 1_000, 10) == 1_000
        assert store.counters.reserve(OWNER, 500, 10) == 1_010
        assert store.counters.reserve(OWNER, 1_020, 10) == 1_020
        assert store.counters.reserve(OWNER, 10**13, 1) == 10**13
        assert store.counters.reserve(OWNER, 0, 1) == 10**13 + 1

    def test_repositories_count_apart(self, store: Store) -> None:
        store.counters.reserve(OWNER, 7, 10)
        assert store.counters.reserve("zzzz-zzzz-90", 7, 10) == 7

    @pytest.mark.parametrize("floors", [(0,), (0, 40, 1_000)])
    def test_many_at_once_never_share_one(self, store: Store, floors: tuple[int, ...]) -> None:
        requested = [floors[number % len(floors)] for number in range(48)]
        firsts = at_once([lambda floor=floor: store.counters.reserve(OWNER, floor, 10) for floor in requested])
        numbers = [number for first in firsts for number in range(first, first + 10)]
        assert len(set(numbers)) == 480
        assert all(first >= floor for first, floor in zip(firsts, requested, strict=True))


class TestReserve:
    def test_the_first_run_begins_at_the_floor(self, store: Store, owner: str) -> None:
        assert store.counters.reserve(owner, 1_000, 10) == 1_000
        assert store.counters.reserve(owner + "0", 0, 1) == 0

    def test_the_next_begins_behind_the_last_as_long_as_the_floor_is_below(self, store: Store, owner: str) -> None:
        assert [store.counters.reserve(owner, floor, 10) for floor in (5, 5, 0, 20, 34)] == [5, 15, 25, 35, 45]

    def test_a_higher_floor_is_used_and_a_lower_one_repeats_nothing(self, store: Store, owner: str) -> None:
        firsts = [store.counters.reserve(owner, floor, 5) for floor in (0, 100, 100, 105, 110, 111, 3)]
        assert firsts == [0, 100, 105, 110, 115, 120, 125]

    def test_exactly_at_the_floor_nothing_is_left_out(self, store: Store, owner: str) -> None:
        assert [store.counters.reserve(owner, floor, 10) for floor in (0, 10, 20)] == [0, 10, 20]

    def test_repositories_count_apart(self, store: Store, owner: str) -> None:
        assert [store.counters.reserve(owner + letter, 0, 3) for letter in "abab"] == [0, 0, 3, 3]

    def test_large_numbers_are_exact(self, store: Store, owner: str) -> None:
        large = pilin.CAPACITY - 5
        assert [store.counters.reserve(owner, large, 1_000) for _ in range(2)] == [large, large + 1_000]
        assert store.counters.reserve(owner, 2**60 + 1, 7) == 2**60 + 1
        assert store.counters.reserve(owner, 0, 7) == 2**60 + 8

    def test_runs_of_many_threads_never_overlap_and_none_is_below_its_floor(self, store: Store, owner: str) -> None:
        def reserve(at: int) -> tuple[int, int, int]:
            floor, count = (at * 37) % 500, 1 + at % 7
            return floor, store.counters.reserve(owner, floor, count), count

        with ThreadPoolExecutor(16) as threads:
            runs = list(threads.map(reserve, range(160)))
        assert all(first >= floor for floor, first, _ in runs)
        numbers = [number for _, first, count in runs for number in range(first, first + count)]
        assert len(set(numbers)) == len(numbers)

    def test_runs_of_one_floor_leave_nothing_out(self, store: Store, owner: str) -> None:
        with ThreadPoolExecutor(16) as threads:
            firsts = sorted(threads.map(lambda _: store.counters.reserve(owner, 50, 2), range(160)))
        assert firsts == list(range(50, 50 + 320, 2))

    @pytest.mark.parametrize("rules", [NoidRules(".sdek"), PilinRules()], ids=["noid", "pilin"])
    def test_counters_of_many_processes_share_no_number(self, store: Store, owner: str, rules: Any) -> None:
        processes = [Counters(store.counters, FixedClock()) for _ in range(2)]
        with ThreadPoolExecutor(16) as threads:
            numbers = list(threads.map(lambda at: processes[at % 2].take(owner, rules), range(160)))
        assert len(set(numbers)) == 160


class TestContinuedMinters:
    """The recorded names of a minter of EZID; see `tests/identifiers/test_continued_minters.py`."""

    def test_concurrent_mints_continue_the_sequence_without_gaps_or_repeats(self, store: Store) -> None:
        rules = NoidRules(".reedk", "77913", shoulder="r7", sequence="perl", first=2191, grows=3)
        draft = Repository("", "Plates", MOMENT, MOMENT, rules)
        owner = create_repository(draft, store.repositories, SeededEntropy())
        registration: dict[str, Any] = {
            "prefixes": store.prefixes,
            "repositories": store.repositories,
            "clock": FixedClock(),
        }
        namespace = register_namespace("ark:77913/r7", owner.id, "", **registration)
        shared: dict[str, Any] = {"clock": FixedClock(), "prover": prover(store.public_keys), "base_url": BASE_URL}
        minters = [
            Minter(store.records, store.prefixes, store.counters, entropy=SeededEntropy(at), **shared)
            for at in range(2)
        ]
        request = MintRequest(Content(records=(Location("https://content.example.org/1"),)))
        taken = minters[0].mint(MintRequest(request.content, id=RECORDED[2]), namespace)
        found = at_once([lambda at=at: minters[at % 2].mint(request, namespace).id for at in range(30)])
        assert sorted([*found, taken.id]) == sorted(RECORDED[:31])

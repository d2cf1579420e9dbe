"""The drill's short form: everything is broken, and what was promised holds; and without a guard it is noticed."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest

from tests.drill import guards, wires
from tests.drill.faults import LAGGED, Faults
from tests.drill.oracle import Violation
from tests.drill.running import NeverFired, Outcome, run
from tests.drill.tables import TablesWorld
from tests.drill.worlds import MemoryWorld
from tests.support.effort import IS_DRILL, size

FOUND = {
    "mint": (26, 80),
    "replace": (1, 80),
    "receipt": (3, 60),
    "reserve": (1, 50),
    "previous": (2, 80),
    "stale": (30, 760),
    "publish": (2, 40),
    "stems": (14, 60),
    "aliases": (1, 60),
    "intend": (1, 250),
    "budget": (28, 260),
}
"""For each guard a seed, and so many operations, by which its absence is found.

Where the product asks its store another question than it did, all that comes after falls out otherwise: then one of the
next seeds will find it.
"""

NEXT = range(100, 130)

SLOW = {"replace", "stale"}
"""Guards whose absence takes seconds to find."""

OPERATIONS = 1_500 if IS_DRILL else 500


@pytest.fixture(scope="module")
def passed() -> Outcome:
    """A drill in memory, in the long form one in which every fault fired."""
    for seed in range(1, 9):
        with suppress(NeverFired):
            return run(seed, OPERATIONS, strict=IS_DRILL)
    raise AssertionError("in no drill did every fault fire")


@pytest.fixture
def wire() -> Iterator[wires.Wire]:
    """A faulty way to an embedded backend."""
    wire = wires.Wire()
    with wires.running(wire):
        yield wire


def test_whatever_fails_nothing_is_lost_doubled_or_half_done_and_every_read_is_right_or_an_honest_refusal(
    passed: Outcome,
) -> None:
    assert passed.operations == OPERATIONS == sum(passed.done.values())
    assert passed.records > OPERATIONS / 5
    assert passed.versions > passed.records
    assert passed.checks > OPERATIONS * 3
    assert passed.done["overload"]
    assert passed.done["misread"]


@pytest.mark.drill
def test_every_kind_of_fault_fired(passed: Outcome) -> None:
    assert all(passed.fired[kind] for kind in MemoryWorld.kinds)


def test_the_same_over_the_embedded_dynamodb_with_the_clients_own_attempts_and_translations(wire: wires.Wire) -> None:
    outcome = run(1, size(drill=120, test=60), partial(TablesWorld, wire), strict=False)
    assert outcome.fired.total() > size(drill=10, test=3)
    assert outcome.records > size(drill=40, test=20)


def test_the_same_seed_gives_the_same_run_and_another_another() -> None:
    digests = [run(seed, 60, strict=False).digest for seed in (4, 4, 5)]
    assert digests[0] == digests[1] != digests[2]


def test_a_fault_that_never_fired_fails_the_drill(monkeypatch: pytest.MonkeyPatch) -> None:
    never = Faults.never
    monkeypatch.setattr(
        Faults, "never", lambda faults, kinds: [kind for kind in never(faults, kinds) if kind == LAGGED]
    )
    monkeypatch.setattr(Faults, "count", lambda faults, kind: None)
    with pytest.raises(NeverFired, match=LAGGED):
        run(1, 30)


def is_found(guard: str, seed: int, operations: int) -> bool:
    """Whether a drill without the guard objects."""
    try:
        with guards.GUARDS[guard]():
            run(seed, operations, strict=False)
    except Violation:
        return True
    return False


@pytest.mark.parametrize(
    "guard", [pytest.param(guard, marks=[pytest.mark.drill] if guard in SLOW else []) for guard in FOUND]
)
def test_a_guard_that_is_taken_away_is_missed(guard: str) -> None:
    first, operations = FOUND[guard]
    assert any(is_found(guard, seed, operations) for seed in (first, *NEXT))


@pytest.mark.drill
def test_so_is_the_token_of_a_write_over_dynamodb(wire: wires.Wire) -> None:
    """Without it a mint whose answer was lost is refused, or makes a second record."""

    def is_missed(seed: int) -> bool:
        try:
            run(seed, 130, partial(TablesWorld, wire), strict=False)
        except Violation:
            return True
        return False

    with guards.GUARDS["tokens"]():
        assert any(is_missed(seed) for seed in (8, 11, *NEXT))


@pytest.mark.drill
def test_so_are_the_conditions_of_writes_over_dynamodb(wire: wires.Wire) -> None:
    with guards.GUARDS["conditions"](), pytest.raises(Violation):
        run(5, 300, partial(TablesWorld, wire), strict=False)

"""The short form of the drill: promises hold under all faults, and a missing guard is detected."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.drill import faulty_transport, guards
from tests.drill.backends import MemoryBackend
from tests.drill.databases import SqliteBackend
from tests.drill.drill_run import MissingFault, Outcome, run
from tests.drill.faults import STALE_READ, Faults
from tests.drill.oracle import Violation
from tests.drill.tables import TablesBackend
from tests.support.effort import IS_DRILL, size

DETECTED_BY = {
    "mint": (26, 80),
    "replace": (1, 80),
    "idempotency_record": (3, 60),
    "reserve": (1, 50),
    "previous": (2, 80),
    "stale": (30, 760),
    "publish": (2, 40),
    "stems": (14, 60),
    "aliases": (1, 60),
    "intend": (201, 400),
    "budget": (28, 260),
}
"""For each guard a seed and a number of operations that detect its absence.

A change of the calls to the store changes the run. Then another seed (`MORE_SEEDS`) detects it.
"""

MORE_SEEDS = range(100, 130)

SLOW = {"replace", "stale"}
"""Guards whose absence takes seconds to detect."""

OPERATIONS = 1_500 if IS_DRILL else 500


@pytest.fixture(scope="module")
def passed() -> Outcome:
    """A drill in memory; in the long form, one in which every fault occurred."""
    for seed in range(1, 9):
        with suppress(MissingFault):
            return run(seed, OPERATIONS, strict=IS_DRILL)
    raise AssertionError("in no drill did every fault fire")


@pytest.fixture
def transport() -> Iterator[faulty_transport.FaultyTransport]:
    """A faulty transport to an embedded backend."""
    transport = faulty_transport.FaultyTransport()
    with faulty_transport.running(transport):
        yield transport


def test_whatever_fails_nothing_is_lost_doubled_or_half_done_and_every_read_is_right_or_an_honest_refusal(
    passed: Outcome,
) -> None:
    assert passed.operations == OPERATIONS == sum(passed.done.values())
    assert passed.records > OPERATIONS / 5
    assert passed.versions > passed.records
    assert passed.checks > OPERATIONS * 3
    assert passed.done["overload"]
    assert passed.done["read_misspelt"]


@pytest.mark.drill
def test_every_kind_of_fault_fired(passed: Outcome) -> None:
    assert all(passed.fired[kind] for kind in MemoryBackend.fault_kinds)


def test_the_same_over_the_embedded_dynamodb_with_the_clients_own_attempts_and_translations(
    transport: faulty_transport.FaultyTransport,
) -> None:
    outcome = run(1, size(drill=120, test=60), partial(TablesBackend, transport), strict=False)
    assert outcome.fired.total() > size(drill=10, test=3)
    assert outcome.records > size(drill=40, test=20)


def test_the_same_over_sqlite(tmp_path: Path) -> None:
    outcome = run(2, size(drill=1_500, test=120), partial(SqliteBackend, tmp_path), strict=False)
    assert outcome.fired.total() > size(drill=100, test=5)
    assert outcome.records > size(drill=300, test=20)


def test_the_same_seed_gives_the_same_run_and_another_another() -> None:
    digests = [run(seed, 60, strict=False).digest for seed in (4, 4, 5)]
    assert digests[0] == digests[1] != digests[2]


def test_a_fault_that_never_fired_fails_the_drill(monkeypatch: pytest.MonkeyPatch) -> None:
    missing_faults = Faults.missing_faults
    monkeypatch.setattr(
        Faults,
        "missing_faults",
        lambda faults, fault_kinds: [kind for kind in missing_faults(faults, fault_kinds) if kind == STALE_READ],
    )
    monkeypatch.setattr(Faults, "count", lambda faults, kind: None)
    with pytest.raises(MissingFault, match=STALE_READ):
        run(1, 30)


def is_detected(guard: str, seed: int, operations: int) -> bool:
    """Return whether a drill without the guard fails."""
    try:
        with guards.GUARDS[guard]():
            run(seed, operations, strict=False)
    except Violation:
        return True
    return False


@pytest.mark.parametrize(
    "guard", [pytest.param(guard, marks=[pytest.mark.drill] if guard in SLOW else []) for guard in DETECTED_BY]
)
def test_a_guard_that_is_taken_away_is_missed(guard: str) -> None:
    first, operations = DETECTED_BY[guard]
    assert any(is_detected(guard, seed, operations) for seed in (first, *MORE_SEEDS))


@pytest.mark.drill
def test_so_is_the_token_of_a_write_over_dynamodb(transport: faulty_transport.FaultyTransport) -> None:
    """Without it a mint whose response was lost is refused, or creates a second record."""

    def is_missed(seed: int) -> bool:
        try:
            run(seed, 130, partial(TablesBackend, transport), strict=False)
        except Violation:
            return True
        return False

    with guards.GUARDS["tokens"]():
        assert any(is_missed(seed) for seed in (8, 11, *MORE_SEEDS))


@pytest.mark.drill
def test_so_are_the_conditions_of_writes_over_dynamodb(transport: faulty_transport.FaultyTransport) -> None:
    with guards.GUARDS["conditions"](), pytest.raises(Violation):
        run(5, 300, partial(TablesBackend, transport), strict=False)

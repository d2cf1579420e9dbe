"""The short form of the drill of the sequencer: it passes under all faults, and a missing guard is detected."""

from collections import Counter
from contextlib import suppress

import pytest

from tests.drill.log_drill import VERSIONS, LogDrill
from tests.drill.log_guards import LOG_GUARDS
from tests.drill.log_ports import LOG_FAULTS
from tests.drill.oracle import Violation
from tests.support.effort import IS_DRILL

SMALL = 600
SEEDS = range(1, 9)


def test_whatever_fails_the_log_has_each_public_version_once_and_checkpoints_are_consistent() -> None:
    fired: Counter[str] = Counter()
    for seed in SEEDS:
        outcome = LogDrill(seed, VERSIONS if IS_DRILL else SMALL).run()
        assert outcome.versions >= SMALL
        assert outcome.checkpoints > 5
        assert outcome.checks > SMALL / 2
        fired += outcome.fired
        if all(fired[kind] for kind in LOG_FAULTS):
            return
    raise AssertionError(f"not every fault fired: {fired}")


@pytest.mark.parametrize("guard", LOG_GUARDS)
def test_without_a_guard_the_drill_fails(guard: str) -> None:
    with LOG_GUARDS[guard](), suppress(Violation):
        for seed in SEEDS:
            LogDrill(seed, SMALL).run()
        raise AssertionError(f"the drill passed without the guard {guard}")

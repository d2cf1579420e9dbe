"""Fuzzing: mutated examples are handled, and former findings stay fixed.

Every test run tries a few. With `COOLID_FUZZ=SECONDS` (`make fuzz`) it continues for that time. Each batch has a seed,
which is printed; `COOLID_FUZZ_SEED` is the first. Findings are written to `corpus`.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.mutator import Mutator
from tests.fuzz.targets import TARGETS, Target, export_of, furnished
from tests.support.fixtures.system import System, TablesSystem

CORPUS = Path(__file__).parent / "corpus"
FOUND = sorted(CORPUS.glob("*.json"))
KEPT = [json.loads(file.read_text(encoding="utf-8")) for file in FOUND]
SECONDS = float(os.environ.get("COOLID_FUZZ") or 0)
SEED = int(os.environ.get("COOLID_FUZZ_SEED") or 1)
FEW = {
    "events": 60,
    "identifiers": 40,
    "negotiation": 60,
    "records": 15,
    "imports": 4,
    "rows": 6,
    "proofs": 80,
    "verify": 20,
    "log files": 80,
}
SHARE = 0.75
"""Of the time; the rest is for the requests of `tests/infra/test_openapi.py`."""
BATCH = 200
STUCK = 10
"""Seconds for one value: far more than any takes."""


@pytest.fixture(scope="module")
def untouched(untouched_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB, out of which and into which targets export and import."""
    return untouched_tables


@pytest.fixture(scope="module")
def system(untouched: System) -> System:
    """One that may be filled with whatever passes."""
    return furnished(untouched)


def examples_of(target: Target, system: System) -> list[Any]:
    """Its examples, and what was found before."""
    own = [export_of(system)] if target.name == "imports" else [*target.examples]
    return own + [each["input"] for each in KEPT if each["target"] == target.name]


def fuzz(target: Target, system: System, number: int, many: int, *, keep: bool) -> None:
    """A batch: so many values, made from the target's examples by dice of this seed. `keep` writes the least."""
    examples = examples_of(target, system)

    @seed(number)
    @settings(
        max_examples=many,
        database=None,
        deadline=None,
        suppress_health_check=[*HealthCheck],
        phases=[Phase.generate, Phase.shrink],
    )
    @given(st.randoms(use_true_random=False))
    def batch(rng: Random) -> None:
        value = Mutator(rng, examples).mutated(rng.choice(examples))
        try:
            with hurried(keep):
                target.check(value, system)
        except Exception as error:
            if keep:
                write(target, value, error, number)
            raise

    batch()


@contextmanager
def hurried(wanted: bool) -> Iterator[None]:
    """Fail what takes for ever."""
    if not wanted:
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeoutError(f"it took more than {STUCK} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, STUCK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def write(target: Target, value: Any, error: Exception, number: int) -> None:
    """Keep a value that was not dealt with; while it is made smaller, the last is the least."""
    said = f"{type(error).__name__}: {re.sub(r'[^ -~]', '?', str(error))[:200]}"
    text = json.dumps({"target": target.name, "says": said, "input": value}, indent=1)
    file = CORPUS / f"{target.name}-seed-{number}.json"
    file.write_text(text + "\n", encoding="utf-8")
    tell(f"{target.name}: seed {number}: {said}\n  {file}")


def tell(line: str) -> None:
    """Say it to whoever runs `make fuzz`."""
    sys.stdout.write(f"\n{line}\n")
    sys.stdout.flush()


@pytest.mark.parametrize("stored", KEPT, ids=[file.stem for file in FOUND])
def test_what_was_found_is_dealt_with(system: System, stored: dict[str, Any]) -> None:
    assert stored["says"].endswith(".")
    (target,) = (each for each in TARGETS if each.name == stored["target"])
    target.check(stored["input"], system)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_examples_themselves_are_dealt_with(system: System, target: Target) -> None:
    examples = examples_of(target, system)
    for example in examples[:: 1 + len(examples) // 50]:
        target.check(example, system)


@pytest.mark.skipif(SECONDS > 0, reason="make fuzz does more")
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_few_bad_ones_are_dealt_with(system: System, target: Target) -> None:
    fuzz(target, system, 1, FEW[target.name], keep=False)


@pytest.mark.skipif(not SECONDS, reason="make fuzz does this: for as long as COOLID_FUZZ says")
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_many_bad_ones_are_dealt_with(untouched: System, target: Target) -> None:
    until = monotonic() + SHARE * SECONDS * target.weight / sum(each.weight for each in TARGETS)
    batches = 0
    for number in count(SEED):
        if batches and monotonic() > until:
            break
        fuzz(target, furnished(untouched), number, BATCH, keep=True)
        batches += 1
    tell(f"{target.name}: {batches * BATCH} values, seeds {SEED} to {SEED + batches - 1}")

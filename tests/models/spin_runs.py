"""The runs of spin that `make model` makes, and their expected results.

spin converts a model to a C program that visits every reachable state (Holzmann, "The SPIN Model Checker", 2003). A run
with a `BROKEN_…` removes a guard and must find a violation, which shows that the model detects it.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

FOLDER = Path(__file__).parent
MODELS = ("mint", "pilin", "sequencer")
BROKEN = "BROKEN_"

_DEPTH = 1_000_000
_SECONDS = 300
_SAFETY = ("-DSAFETY", "-DNOCLAIM")
"""Assertions and ends that are none; cycles are not looked for."""
_PROGRESS = ("-DNFAIR=3",)

_ERRORS = re.compile(r"errors: (\d+)")
_STATES = re.compile(r"^ *(\d+) states, stored", re.MULTILINE)
_NOT_ALL = ("max search depth too small", "Search not completed", "out of memory")
_WRONG = re.compile(r"^pan:1: (.*?) \(at depth", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """A model with its `macros`; with `progress` it is asked whether all comes to an end, else whether all is right."""

    model: str
    macros: tuple[str, ...]
    progress: bool = False

    @property
    def broken(self) -> str | None:
        """The guard that is taken away."""
        return next((each for each in self.macros if each.startswith(BROKEN)), None)

    def __str__(self) -> str:
        return " ".join((self.model, *self.macros, *(["(comes to an end)"] if self.progress else [])))


@dataclass(frozen=True)
class Outcome:
    """How many `states` were seen, and what was `wrong` in one of them; None if nothing was in any that there is."""

    states: int
    wrong: str | None


def _guards(model: str, guards: str, *macros: str) -> Iterator[Run]:
    for guard in guards.split():
        yield Run(model, (f"{BROKEN}{guard}", *macros))


QUICK = (
    Run("mint", ("WRITERS=2", "FAULTS=1")),
    Run("pilin", ("WRITERS=2", "FAULTS=1", "LAST=4")),
    Run("sequencer", ("RUNS=2", "ENTRIES=2", "FAULTS=1")),
)
SEEING = (
    *_guards("mint", "RECEIPT RECORD TOGETHER DIGEST AGAIN BUSY", "WRITERS=2", "FAULTS=1"),
    *_guards("mint", "FIRST ARCHIVE", "WRITERS=2", "FAULTS=1", "CHANGES"),
    *_guards("pilin", "CONDITION ADD RELEASE STOP KEEP", "WRITERS=2", "FAULTS=1", "LAST=4"),
    *_guards("pilin", "LOCK", "WRITERS=2", "FAULTS=1", "LAST=4", "THREADS"),
    *_guards(
        "sequencer", "STAGING SWAP PUBLICATION READS REPAIR ONCE FILES INDEXES", "RUNS=2", "ENTRIES=2", "FAULTS=2"
    ),
    *_guards("sequencer", "ORDER", "RUNS=2", "ENTRIES=3", "FAULTS=1"),
)
WHOLE = (
    Run("mint", ("WRITERS=2", "CHANGES")),
    Run("mint", ("WRITERS=2", "DAY")),
    Run("mint", ("WRITERS=2", "FAULTS=2"), progress=True),
    Run("mint", ("WRITERS=3", "FAULTS=1", "KEYED")),
    Run("pilin", ("WRITERS=2",)),
    Run("pilin", ("WRITERS=2", "THREADS")),
    Run("pilin", ("WRITERS=3", "FAULTS=1", "LAST=4", "THREADS")),
    Run("pilin", ("WRITERS=2", "FAULTS=1", "LAST=4"), progress=True),
    Run("sequencer", ("RUNS=2", "ENTRIES=2")),
    Run("sequencer", ("RUNS=2", "ENTRIES=3", "FAULTS=1")),
    Run("sequencer", ("RUNS=2", "ENTRIES=2", "FAULTS=1"), progress=True),
)


def check(run: Run) -> Outcome:
    """Have spin look at every state that `run` can reach; a model that it cannot read, or not wholly, is an error."""
    with TemporaryDirectory() as folder:
        macros = [f"-D{each}" for each in run.macros]
        _told("spin", *macros, "-a", str(FOLDER / f"{run.model}.pml"), folder=folder)
        level = "-O2" if run in WHOLE else "-O0"  # to compile well takes longer than a short walk
        _told("gcc", "-w", level, *(_PROGRESS if run.progress else _SAFETY), "-o", "pan", "pan.c", folder=folder)
        walk = ["./pan", f"-m{_DEPTH}", *(["-a", "-f"] if run.progress else []), "-n"]
        report = _told(*walk, folder=folder)
    errors, states, wrong = _ERRORS.search(report), _STATES.search(report), _WRONG.search(report)
    if errors is None or states is None:
        raise RuntimeError(report)
    if int(errors[1]):
        return Outcome(int(states[1]), wrong[1] if wrong else report)
    if any(each in report for each in _NOT_ALL):
        raise RuntimeError(f"not all states were seen: {report}")
    return Outcome(int(states[1]), None)


def _told(*command: str, folder: str) -> str:
    """What a program says; `RuntimeError` with it if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def main(runs: Sequence[Run] = (*WHOLE, *SEEING)) -> int:
    """Make the runs and tell of each; how many did not end as they must."""
    amiss = 0
    for run in runs:
        begun = perf_counter()
        outcome = check(run)
        good = (outcome.wrong is not None) == (run.broken is not None)
        amiss += not good
        returned = outcome.wrong or "nothing wrong"
        took = perf_counter() - begun
        line = f"{'ok' if good else 'NO':3} {run!s:52} {outcome.states:>10,} states {took:5.1f} s  {returned}"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return amiss


if __name__ == "__main__":
    sys.exit(min(main(), 1))

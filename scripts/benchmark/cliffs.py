"""Cliffs: kinds of work that may take longer with more data, and the measurement of their growth.

A `Cliff` is measured at several sizes in one process. The sizes take turns, round after round (`harness`), so that
other load on the machine affects all of them alike. The last size is compared with the first.

>>> from scripts.benchmark.harness import Effort
>>> digits = Cliff("digits", (10, 1_000), "numbers", lambda _, size: lambda: float(len(str(size))), "digits")
>>> with opened(Path("unused"), Effort(0.1)) as workspace:
...     [(each.name, each.samples[0], each.ratio_to) for each in figures(digits, workspace)]
[('growth: digits, 10 numbers', 2.0, None), ('growth: digits, 1,000 numbers', 4.0, 'growth: digits, 10 numbers')]
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from scripts.benchmark import canned
from scripts.benchmark.canned import Canned
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.results import Figure, Goal, figure, ratio_at_most

TIME: Final = "µs"
"""The unit of work that the harness times. Work with another unit returns its own figure."""
FLAT: Final = ratio_at_most(1.25)
"""The goal: the largest case takes at most 1.25 times as much as the smallest."""

SECONDS: Final = 0.007
"""The shortest turn. On a busy machine, many short turns vary less than a few long ones."""

Work = Callable[[], object]


class Workspace(Struct, frozen=True):
    """A folder, the effort, and the resources that are closed after the last cliff of a process.

    `resources.enter_context` keeps a server or a store open until then.
    """

    scratch: Path
    effort: Effort
    resources: ExitStack
    stores: dict[tuple[str, ...], Canned]

    def store(self, *tables: str) -> Canned:
        """Return the canned store with these tables (`tables`), which is started once."""
        if tables not in self.stores:
            self.stores[tables] = self.resources.enter_context(canned.running(self.scratch, *tables))
        return self.stores[tables]


class Cliff(Struct, frozen=True):
    """A kind of work at `sizes`, from the smallest to the largest, of so many `things` ("records").

    `prepare` stores what a size needs and returns the work, which does one thing. If `unit` is `TIME`, the harness
    times the work: processor time (µs) of this process for one call. Otherwise the work returns its own figure in that
    unit, e.g. MB of a process that it started, or µs for each record of an export.

    If `per_thing`, a call does `size` things, and the figure is for one of them: the claim is linear time.

    A quick run takes the sizes of `quick`, if the largest one takes long to prepare. Choose fewer `rounds` for work
    that takes seconds.
    """

    name: str
    sizes: tuple[int, ...]
    things: str
    prepare: Callable[[Workspace, int], Work]
    unit: str = TIME
    goal: Goal | None = FLAT
    quick: tuple[int, ...] = ()
    rounds: int = 45
    per_thing: bool = False

    def row(self, size: int) -> str:
        """Return the name of a figure."""
        return f"growth: {self.name}, {size:,} {self.things}"


@contextmanager
def opened(scratch: Path, effort: Effort) -> Iterator[Workspace]:
    """Return a workspace, and close its resources at the end."""
    with ExitStack() as resources:
        yield Workspace(scratch, effort, resources, {})


def figures(cliff: Cliff, workspace: Workspace) -> list[Figure]:
    """Measure all sizes of a cliff, one against the other, and compare the last with the first."""
    sizes = cliff.sizes if workspace.effort.share >= 1 else cliff.quick or cliff.sizes
    cases = [Case(cliff.row(size), cliff.prepare(workspace, size), size if cliff.per_thing else 1) for size in sizes]
    rounds = workspace.effort.rounds(cliff.rounds)
    samples = measured(cases, rounds, seconds=SECONDS) if cliff.unit == TIME else _returned(cases, rounds)
    *before, last = [figure(case.name, cliff.unit, samples[case.name]) for case in cases]
    return [*before, last.beside(before[0].name, cliff.goal)]


def _returned(cases: Sequence[Case], rounds: int) -> dict[str, list[float]]:
    """Return what each case measured itself, in turns."""
    samples: dict[str, list[float]] = {case.name: [] for case in cases}
    for _ in range(rounds):
        for case in cases:
            number = case.work()
            assert isinstance(number, int | float), f"{case.name} returns no number"
            samples[case.name].append(number / case.things)
    return samples

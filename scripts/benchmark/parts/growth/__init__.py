"""Growth: what work takes with more and more data; flat is the claim, at most 1.25 times from smallest to largest.

Each module here holds `CLIFFS`, one or more `Cliff` of one subject (`scripts.benchmark.cliffs`), and runs in a process
of its own. To add a subject, add a module; there is no list to extend:

    def _prepare(workspace: Workspace, size: int) -> Callable[[], object]:
        handler = ...  # a store with `size` versions, in this process or from `workspace.store(...)`
        return lambda: demand(handler(request, None), 200)

    CLIFFS = (Cliff("TimeMap, first page", (10, 10_000), "versions", _prepare),)

Its rows are then `growth: TimeMap, first page, 10 versions` and so on. Check the response before it counts
(`handlers.demand`), because what fails quickly is not fast. Run one module alone, here one called `histories`:

    python -m scripts.benchmark --quick --only growth/histories

Processor time is that of the process of the module. A server in a process of its own does not count.
"""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from scripts.benchmark import cliffs
from scripts.benchmark.cliffs import Cliff
from scripts.benchmark.harness import Effort
from scripts.benchmark.results import Figure


def names() -> tuple[str, ...]:
    """Return the names of all subjects in the order of their rows."""
    return tuple(sorted(each.name for each in iter_modules(__path__)))


def subject(name: str) -> tuple[Cliff, ...]:
    """Return the cliffs of a subject."""
    found: tuple[Cliff, ...] = import_module(f"{__name__}.{name}").CLIFFS
    return found


def figures(name: str, scratch: Path, effort: Effort) -> list[Figure]:
    """Measure the cliffs of a subject."""
    with cliffs.opened(scratch, effort) as workspace:
        return [figure for cliff in subject(name) for figure in cliffs.figures(cliff, workspace)]

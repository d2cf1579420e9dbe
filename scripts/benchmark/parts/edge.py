"""A redirect at the edge beside the same redirect by the resolve function: processor time, and list prices.

The function at the edge runs in Node (`scripts.benchmark.edge_process`), the resolve function in this process; they
take turns. The prices are those of `scripts/cost`: dollars for a million redirects, without free tiers.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import cycle
from pathlib import Path
from typing import Final

from scripts.benchmark import canned, edge_process
from scripts.benchmark.canned import Canned
from scripts.benchmark.edge_process import EdgeProcess
from scripts.benchmark.handlers import cold, demand, event, events, repeated, resolving
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.identifiers import CURIES
from scripts.benchmark.results import Figure, figure, ratio_at_least
from scripts.cost.answers import ANSWERS, million

EDGE: Final = "edge: redirect by CloudFront's function, in Node"
CACHED, PREFIX, READ = "everything cached", "its prefix cached", "cold memory, one read"
REQUESTS: Final = 500
"""Of the function in Node, in a turn."""
DELIVERY: Final = frozenset({"CloudFront requests", "CloudFront transfer", "WAF requests", "Transfer to the internet"})
"""What every response costs, whichever part of the service answers."""
UNSEEN: Final = 50_000


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure and compute."""
    return [*_processor_time(scratch, effort), *_prices()]


def _processor_time(scratch: Path, effort: Effort) -> list[Figure]:
    with edge_process.running([f"/{curie}" for curie in CURIES]) as edge, canned.running(scratch, "prefixes") as store:
        assert len(edge.locations) > len(CURIES) / 2, "the edge passes most requests on"
        cases = [
            Case(f"edge: the same by the resolve function, {how}", work) for how, work in _works(store, edge).items()
        ]
        rounds = effort.rounds(31)
        edge.microseconds(20 * REQUESTS)
        samples: dict[str, list[float]] = {EDGE: [], **{case.name: [] for case in cases}}
        for _ in range(rounds):
            samples[EDGE].append(edge.microseconds(REQUESTS))
            for name, taken in measured(cases, 1).items():
                samples[name] += taken
    ours, *others = [figure(name, "µs", taken) for name, taken in samples.items()]
    return [ours, *(each.beside(EDGE) for each in others)]


def _works(store: Canned, edge: EdgeProcess) -> Mapping[str, Callable[[], object]]:
    """Return the resolve function's work by what is cached; it redirects to the same locations as the edge."""
    paths = [*edge.locations]
    environment = store.environment(tls=False, prefixes="prefixes", luis="luis-1.edge")
    handler = resolving(environment)
    for path, location in edge.locations.items():
        assert demand(handler(event(path), None), 302)["multiValueHeaders"]["Location"] == [location], path
    unseen = cycle(events(f"/ncbitaxon:{number}" for number in range(UNSEEN))).__next__
    colder = store.environment(tls=False, prefixes="prefixes.cold", luis="luis-1.cold")
    return {
        CACHED: repeated(handler, paths),
        PREFIX: lambda: handler(unseen(), None),
        READ: cold(colder, events(paths)),
    }


def _prices() -> list[Figure]:
    """Return the price of redirects by each answer, whole and beyond delivery, beside that of the edge."""
    told = []
    for what, excluded in (
        ("dollars for a million redirects", frozenset[str]()),
        ("dollars beyond delivery", DELIVERY),
    ):
        for answer, name in ANSWERS.items():
            if answer == "cache":
                continue
            price = sum((part for of, part in million(answer).items() if of not in excluded), Fraction(0))
            row = figure(f"edge: {what}, {name}", "$", [float(price)])
            goal = ratio_at_least(10) if excluded and answer == "edge-api" else None
            told.append(row if answer == "edge" else row.beside(f"edge: {what}, {ANSWERS['edge']}", goal))
    return told

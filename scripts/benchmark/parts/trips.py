"""What a request asks of the store, counted there: round trips, and read units by the size of what was read.

A record of ours is asked for by its date-qualified name, whose three candidates stand in one batch.
"""

from collections.abc import Mapping
from pathlib import Path

from coolid.aws.api_gateway import Handler
from scripts.benchmark import canned
from scripts.benchmark.canned import Canned
from scripts.benchmark.handlers import demand, event, own_path, reader_of, resolving
from scripts.benchmark.harness import Effort
from scripts.benchmark.identifiers import CURIES
from scripts.benchmark.results import Figure, exactly, figure
from scripts.benchmark.serving import UNITS

RECORDS = 1000
COLD, FIRST, AGAIN = "cold memory", "warm prefix", "repeat"
FOREIGN, OWN = "a CURIE of others", "a record of ours"
TRIPS = {(FOREIGN, COLD): 1, (FOREIGN, AGAIN): 0, (OWN, COLD): 2, (OWN, FIRST): 1, (OWN, AGAIN): 0}


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Count, so many times."""
    with canned.running(scratch, "prefixes", f"luis-{RECORDS}") as store:
        environment = store.environment(tls=False, prefixes="prefixes", luis=f"luis-{RECORDS}")
        handler = resolving(environment)
        forget = reader_of(environment).clear
        counted: dict[tuple[str, str], list[Mapping[str, float]]] = {which: [] for which in TRIPS}
        for number in range(effort.number(20)):
            forget()
            paths = {FOREIGN: f"/{CURIES[number % len(CURIES)]}", OWN: own_path(2 * number)}
            for what, path in paths.items():
                counted[what, COLD].append(_asked(store, handler, path))
                if what == OWN:
                    counted[what, FIRST].append(_asked(store, handler, own_path(2 * number + 1)))
                counted[what, AGAIN].append(_asked(store, handler, path))
    units = [each.get(UNITS, 0) for each in counted[OWN, FIRST]]
    return [
        *(
            figure(f"round trips: {what}, {how}", "requests", map(_requests, each)).aiming(exactly(TRIPS[what, how]))
            for (what, how), each in counted.items()
        ),
        figure("round trips: read units of a record", "units", units).aiming(exactly(0.5)),
        figure(
            "round trips: read units of a record's candidate prefixes", "units", _batches(counted[OWN, COLD], units)
        ),
    ]


def _asked(store: Canned, handler: Handler, path: str) -> Mapping[str, float]:
    store.counts()
    demand(handler(event(path), None), 302)
    return store.counts()


def _requests(counts: Mapping[str, float]) -> float:
    return sum(number for name, number in counts.items() if name != UNITS)


def _batches(cold: list[Mapping[str, float]], units: list[float]) -> list[float]:
    return [each[UNITS] - record for each, record in zip(cold, units, strict=True)]

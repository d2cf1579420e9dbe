"""Growth: what a request takes with more and more records and prefixes at the store; flat is the claim.

Only the asking process is measured. Its memory is bounded, so that beyond some thousands of records every request of
another one is a read. Prefixes are registered with flat names (`p000001`), or all of them under one stem
(`2021/06/p000001`), whose row names every one of them and is read with each: that grows, and is shown. Of the figures,
the last of each kind tells the largest as a multiple of the smallest.
"""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Final

from coolid.aws.api_gateway import Handler
from coolid.aws.settings import Settings
from coolid.wiring.read_access import caching_reader
from scripts.benchmark import canned
from scripts.benchmark.canned import Canned
from scripts.benchmark.handlers import Event, demand, event, events, own_path, resolving
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.peak import peak
from scripts.benchmark.results import Figure, Goal, figure, ratio_at_most
from scripts.benchmark.tables import STEM

RECORDS: Final = (1_000, 10_000, 100_000, 1_000_000)
PREFIXES: Final = (100, 1_000, 10_000)
WARM, READ, COLD = "warm hit", "first resolve, one read", "cold memory, two reads"
COLD_PREFIX: Final = "cold memory, one read"
SHAPES: Final = {"flat": "", "nested": STEM}
FLAT: Final = ratio_at_most(1.25)
ASKED: Final = 20_000
HOT: Final = 100


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    sizes = RECORDS if effort.share >= 1 else RECORDS[:3]
    tables = [f"luis-{size}" for size in sizes]
    prefixes = [f"prefixes-{shape}-{count}" for shape in SHAPES for count in PREFIXES]
    with canned.running(scratch, *tables, *prefixes) as store:
        told = [*_of_records(store, sizes, effort), *_of_prefixes(store, effort)]
        memory = {
            f"memory after {effort.number(ASKED):,} resolves, {size:,} records": [_memory(store, size, effort)]
            for size in sizes[1:]  # smaller stores would not fill the cache
        }
    return [*told, *_together(list(memory), memory, "MB", FLAT)]


def _of_records(store: Canned, sizes: Sequence[int], effort: Effort) -> list[Figure]:
    cases: dict[str, list[Case]] = {WARM: [], READ: [], COLD: []}
    for size in sizes:
        dice = random.Random(size)  # noqa: S311 - which records are asked for is to be the same in each run
        environment = store.environment(tls=False, prefixes=f"prefixes.{size}", luis=f"luis-{size}")
        handler = resolving(environment)
        forget = caching_reader(Settings.read(environment, writes=False)).clear
        paths = [own_path(number) for number in dice.sample(range(size), min(size, ASKED))]
        all_ = cycle(events(paths)).__next__
        cases[WARM].append(Case(f"{WARM}, {size:,} records", _warm(handler, paths[:HOT])))
        forgetting = environment | {"LUI_TABLE": f"luis-{size}.first", "PREFIX_TABLE": f"prefixes.{size}.first"}
        first = _first(forgetting, all_, size)
        cases[READ].append(Case(f"{READ}, {size:,} records", first))
        cases[COLD].append(Case(f"{COLD}, {size:,} records", _asking(handler, all_, forget)))
    return [
        each
        for kind in cases.values()
        for each in _together([case.name for case in kind], _measured(kind, effort), "µs", FLAT)
    ]


def _first(environment: dict[str, str], following: Callable[[], Event], size: int) -> Callable[[], object]:
    """Request one record after the other, and clear the cache before any of them is repeated."""
    handler = resolving(environment)
    forget = caching_reader(Settings.read(environment, writes=False)).clear
    asked, until, prefix = 0, min(size, ASKED) - 1, event(own_path(0))

    def ask() -> None:
        nonlocal asked
        asked += 1
        if asked % until == 0:
            forget()
            handler(prefix, None)
        handler(following(), None)

    return ask


def _of_prefixes(store: Canned, effort: Effort) -> list[Figure]:
    warm: dict[str, list[Case]] = {}
    cold: dict[str, list[Case]] = {}
    for shape, stem in SHAPES.items():
        for count in PREFIXES:
            tables = {"prefixes": f"prefixes-{shape}-{count}", "luis": f"luis-1000.{shape}-{count}"}
            environment = store.environment(tls=False, **tables)
            handler = resolving(environment)
            forget = caching_reader(Settings.read(environment, writes=False)).clear
            paths = [f"/{stem}p{number:06}:0000001" for number in range(count)]
            following, named = cycle(events(paths)).__next__, f"{count:,} prefixes, {shape}"
            cold.setdefault(shape, []).append(Case(f"{COLD_PREFIX}, {named}", _asking(handler, following, forget)))
            other = resolving(environment | {"PREFIX_TABLE": f"{tables['prefixes']}.warm"})
            warm.setdefault(shape, []).append(Case(f"{WARM}, {named}", _warm(other, paths[:HOT])))
    told = []
    for kinds in (warm, cold):
        samples = _measured([case for cases in kinds.values() for case in cases], effort)
        for shape, cases in kinds.items():
            told += _together([case.name for case in cases], samples, "µs", FLAT if shape == "flat" else None)
    return told


def _warm(handler: Handler, paths: Sequence[str]) -> Callable[[], object]:
    """Request the same few cached records repeatedly."""
    asked = events(paths)
    for each in asked:
        demand(handler(each, None), 302)
    return _asking(handler, cycle(asked).__next__)


def _asking(
    handler: Handler, following: Callable[[], Event], before: Callable[[], None] | None = None
) -> Callable[[], object]:
    def ask() -> None:
        if before:
            before()
        handler(following(), None)

    return ask


def _measured(cases: Sequence[Case], effort: Effort) -> Mapping[str, Sequence[float]]:
    return measured(cases, effort.rounds(15))


def _together(
    names: Sequence[str], samples: Mapping[str, Sequence[float]], unit: str, goal: Goal | None
) -> list[Figure]:
    """Figures of growing sizes, the last one compared with the first."""
    *before, last = [figure(f"growth: {name}", unit, samples[name]) for name in names]
    return [*before, last.beside(before[0].name, goal)]


def _memory(store: Canned, size: int, effort: Effort) -> float:
    """The most memory (MB) of a process that resolves so many of these records, whichever come."""
    environment = store.environment(tls=False, prefixes="prefixes", luis=f"luis-{size}")
    count = effort.number(ASKED)
    done = subprocess.run(
        [sys.executable, "-m", "scripts.benchmark.parts.growth", str(count), str(size)],
        cwd=canned.ROOT,
        env={**os.environ, **environment, "LOG_REQUESTS": "off"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    """Resolve, and print the most memory that it took."""
    count, size = map(int, sys.argv[1:])
    handler = resolving(dict(os.environ))
    dice = random.Random(size)  # noqa: S311 - as above
    base = event("/")
    for _ in range(count):
        path = own_path(dice.randrange(size))
        demand(handler({**base, "path": path}, None), 302)
    sys.stdout.write(str(peak()))


if __name__ == "__main__":
    main()

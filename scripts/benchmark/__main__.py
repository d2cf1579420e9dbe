"""Run the benchmark: python -m scripts.benchmark [--quick] [--only PART ...] [--into FOLDER]

A whole run writes `docs/explanation/evidence/bench`: the results, a page with their tables, and the plots. It also
writes the table of goals in `docs/explanation/evidence/performance.md`. A quick run, or a run of some parts, only
prints, unless a folder is named. In a folder with results, a run of some parts replaces their rows. The part `growth`
consists of subjects, e.g. `growth/records`, each of them a part.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from scripts.benchmark import canned, plots, report, results
from scripts.benchmark.part import Outcome
from scripts.benchmark.parts import growth

PARTS: Final = (
    "warm",
    "hot_pid",
    "edge",
    "reading",
    "trips",
    "cold",
    "fresh",
    "packages",
    "schemes",
    "proofs",
    "transparency",
    "minting",
    "embedded",
    "service",
    "moving",
    "counting",
    "growth",
    "sqlite",
)
GROWTH: Final = "growth"
SUBJECTS: Final = tuple(f"{GROWTH}/{name}" for name in growth.names())
PAGES: Final = canned.ROOT / "docs" / "explanation" / "evidence" / "bench"
PERFORMANCE: Final = canned.ROOT / "docs" / "explanation" / "evidence" / "performance.md"
QUICK: Final = 0.15


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the requested parts, and show the results."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measure coolid beside its peers and the floors.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: the figures are rough")
    only = f"of {', '.join((*PARTS, *SUBJECTS))}"
    parser.add_argument("--only", nargs="+", choices=(*PARTS, *SUBJECTS), metavar="PART", help=only)
    parser.add_argument("--into", type=Path, help="a folder for results, page and plots")
    asked = parser.parse_args(arguments)
    whole = not asked.quick and asked.only is None
    outcomes = measure(asked.only or PARTS, QUICK if asked.quick else 1.0)
    lines = results.entries([figure for outcome in outcomes.values() for figure in outcome.figures])
    lacking = {name: outcome.lacks for name, outcome in outcomes.items() if outcome.lacks}
    print(report.tables(lines))
    for name, what in lacking.items():
        print(f"\nNot measured: {name}, for there is {what}")
    folder = asked.into or (PAGES if whole else None)
    if folder:
        save(folder, lines if whole else results.updated(_stored(folder), lines), lacking)


def save(folder: Path, lines: Sequence[results.Entry], lacking: Mapping[str, str]) -> None:
    """Write results, page and plots into a folder; for that of the documentation, also its table of goals."""
    folder.mkdir(parents=True, exist_ok=True)
    results.write(folder / report.RESULTS, lines)
    plots.draw(lines, folder)
    (folder / report.PAGE).write_text(report.page(lines, lacking), encoding="utf-8")
    if folder.resolve() == PAGES and PERFORMANCE.exists():
        text = PERFORMANCE.read_text(encoding="utf-8")
        PERFORMANCE.write_text(report.with_goals(text, lines), encoding="utf-8")


def _stored(folder: Path) -> list[results.Entry]:
    path = folder / report.RESULTS
    return results.read(path) if path.exists() else []


def measure(parts: Sequence[str], share: float) -> dict[str, Outcome]:
    """What each of the parts found, one after the other; each in a process of its own."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        canned.prepare(scratch)
        for part in (each for name in parts for each in (SUBJECTS if name == GROWTH else (name,))):
            begun, found = time.monotonic(), scratch / f"{part.replace('/', '-')}.json"
            command = [sys.executable, "-m", "scripts.benchmark.part", part, str(scratch), str(share), str(found)]
            subprocess.run(command, cwd=canned.ROOT, check=True, stdout=subprocess.DEVNULL)
            outcomes[part] = msgspec.json.decode(found.read_bytes(), type=Outcome)
            print(f"{part}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    return outcomes


if __name__ == "__main__":
    main()

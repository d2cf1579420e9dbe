"""Run the soak: python -m scripts.soak [--requests N] [--minutes M] [--clients N] [--seed S] [--leak B] [--into FOLDER]

A whole run takes some minutes and writes `docs/explanation/evidence/soak`: the results, a page with their tables,
and the plots. Another one only prints, unless a folder is named, and does not judge memory if it is short. It fails if
a promise was broken.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from scripts.soak import plots, report, results, system
from scripts.soak.messages import Row
from scripts.soak.results import Results, Setting
from scripts.soak.steadiness import HOUR
from scripts.soak.warming import Warming
from scripts.soak.watching import busy, processor, read_inside, watched

PAGES: Final = system.ROOT / "docs" / "explanation" / "evidence" / "soak"
LOCUST: Final = system.ROOT / ".venv-soak" / "bin" / "python"
CLIENTS: Final = 12
MINUTES: Final = 40.0
SEED: Final = "1"
_GRACE: Final = 120.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the requested soak, and show the findings."""
    parser = argparse.ArgumentParser(
        prog="make soak", description="An hour's worth of requests; memory and answers judged."
    )
    parser.add_argument("--requests", type=int, default=HOUR, help=f"how many; {HOUR:,} are ten a second for an hour")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="after which no more are sent; then it fails")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="at once")
    parser.add_argument("--seed", default=SEED, help="of all dice")
    parser.add_argument(
        "--leak", type=int, default=0, metavar="BYTES", help="have the server keep so many of each request"
    )
    parser.add_argument("--into", type=Path, help="a folder for results, page and plots")
    asked = parser.parse_args(arguments)
    try:
        found = soak(asked)
    except ValueError as error:  # too little to judge
        sys.exit(f"soak: {error}")
    whole = asked.requests >= HOUR and not asked.leak
    folder = asked.into or (PAGES if whole else None)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        results.write(folder / report.RESULTS, found)
        plots.draw(found, folder)
        (folder / report.PAGE).write_text(report.page(found), encoding="utf-8")
    print(report.page(found))
    sys.exit(0 if found.passed else 1)


def soak(asked: argparse.Namespace) -> Results:
    """Start everything, warm up, send the mix, end everything; what was found."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        world, rows = scratch / "world.json", scratch / "rows.json"
        begun, others = monotonic(), -_of_others()
        with system.running(scratch, asked.leak) as server, watched(server.process) as samples:
            _say("warming up …")
            Warming(server, asked.seed).world(asked.clients).write(world)
            _say(f"warm after {monotonic() - begun:.0f} s; sending {asked.requests:,} requests …")
            seconds = 60 * asked.minutes
            told = [str(world), str(rows), str(asked.requests), str(seconds), asked.seed]
            system.load(LOCUST, told, seconds + _GRACE)
        others += _of_others()  # now that all that was started has ended, and is counted
        setting = _setting(asked, others / (monotonic() - begun) / (os.cpu_count() or 1))
        sent = msgspec.json.decode(rows.read_bytes(), type=list[Row])
        inside = read_inside(scratch / system.INSIDE)
        return results.gather(setting, sent, samples, inside, begun=begun, said=server.said)


def _of_others() -> float:
    """Seconds of processor time that all but this process and its children took."""
    own = os.times()
    return busy() - sum(own[:4])


def _setting(asked: argparse.Namespace, others: float) -> Setting:
    cores = os.cpu_count() or 1
    print_version = [str(LOCUST), "-c", "from importlib.metadata import version; print(version('locust'))"]
    locust = subprocess.run(print_version, capture_output=True, text=True, check=True).stdout.strip()
    return Setting(
        requests=asked.requests,
        clients=asked.clients,
        seed=asked.seed,
        minutes=asked.minutes,
        machine=f"{platform.system()} on {processor()}, {cores} cores",
        python=platform.python_version(),
        locust=locust,
        others=round(others, 3),
    )


def _say(text: str) -> None:
    print(f"soak: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

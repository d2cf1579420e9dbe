"""`python -m tests.drill`: the long form of the drill, a seed after the other, and what came of it as tables.

With the same seed, and the same number of operations, everything happens again as it did: the digest of what was sent
and answered is the same. `--break` takes a guard away, and the drill must then fail.
"""

import argparse
import os
import sys
from collections import Counter
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

OPERATIONS: Final = 100_000
SEEDS: Final = (1, 2, 3)
_EVERY: Final = 5_000
_HASHES: Final = "PYTHONHASHSEED"
_NOT_OURS: Final = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
_ALSO: Final = {"AWS_EC2_METADATA_DISABLED": "true", "POWERTOOLS_METRICS_DISABLED": "true"}


def main() -> int:
    """Run what the command line says; 0 if all went well."""
    asked = _parser().parse_args()
    if os.environ.get(_HASHES) != "0":  # the order of sets would be another in every process
        again = [sys.executable, "-m", "tests.drill", *sys.argv[1:]]
        os.execve(sys.executable, again, os.environ | {_HASHES: "0"})  # noqa: S606 - ourselves
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    from coolid.local.embedded_store import CREDENTIALS

    os.environ |= CREDENTIALS | _NOT_OURS | _ALSO
    passed = [_drill(seed, asked) for seed in asked.seed or SEEDS]
    return 0 if all(passed) else 1


def _parser() -> argparse.ArgumentParser:
    from tests.drill.guards import GUARDS

    parser = argparse.ArgumentParser(prog="python -m tests.drill", description="Break everything, and see what holds.")
    parser.add_argument("--seed", type=int, action="append", help="a seed; may be given several times; else 1, 2, 3")
    parser.add_argument("--operations", type=int, default=OPERATIONS, help=f"of each seed; {OPERATIONS} unless given")
    parser.add_argument(
        "--embedded", type=int, help="how many of them over the embedded DynamoDB; a tenth unless given"
    )
    parser.add_argument("--kills", type=int, default=3, help="how often a real import is killed in each seed")
    parser.add_argument("--break", dest="broken", choices=sorted(GUARDS), help="take this guard away")
    parser.add_argument("--log", help="write down what was sent and answered, to a file for each seed and world")
    return parser


def _drill(seed: int, asked: argparse.Namespace) -> bool:
    """One seed; whether it passed."""
    from tests.drill.guards import GUARDS
    from tests.drill.oracle import Violation
    from tests.drill.running import NeverFired

    over_tables = asked.operations // 10 if asked.embedded is None else asked.embedded
    begun = perf_counter()
    try:
        with GUARDS[asked.broken]() if asked.broken else nullcontext():
            if asked.operations > over_tables:
                _in_memory(seed, asked.operations - over_tables, asked.log)
            if over_tables:
                _over_tables(seed, over_tables, asked.log)
            if asked.kills:
                _by_signal(seed, asked.kills)
    except (Violation, NeverFired) as error:
        _say(f"seed {seed} FAILED after {perf_counter() - begun:.0f} s: {error}\n")
        return False
    _say(f"seed {seed} passed in {perf_counter() - begun:.0f} s\n")
    return True


def _in_memory(seed: int, operations: int, log: str | None) -> None:
    from tests.drill.worlds import MemoryWorld

    _run("memory", MemoryWorld, seed, operations, log)


def _over_tables(seed: int, operations: int, log: str | None) -> None:
    from tests.drill.tables import TablesWorld
    from tests.drill.wires import Wire, running

    wire = Wire()
    with running(wire):
        _run("embedded", partial(TablesWorld, wire), seed, operations, log)


def _run(name: str, make: Any, seed: int, operations: int, log: str | None) -> None:
    """A drill in one world, and its tables."""
    from tests.drill.running import demand_all, run

    begun = perf_counter()
    file = f"{log}.{seed}.{name}" if log else None
    outcome = run(seed, operations, make, strict=False, log=file, tell=partial(_progress, seed, name))
    _told(name, outcome, perf_counter() - begun)
    demand_all(outcome.never)


def _by_signal(seed: int, kills: int) -> None:
    """A real import, which is really killed."""
    from tests.drill.killing import import_and_kill
    from tests.support.stores import embedded

    begun = perf_counter()
    with embedded.running(), TemporaryDirectory(prefix="drill-") as folder:
        ended = import_and_kill(seed, Path(folder), kills=kills)
    killed = f"killed {ended.before + ended.after} times, {ended.after} of them when a request had been carried out"
    _say(f"seed {seed}, a real import of {ended.rows} rows: {killed}; complete ({perf_counter() - begun:.0f} s)\n")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _progress(seed: int, name: str, number: int) -> None:
    if number and number % _EVERY == 0:
        sys.stderr.write(f"seed {seed}, {name}: {number} operations …\n")


def _told(name: str, outcome: Any, seconds: float) -> None:
    """The tables of a run."""
    unavailable = outcome.answers["503"]
    _say(f"seed {outcome.seed}, {name}: {outcome.operations} operations, {outcome.requests} requests")
    _say(
        f"  {outcome.records} records in {outcome.versions} versions; {outcome.checks} checks; {unavailable} times 503"
    )
    _say(f"  {outcome.switches} switches; {outcome.seconds:.0f} s of its time, {seconds:.0f} s of ours")
    _columns("operations", outcome.done)
    _columns("answers", outcome.answers)
    _columns("faults fired", outcome.fired)
    _say(f"  digest {outcome.digest}\n")


def _columns(title: str, counts: Counter[str]) -> None:
    _say(f"  {title}")
    for name, count in sorted(counts.items()):
        _say(f"    {name:<32} {count:>8}")


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.drill`: the long form of the drill, seed by seed, and its results as tables.

The same seed with the same number of operations repeats the run: the digest of all requests and responses is the same.
`--break` removes a guard, and the drill must then fail.
"""

import argparse
import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
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
    """Run the drill that the command line describes. Return 0 if it passed."""
    arguments = _parser().parse_args()
    if os.environ.get(_HASHES) != "0":  # otherwise each process orders its sets differently
        again = [sys.executable, "-m", "tests.drill", *sys.argv[1:]]
        os.execve(sys.executable, again, os.environ | {_HASHES: "0"})  # noqa: S606 - ourselves
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    from tests.support.stores.moto_store import CREDENTIALS

    os.environ |= CREDENTIALS | _NOT_OURS | _ALSO
    passed = [_drill(seed, arguments) for seed in arguments.seed or SEEDS]
    return 0 if all(passed) else 1


def _parser() -> argparse.ArgumentParser:
    from tests.drill.guards import GUARDS

    parser = argparse.ArgumentParser(prog="python -m tests.drill", description="Break everything, and see what holds.")
    parser.add_argument("--seed", type=int, action="append", help="a seed; may be given several times; else 1, 2, 3")
    parser.add_argument("--operations", type=int, default=OPERATIONS, help=f"of each seed; {OPERATIONS} unless given")
    parser.add_argument(
        "--embedded", type=int, help="how many of them over the embedded DynamoDB; a tenth unless given"
    )
    parser.add_argument("--sqlite", type=int, help="how many of them over SQLite; a tenth unless given")
    parser.add_argument("--kills", type=int, default=3, help="how often a real import is killed in each seed")
    parser.add_argument("--break", dest="broken", choices=sorted(GUARDS), help="take this guard away")
    parser.add_argument("--log", help="write down what was sent and answered, to a file for each seed and backend")
    return parser


def _drill(seed: int, arguments: argparse.Namespace) -> bool:
    """Run one seed. Return whether it passed."""
    from tests.drill.drill_run import MissingFault
    from tests.drill.guards import GUARDS
    from tests.drill.oracle import Violation

    over_tables = arguments.operations // 10 if arguments.embedded is None else arguments.embedded
    over_database = arguments.operations // 10 if arguments.sqlite is None else arguments.sqlite
    in_memory = arguments.operations - over_tables - over_database
    begun = perf_counter()
    try:
        with GUARDS[arguments.broken]() if arguments.broken else nullcontext():
            if in_memory > 0:
                _in_memory(seed, in_memory, arguments.log)
            if over_database:
                _over_database(seed, over_database, arguments.log)
            if over_tables:
                _over_tables(seed, over_tables, arguments.log)
            if arguments.kills:
                _killed_import(seed, arguments.kills)
    except (Violation, MissingFault) as error:
        _print(f"seed {seed} FAILED after {perf_counter() - begun:.0f} s: {error}\n")
        return False
    _print(f"seed {seed} passed in {perf_counter() - begun:.0f} s\n")
    return True


def _in_memory(seed: int, operations: int, log: str | None) -> None:
    from tests.drill.backends import MemoryBackend

    _run("memory", MemoryBackend, seed, operations, log)


def _over_database(seed: int, operations: int, log: str | None) -> None:
    from tests.drill.databases import SqliteBackend

    with TemporaryDirectory(prefix="drill-") as folder:
        _run("sqlite", partial(SqliteBackend, Path(folder)), seed, operations, log)


def _over_tables(seed: int, operations: int, log: str | None) -> None:
    from tests.drill.faulty_transport import FaultyTransport, running
    from tests.drill.tables import TablesBackend

    transport = FaultyTransport()
    with running(transport):
        _run("embedded", partial(TablesBackend, transport), seed, operations, log)


def _run(name: str, make: Any, seed: int, operations: int, log: str | None) -> None:
    """Run a drill over one backend and print its tables."""
    from tests.drill.drill_run import require_all_faults, run

    begun = perf_counter()
    file = f"{log}.{seed}.{name}" if log else None
    with _frozen_garbage():
        outcome = run(seed, operations, make, strict=False, log=file, progress=partial(_progress, seed, name))
    _print_outcome(name, outcome, perf_counter() - begun)
    require_all_faults(outcome.missing_faults)


@contextmanager
def _frozen_garbage() -> Iterator[None]:
    """Exclude the objects that exist already from garbage collection, which is slow otherwise."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _killed_import(seed: int, kills: int) -> None:
    """Run a real import in another process, and kill it."""
    from tests.drill.killed_import import import_and_kill
    from tests.support.stores import moto_store

    begun = perf_counter()
    with moto_store.running(), TemporaryDirectory(prefix="drill-") as folder:
        ended = import_and_kill(seed, Path(folder), kills=kills)
    killed = f"killed {ended.before + ended.after} times, {ended.after} of them when a request had been carried out"
    _print(f"seed {seed}, a real import of {ended.rows} rows: {killed}; complete ({perf_counter() - begun:.0f} s)\n")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _progress(seed: int, name: str, number: int) -> None:
    if number and number % _EVERY == 0:
        sys.stderr.write(f"seed {seed}, {name}: {number} operations …\n")


def _print_outcome(name: str, outcome: Any, seconds: float) -> None:
    """Print the tables of a run."""
    unavailable = outcome.answers["503"]
    _print(f"seed {outcome.seed}, {name}: {outcome.operations} operations, {outcome.requests} requests")
    _print(
        f"  {outcome.records} records in {outcome.versions} versions; {outcome.checks} checks; {unavailable} times 503"
    )
    _print(f"  {outcome.switches} switches; {outcome.seconds:.0f} s of its time, {seconds:.0f} s of ours")
    _columns("operations", outcome.done)
    _columns("answers", outcome.answers)
    _columns("faults fired", outcome.fired)
    _print(f"  digest {outcome.digest}\n")


def _columns(title: str, counts: Counter[str]) -> None:
    _print(f"  {title}")
    for name, count in sorted(counts.items()):
        _print(f"    {name:<32} {count:>8}")


if __name__ == "__main__":
    sys.exit(main())

"""The SQLite store with ten thousand and with two million records: reads, lists, searches, writes, memory, and size.

The records are those of a usual mint, with random keys. Reads are counted in processor time, and come from the system's
cache. Creations are counted by the wall clock, because they wait for the disk. Run as a program, it reads some records
of a database and prints the memory that it took at the most:
python -m scripts.benchmark.parts.sqlite FILE RECORDS
"""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, cycle
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

from coolid.identifiers.schemes import lui
from coolid.model.records import Location, Record, parse_time
from coolid.sqlite.database import Database
from coolid.sqlite.record_search import SqliteRecordSearch
from coolid.sqlite.store import sqlite_store
from coolid.store.record_search import RecordQuery
from coolid.store.rows import CURRENT, record_row
from coolid.store.search_terms import query_terms
from scripts.benchmark.canned import ROOT
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.identifiers import BASE_URL, suffix
from scripts.benchmark.peak import peak
from scripts.benchmark.results import Figure, at_most, figure, ratio_at_most
from scripts.benchmark.rows import MINTED

SIZES: Final = (10_000, 2_000_000)
OWNER: Final = "r4k2-9m3x-62"
READS: Final = 20_000
PAGE: Final = 100
PORTION: Final = 20_000
CREATION: Final = "create a record"
FLAT: Final = ratio_at_most(2)
SEARCHES: Final = {
    "search a word of all records": query_terms("demo", status="active"),
    "search a host and an order": query_terms(target_host=str(MINTED["uri"]).split("/")[2], health="unchecked"),
}
FIRST_PAGE: Final = at_most(200_000, "µs")


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    sizes = [effort.number(size) for size in SIZES]
    paths = {size: scratch / f"{size}.db" for size in sizes}
    cases: dict[str, list[Case]] = {}
    found: list[Figure] = []
    for size, path in paths.items():
        _fill(path, size)
        found.append(figure(f"sqlite: bytes a record, {size:,} records", "bytes", [path.stat().st_size / size]))
        memory = [_memory(path, size) for _ in range(effort.rounds(3))]
        found.append(figure(f"sqlite: memory after {READS:,} reads, {size:,} records", "MB", memory))
        for name, work in _works(path, size).items():
            cases.setdefault(name, []).append(Case(f"sqlite: {name}, {size:,} records", work))
    for name, kind in cases.items():
        timed = measured(kind, effort.rounds(), clock=perf_counter if name == CREATION else process_time)
        small, large = (figure(name, "µs", samples) for name, samples in timed.items())
        found += [small, large.aiming(FIRST_PAGE) if name in SEARCHES else large.beside(small.name, FLAT)]
    return found


def _works(path: Path, size: int) -> dict[str, Callable[[], object]]:
    with path.open("rb") as file:  # into the system's cache, as in a service that has run for a while
        while file.read(1 << 24):
            pass
    store = sqlite_store(Database.open(path))
    records = store.records
    asked = cycle(_asked(size)).__next__
    searches = {name: RecordQuery((OWNER,), terms) for name, terms in SEARCHES.items()}
    new = (_record(suffix(number)) for number in count(size))
    return {
        "read a record": lambda: records.record(OWNER, asked()),
        "list 100 records": lambda: records.list_records(OWNER, PAGE, asked()),
        "read a history": lambda: records.history(OWNER, asked(), 9),
        **{name: partial(store.record_search.search, query, PAGE, None) for name, query in searches.items()},
        CREATION: lambda: records.create_record(next(new)),
    }


def _asked(size: int) -> Sequence[str]:
    """Return the keys of some records of a database of this size, the same in each run."""
    dice = random.Random(size)  # noqa: S311 - not secret
    return [suffix(dice.randrange(size)) for _ in range(READS)]


def _record(key: str) -> Record:
    moment = parse_time("2021-06-01T00:00:00Z")
    display = lui.format(key)
    return Record(
        id=display,
        pid=f"{BASE_URL}/demo:{display}",
        repository=OWNER,
        version=1,
        created=moment,
        updated=moment,
        issuer=BASE_URL,
        status="active",
        records=(Location(str(MINTED["uri"])),),
        metadata={"minted": MINTED["metadata"]},
        proof="e" * 520,  # as long as a signature with its statement
        key=key,
    )


def _fill(path: Path, size: int) -> None:
    """Write a database with so many records, as creations would, but many in one transaction."""
    pattern = record_row(_record(suffix(0)), CURRENT)

    def rows(numbers: range) -> Iterator[dict[str, Any]]:
        for key in map(suffix, numbers):
            body = pattern["body"].replace(lui.format(suffix(0)), lui.format(key))
            yield pattern | {"pid": f"{OWNER}/{key}", "body": body}

    with Database.open(path, is_durable=False) as database:
        for start in range(0, size, PORTION):
            numbers = range(start, min(start + PORTION, size))
            database.write(partial(_insert, rows(numbers)))
        search = SqliteRecordSearch(database)
        while search.index_pending():
            pass


def _insert(rows: Iterator[dict[str, Any]], connection: sqlite3.Connection) -> None:
    connection.executemany(
        "INSERT INTO records (pid, version, status, revision, repository, body) "
        "VALUES (:pid, :version, :status, :revision, :repository, :body)",
        rows,
    )


def _memory(path: Path, size: int) -> float:
    command = [sys.executable, "-m", "scripts.benchmark.parts.sqlite", str(path), str(size)]
    return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Read records, one by one and in pages, and print the most memory in MB."""
    path, size = Path(sys.argv[1]), int(sys.argv[2])
    keys = _asked(size)
    with Database.open(path) as database:
        records = sqlite_store(database).records
        for key in keys:
            assert records.record(OWNER, key) is not None
        for key in keys[::100]:
            records.list_records(OWNER, PAGE, key)
    print(round(peak(), 1))


if __name__ == "__main__":
    main()

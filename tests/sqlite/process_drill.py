"""Processes that write to one database and are killed at random moments; a program that the tests run.

`python -m tests.sqlite.process_drill kill FOLDER KILLS SEED` kills so many processes. Two at a time, of four threads
each, create and replace records and reserve numbers, and report each write after its acknowledgement. After each pair
the database must open and be sound, contain every reported write, and contain no write in part.

`python -m tests.sqlite.process_drill rivals FOLDER` lets two processes of four threads create one record 200 times.

`python -m tests.sqlite.process_drill fork FOLDER` lets a process and its child write to one open database.

The program has one thread when it forks, unlike the tests.
"""

import os
import select
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic
from typing import Final, NamedTuple

from msgspec.structs import replace

from coolid.errors import IdentifierTaken
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.sqlite.database import Database
from coolid.sqlite.store import sqlite_store
from coolid.store.store import Store
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import LATER, record

OWNER: Final = "r4k2-9m3x-62"
COUNTER: Final = "counter"
PROCESSES: Final = 2
THREADS: Final = 4
RIVALS: Final = 200
KILLS_PER_FILE: Final = 40
MAX_SECONDS: Final = 0.2
"""The longest time from the first reports until a process is killed."""
MIN_REPORTS: Final = 8
"""The reports of a process before it is killed, so that it has created two records, on a slow machine too."""

Report = Callable[[str], None]


class Process(NamedTuple):
    """A child process, and the end of its pipe from which its reports are read."""

    pid: int
    pipe: int


def start(run: Callable[[Report], None]) -> Process:
    """Start a process that carries out `run` and exits."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return Process(pid, reader)
    status = 1
    try:
        os.close(reader)
        run(lambda line: write_all(writer, line))
        status = 0
    finally:
        os._exit(status)


def write_all(pipe: int, line: str) -> None:
    assert os.write(pipe, f"{line}\n".encode()) > len(line)  # atomic, because a line is short


@contextmanager
def running_threads(run: Callable[[int], None]) -> Iterator[None]:
    """Carry out `run` in some threads at once, and wait for them after the block."""
    threads = [Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def lines(process: Process) -> list[str]:
    """Return the remaining reports of a process that has ended."""
    with os.fdopen(process.pipe, "rb") as file:
        return file.read().decode().splitlines()


# Kills


def version_of(key: str, version: int) -> Record:
    return replace(record(key), version=version, metadata={"n": version, "what": "x" * (version * 997 % 9_000)})


def request_of(key: str) -> IdempotencyRecord:
    return IdempotencyRecord(f"request of {key}", "digest", f"{OWNER}/{key}", LATER)


def write_for_ever(path: Path, name: str, report: Report) -> None:
    """Create records of which each has a few versions, and reserve numbers, in several threads."""
    store = sqlite_store(Database.open(path))

    def run(thread: int) -> None:
        rng = Random(f"{name} {thread}")
        for number in count():
            key = f"{name}x{thread}x{number}"
            store.records.create_record(version_of(key, 1), request_of(key))
            report(f"record {key} 1")
            for version in range(2, rng.randrange(2, 6)):
                store.records.replace_record(version_of(key, version), version_of(key, version - 1))
                report(f"record {key} {version}")
            size = rng.randrange(1, 9)
            first = store.counters.reserve(COUNTER, 0, size)
            report(f"numbers {first} {size}")

    with running_threads(run):
        pass


class Expected:
    """What the processes reported, and the checks of a database against it."""

    def __init__(self) -> None:
        self.versions: dict[str, int] = {}
        self.numbers: Counter[int] = Counter()

    def add(self, report: str) -> None:
        kind, first, second = report.split()
        if kind == "record":
            self.versions[first] = max(int(second), self.versions.get(first, 0))
        else:
            self.numbers.update(range(int(first), int(first) + int(second)))

    def check(self, path: Path) -> None:
        with Database.open(path) as database:
            assert database.check() == ()
            store = sqlite_store(database)
            self._check_records(store)
            assert max(self.numbers.values(), default=0) <= 1, "a number was reserved twice"
            assert store.counters.reserve(COUNTER, 0, 1) not in self.numbers
        with database_rows(path) as (records, requests):
            assert records == requests, "a record and its idempotency record are written together"

    def _check_records(self, store: Store) -> None:
        after: str | None = ""
        found: dict[str, int] = {}
        while after is not None:
            listed, after = store.records.list_records(OWNER, 1_000, after)
            found |= {each.key: each.version for each in listed}
        for key, version in found.items():
            history = stored_versions(store.records, OWNER, key)
            assert history == [version_of(key, number) for number in range(version, 0, -1)]
        lost = {key: version for key, version in self.versions.items() if found.get(key, 0) < version}
        assert not lost, f"acknowledged and lost: {lost}"


@contextmanager
def database_rows(path: Path) -> Iterator[tuple[set[str], set[str]]]:
    """Return the keys of the records, and those of the idempotency records."""
    with Database.open(path) as database, database.read() as connection:
        records = {pid for (pid,) in connection.execute("SELECT pid FROM records WHERE version = 0")}
        requests = {outcome for (outcome,) in connection.execute("SELECT outcome FROM idempotency_records")}
    yield records, requests


def first_reports(process: Process) -> bytes:
    """Wait until a process has reported a few writes, and return what it reported."""
    received = b""
    while received.count(b"\n") < MIN_REPORTS:
        part = os.read(process.pipe, 65_536)
        assert part, "the process has ended"
        received += part
    return received


def kill_round(path: Path, name: str, rng: Random, expected: Expected) -> None:
    """Start processes, kill each at a random moment, and check what is left."""
    processes = [start(partial(write_for_ever, path, f"{name}x{number}")) for number in range(PROCESSES)]
    buffers = {process.pipe: first_reports(process) for process in processes}
    begin = monotonic()
    moments = {process: begin + rng.uniform(0, MAX_SECONDS) for process in processes}
    while moments:
        ready, _, _ = select.select([*buffers], [], [], max(min(moments.values()) - monotonic(), 0))
        for pipe in ready:
            buffers[pipe] += os.read(pipe, 65_536)
        for process in [each for each, moment in moments.items() if moment <= monotonic()]:
            del moments[process]
            os.kill(process.pid, signal.SIGKILL)
            assert os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1]) == -signal.SIGKILL
    for process in processes:
        rest = buffers[process.pipe] + "".join(f"{line}\n" for line in lines(process)).encode()
        for line in rest.decode().splitlines():
            expected.add(line)
    expected.check(path)


def kill(folder: Path, kills: int, seed: str) -> None:
    rng = Random(seed)
    totals: Counter[str] = Counter()
    path, expected = folder, Expected()
    for number in range(-(-kills // PROCESSES)):
        if number * PROCESSES % KILLS_PER_FILE == 0:  # later checks of one large file would take too long
            path, expected = folder / f"{number}.db", Expected()
        before = len(expected.versions), len(expected.numbers)
        kill_round(path, f"{number}", rng, expected)
        totals["kills"] += PROCESSES
        totals["records"] += len(expected.versions) - before[0]
        totals["numbers"] += len(expected.numbers) - before[1]
    print(*(f"{name}: {total}" for name, total in totals.items()), sep="\n")  # noqa: T201 - a program


# Rivals


def rival(path: Path, gate: int, report: Report) -> None:
    store = sqlite_store(Database.open(path))
    os.read(gate, 1)

    def run(thread: int) -> None:
        for _ in range(RIVALS // PROCESSES // THREADS):
            with suppress(IdentifierTaken):
                store.records.create_record(replace(record(), author=f"{os.getpid()} {thread}"))
                report(f"{os.getpid()} {thread}")

    with running_threads(run):
        pass


def compete(folder: Path) -> None:
    path = folder / "coolid.db"
    gate, opener = os.pipe()
    processes = [start(partial(rival, path, gate)) for _ in range(PROCESSES)]
    os.write(opener, b"x" * PROCESSES)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1]) for process in processes]
    assert statuses == [0] * PROCESSES
    winners = [line for process in processes for line in lines(process)]
    with Database.open(path) as database:
        stored = sqlite_store(database).records.record(OWNER, record().key)
    assert stored is not None
    assert winners == [stored.author], "exactly one creation is acknowledged"


# A fork


def fork(folder: Path) -> None:
    """Reserve numbers in a process and in its child, which inherits an open database."""
    database = Database.open(folder / "coolid.db")
    counters = sqlite_store(database).counters
    numbers = [counters.reserve(COUNTER, 0, 1)]

    def reserve(report: Report) -> None:
        for _ in range(50):
            report(str(counters.reserve(COUNTER, 0, 1)))

    child = start(reserve)
    numbers += [counters.reserve(COUNTER, 0, 1) for _ in range(50)]
    numbers += map(int, lines(child))
    assert os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1]) == 0
    assert sorted(numbers) == [*range(101)]
    assert database.check() == ()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["kill", folder, kills, seed]:
            kill(Path(folder), int(kills), seed)
        case ["rivals", folder]:
            compete(Path(folder))
        case ["fork", folder]:
            fork(Path(folder))

"""Counting: PILIN suffixes from several processes of several threads; how many a second, and none of them twice.

The counter is a number that the processes share, behind a lock: the one thing that counting asks of a store.
"""

import multiprocessing
import threading
import time
from pathlib import Path
from typing import Final

from coolid.aws.clock import SystemClock
from coolid.identifiers.rules.pilin import PilinRules
from coolid.records.counters import Counters
from scripts.benchmark.harness import Effort
from scripts.benchmark.results import Figure, exactly, figure

PROCESSES: Final = 2
THREADS: Final = 8
SECONDS: Final = 1.0
RUNS: Final = 5


class SharedCounter:
    """The counter row behind a lock."""

    def __init__(self) -> None:
        self.row = multiprocessing.Value("q", 0)

    def reserve(self, _repository_id: str, floor: int, count: int) -> int:
        """See `coolid.store.counters.CounterStore`."""
        with self.row.get_lock():
            start = max(int(self.row.value), floor)
            self.row.value = start + count
            return start


def figures(_scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    rates, doubles = zip(*(_run() for _ in range(effort.number(RUNS))), strict=True)
    return [
        figure(f"counting: PILIN suffixes, {PROCESSES} processes of {THREADS} threads", "a second", rates),
        figure("counting: PILIN suffixes that were given twice", "suffixes", doubles).aiming(exactly(0)),
    ]


def _run() -> tuple[float, int]:
    """Suffixes a second, and how many of them were not the first of their kind."""
    store = SharedCounter()
    results: multiprocessing.Queue[list[str]] = multiprocessing.Queue()
    until = time.monotonic() + SECONDS
    processes = [multiprocessing.Process(target=_count, args=(store, until, results)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    suffixes = [suffix for _ in processes for suffix in results.get()]
    for process in processes:
        process.join()
    rules = PilinRules()
    assert all(rules.validate(suffix) == suffix for suffix in suffixes), "a suffix is malformed"
    return len(suffixes) / SECONDS, len(suffixes) - len(set(suffixes))


def _count(store: SharedCounter, until: float, results: "multiprocessing.Queue[list[str]]") -> None:
    counters, rules = Counters(store, SystemClock()), PilinRules()
    found: list[list[str]] = [[] for _ in range(THREADS)]

    def work(mine: list[str]) -> None:
        while time.monotonic() < until:
            mine.append(rules.key(counters.take("bench", rules)))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put([suffix for mine in found for suffix in mine])

"""The whole service over HTTP: `coolid serve` in a process of its own, under load from 32 connections.

The client runs in this process, on another core. Set `BENCH_OTHER` to the `coolid` command of another release to
measure both in turns; the figures are then ratios as well.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Final

import msgspec
from msgspec import Struct

from scripts.benchmark.harness import Effort
from scripts.benchmark.http_load import get, load, request
from scripts.benchmark.results import Figure, Goal, at_least, at_most, figure, ratio_at_least

OURS: Final = "service"
OTHER_RELEASE: Final = "other release"
OTHER: Final = "BENCH_OTHER"
ROUNDS: Final = 5
RECORDS: Final = 2_000
BATCH: Final = 1_000
LISTED: Final = 300
WARM_UP: Final = 14_000
HOUR: Final = 36_000
"""Ten requests a second."""
_LISTENING: Final = re.compile(r"Serving on http://127\.0\.0\.1:(\d+);")
_MINT: Final = {"prefix": "demo", "uri": "https://example.org/", "metadata": {"what": "A record of the benchmark"}}
_BROWSER: Final = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "en-US,en;q=0.5", "User-Agent": "benchmark"}
GROWTH: Final = f"{OURS}: growth of memory"
START: Final = f"{OURS}: start on an existing database"
_RATES: Final = ("CURIEs a second", "records a second, one", "mints a second", "records a second, many")
_FIGURES: Final[Mapping[str, tuple[str, Goal | None]]] = {
    **dict.fromkeys(_RATES, ("requests/s", None)),
    "mints a second": ("requests/s", at_least(1_000, "requests/s")),
    f"batch of {BATCH:,}": ("ms", at_most(2_000, "ms")),
    "search in prefixes": ("ms", at_most(20, "ms")),
    "growth of memory": ("% an hour", at_most(1, "% an hour")),
    "start on an existing database": ("s", at_most(2, "s")),
}
_LISTS: Final = (
    "/api/v1/prefixes?q=prot",
    "/api/v1/prefixes?limit=100",
    "/api/v1/records?prefix=demo&limit=100",
    "/api/v1/history/demo:{}",
    "/api/v1/parse?id=demo:{}",
    "/?q=uniprot",
    "/pages/prefixes?q=protein",
    "/demo:{}?format=html",
    "/demo:{}?format=ttl",
    "/timemap/demo:{}",
    "/health",
    "/uniprot",
    "/demo:{}",
    "/demo:00000000",
)
"""One of each kind of list, history, search and page; `{}` is an identifier."""


class Served(Struct, frozen=True):
    """A running service: its port, its process and the administrator's key, and the seconds of its start."""

    port: int
    process: int
    key: str
    start_seconds: float

    def manage(self, path: str) -> Any:
        """Return the document of a `GET` by the administrator."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.key}"})
            return msgspec.json.decode(connection.getresponse().read())
        finally:
            connection.close()

    def identifiers(self, number: int) -> list[str]:
        """Return the identifiers of so many records."""
        found: list[str] = []
        path = following = "/api/v1/records?prefix=demo&limit=100"
        while len(found) < number and following:
            page = self.manage(following)
            found += [each["id"] for each in page["records"]]
            following = page["next"] and f"{path}&cursor={page['next']}"
        return found[:number]

    def memory(self) -> int:
        """Return the bytes of memory in use."""
        pages = int(Path(f"/proc/{self.process}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def figures(_scratch: Path, effort: Effort) -> list[Figure]:
    """Measure, the other release in turns with this one if there is one."""
    commands = {OURS: str(Path(sys.executable).with_name("coolid"))}
    if os.environ.get(OTHER):
        commands[OTHER_RELEASE] = os.environ[OTHER]
    samples: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folders = {release: Path(name) / release.replace(" ", "-") for release in commands}
        with ExitStack() as ends:
            running = {each: ends.enter_context(_serving(commands[each], folders[each])) for each in commands}
            for _ in range(effort.rounds(ROUNDS)):
                for release, served in running.items():
                    for what, value in _rates(served, effort).items():
                        samples.setdefault(f"{release}: {what}", []).append(value)
            samples |= _times(running[OURS], effort)
            if effort.share == 1:  # in a shorter run, memory grows by what its caches still lack
                samples[GROWTH] = [_growth(running[OURS])]
        with _serving(commands[OURS], folders[OURS]) as again:
            samples[START] = [again.start_seconds]
    return [_figure(name, values, others=len(commands) > 1) for name, values in samples.items()]


def _figure(name: str, values: list[float], *, others: bool) -> Figure:
    release, _, what = name.partition(": ")
    unit, goal = _FIGURES[what]
    made = figure(name, unit, values)
    if release != OURS:
        return made
    if goal is None and others:
        return made.beside(f"{OTHER_RELEASE}: {what}", ratio_at_least(3))
    return made.aiming(goal) if goal else made


def _rates(served: Served, effort: Effort) -> dict[str, float]:
    """Return requests a second."""
    identifiers = served.identifiers(RECORDS)
    reads, mints = effort.number(10_000), effort.number(1_500)
    mint = request("POST", "/api/v1/records", msgspec.json.encode(_MINT), **_headers(served))
    return {
        "CURIEs a second": _rate(served, [get("/uniprot:P0DP23", **_BROWSER)], reads, 302),
        "records a second, one": _rate(served, [get("/2021/06/demo/tw0t-ywdj-94", **_BROWSER)], reads, 302),
        "mints a second": _rate(served, [mint], mints, 201),
        "records a second, many": _rate(served, [get(f"/demo:{each}", **_BROWSER) for each in identifiers], reads, 302),
    }


def _rate(served: Served, requests: Sequence[bytes], number: int, status: int) -> float:
    outcome = load(served.port, islice(cycle(requests), number))
    assert outcome.statuses.keys() == {status}, outcome.statuses
    return outcome.rate()


def _times(served: Served, effort: Effort) -> dict[str, list[float]]:
    """Return the milliseconds of requests that take longer, one after the other."""
    headers = _headers(served)
    batch = request("POST", "/api/v1/records/batch", msgspec.json.encode([_MINT] * BATCH), **headers)
    listing = get("/api/v1/prefixes?q=prot", **headers)
    batches = load(served.port, [batch] * effort.rounds(ROUNDS), connections=1)
    listings = load(served.port, [listing] * effort.number(100), connections=1)
    assert batches.statuses.keys() | listings.statuses.keys() == {200}
    return {
        f"{OURS}: batch of {BATCH:,}": [1_000 * each for each in batches.latencies],
        f"{OURS}: search in prefixes": [1_000 * each for each in listings.latencies],
    }


def _growth(served: Served) -> float:
    """Return by how many per cent memory grows in an hour of ten lists, searches and pages a second.

    All caches are full before the measurement.
    """
    paths, identifiers = cycle(_LISTS), cycle(served.identifiers(LISTED))
    requests = (get(path.format(next(identifiers)), **_headers(served)) for path in paths)
    load(served.port, islice(requests, WARM_UP))
    before = served.memory()
    load(served.port, islice(requests, HOUR))
    return (served.memory() / before - 1) * 100


def _headers(served: Served) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {served.key}", "Content-Type": "application/json"}


@contextmanager
def _serving(command: str, folder: Path) -> Iterator[Served]:
    """Run a service with its data in a folder."""
    folder.mkdir(exist_ok=True)
    begun = perf_counter()
    errors = folder / "errors"
    with errors.open("w", encoding="utf-8") as messages:
        process = subprocess.Popen(
            [command, "serve", "--port", "0"],
            cwd=folder,
            env={**os.environ, "LOG_REQUESTS": "off"},
            stdout=subprocess.DEVNULL,
            stderr=messages,
        )
    try:
        while not (listening := _LISTENING.search(errors.read_text(encoding="utf-8"))):
            assert process.poll() is None, errors.read_text(encoding="utf-8")
            sleep(0.02)
        seconds = perf_counter() - begun
        key = (folder / ".local" / "admin-key").read_text(encoding="ascii").strip()
        yield Served(int(listening[1]), process.pid, key, seconds)
    finally:
        process.terminate()
        process.wait(60)

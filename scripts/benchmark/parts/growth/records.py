"""More and more records at the store: warm hits, reads with a warm and a cold cache, and the memory of the process.

The cache is bounded, so that beyond some thousands of records every request of another one is a read.
"""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle
from typing import Final

from scripts.benchmark import canned
from scripts.benchmark.canned import Canned
from scripts.benchmark.cliffs import Cliff, Workspace
from scripts.benchmark.handlers import Event, cold, demand, event, events, own_path, reader_of, repeated, resolving
from scripts.benchmark.peak import peak

SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
REQUESTS: Final = 20_000
HOT: Final = 100


def _store(workspace: Workspace, size: int) -> Canned:
    return workspace.store(f"luis-{size}")


def _environment(store: Canned, size: int, view: str) -> dict[str, str]:
    """Return an environment whose functions share no cache with those of another `view`."""
    return store.environment(tls=False, prefixes=f"prefixes.{size}.{view}", luis=f"luis-{size}.{view}")


def _paths(size: int) -> list[str]:
    dice = random.Random(size)  # noqa: S311 - each run requests the same records
    return [own_path(number) for number in dice.sample(range(size), min(size, REQUESTS))]


def _warm(workspace: Workspace, size: int) -> Callable[[], object]:
    return repeated(resolving(_environment(_store(workspace, size), size, "warm")), _paths(size)[:HOT])


def _first(workspace: Workspace, size: int) -> Callable[[], object]:
    """Request one record after the other, and clear the cache before any of them is repeated."""
    environment = _environment(_store(workspace, size), size, "first")
    handler, forget = resolving(environment), reader_of(environment).clear
    following: Callable[[], Event] = cycle(events(_paths(size))).__next__
    count, until, prefix = 0, min(size, REQUESTS) - 1, event(own_path(0))

    def resolve() -> None:
        nonlocal count
        count += 1
        if count % until == 0:
            forget()
            handler(prefix, None)
        handler(following(), None)

    return resolve


def _cold(workspace: Workspace, size: int) -> Callable[[], object]:
    return cold(_environment(_store(workspace, size), size, "cold"), events(_paths(size)))


def _memory(workspace: Workspace, size: int) -> Callable[[], float]:
    """Return the most memory (MB) of a process that resolves so many of these records, whichever come."""
    environment = _environment(_store(workspace, size), size, "memory")

    def resolve() -> float:
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(REQUESTS), str(size)],
            cwd=canned.ROOT,
            env={**os.environ, **environment, "LOG_REQUESTS": "off"},
            stdout=subprocess.PIPE,
            check=True,
        )
        return float(done.stdout)

    return resolve


CLIFFS: Final = (
    Cliff("warm hit", SIZES, "records", _warm, quick=SIZES[:3]),
    Cliff("first resolve, one read", SIZES, "records", _first, quick=SIZES[:3]),
    Cliff("cold memory, two reads", SIZES, "records", _cold, quick=SIZES[:3]),
    # A smaller store than this would not fill the cache.
    Cliff(f"memory after {REQUESTS:,} resolves", SIZES[1:], "records", _memory, "MB", quick=SIZES[1:3], rounds=3),
)


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

"""What a process takes, read from Linux's /proc four times a second: memory, threads, open files.

Source: proc(5); `smaps_rollup` since Linux 4.14. RSS is what is resident; USS is what only this process has.

>>> uss_of("Rss:  900 kB\\nPrivate_Clean:   4 kB\\nPrivate_Dirty:  600 kB\\n")
618496
"""

import os
import platform
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

import msgspec
from msgspec import Struct

EVERY: Final = 0.25
"""Seconds between samples."""
_KIB: Final = 1024
_PRIVATE: Final = re.compile(r"^Private_(?:Clean|Dirty):\s+(\d+) kB$", re.MULTILINE)
_RESIDENT: Final = re.compile(r"^VmRSS:\s+(\d+) kB$", re.MULTILINE)
_THREADS: Final = re.compile(r"^Threads:\s+(\d+)$", re.MULTILINE)


class Inside(Struct, frozen=True, array_like=True):
    """What is in use in a process: Python's blocks, and bytes of malloc's (`scripts.soak.served`)."""

    at: float
    blocks: int
    malloc: int


class Sample(Struct, frozen=True, array_like=True):
    """A process at a moment (monotonic seconds); memory in bytes."""

    at: float
    rss: int
    uss: int
    threads: int
    files: int


def sample(process: int) -> Sample:
    """A process now. Raises `OSError` if it is no more."""
    folder = Path("/proc") / str(process)
    status = (folder / "status").read_text(encoding="ascii", errors="replace")
    resident, threads = _RESIDENT.search(status), _THREADS.search(status)
    assert resident is not None, "the process has ended"
    assert threads is not None
    uss = uss_of((folder / "smaps_rollup").read_text(encoding="ascii"))
    files = sum(1 for _ in (folder / "fd").iterdir())
    return Sample(monotonic(), int(resident[1]) * _KIB, uss, int(threads[1]), files)


def uss_of(rollup: str) -> int:
    """The bytes of a `smaps_rollup` that are private."""
    return sum(int(number) * _KIB for number in _PRIVATE.findall(rollup))


@contextmanager
def watched(process: int) -> Iterator[Sequence[Sample]]:
    """While this lasts, samples are added to what it gives; the last one at the end."""
    samples: list[Sample] = []
    over = Event()

    def watch() -> None:
        while not over.wait(EVERY):
            samples.append(sample(process))

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield samples
    finally:
        over.set()
        watcher.join()


def read_inside(path: Path) -> list[Inside]:
    """What a process wrote down of itself; a line that was cut short at its end left out."""
    return [msgspec.json.decode(line, type=Inside) for line in path.read_bytes().split(b"\n")[:-1]]


def busy() -> float:
    """Seconds for which all processors of the machine have worked since it began; what a host took away included."""
    first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    user, nice, system, _idle, _waiting, *more = map(int, first.split()[1:9])
    return (user + nice + system + sum(more)) / os.sysconf("SC_CLK_TCK")


def processor() -> str:
    """What the machine calculates with."""
    told = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    named = re.search(r"^model name\s*:\s*(.+)$", told, re.MULTILINE)
    return named[1] if named else platform.machine()

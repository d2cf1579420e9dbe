"""Results: what a soak found, kept as JSON, from which page and plots are made.

>>> percentile([1.0, 2.0, 3.0, 4.0], 0.5), percentile([7.0], 0.99)
(2.0, 7.0)
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from msgspec import Struct

from scripts.soak.messages import Row
from scripts.soak.steadiness import HOUR, Points, Verdict, part, verdicts
from scripts.soak.watching import Inside, Sample

WINDOWS: Final = 60
"""Parts of the mix, of equal length, for which the plots show what was usual."""
PERCENTILES: Final = (0.5, 0.95, 0.99)
GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "redirects": ("redirect", "redirect of others", "head", "conditional"),
    "other reads": ("metadata", "parse", "prefix", "memento", "bulk", "bad reference", "unwelcome"),
    "pages": ("page",),
    "writes": ("mint", "mint again", "update", "withdrawal", "batch", "refused write"),
    "lists and records as stored": ("listing", "history", "as stored"),
}
FEWEST: Final = HOUR // 2
"""Requests by which memory can be judged: before, what is bounded by size has not reached its bound."""
MOST_DELAYED: Final = 0.001
"""The share of reads for which the store was too slow, with a valid 503."""
MEMORY: Final[Mapping[str, str]] = {
    "rss": "RSS",
    "uss": "USS",
    "blocks": "Python's blocks in use",
    "malloc": "malloc's bytes in use, of RSS",
}
"""Amounts of memory that are not to grow."""
_MIB: Final = 1 << 20
_KEPT: Final = 20


class Setting(Struct, frozen=True):
    """The options and the machine of a run."""

    requests: int
    clients: int
    seed: str
    minutes: float
    machine: str
    python: str
    locust: str
    others: float
    """The share of the machine's processors that everything else on it took meanwhile."""


class Moment(Struct, frozen=True, array_like=True):
    """The server's process: seconds since the soak began, requests of the mix until then, MiB, numbers.

    In use are thousands of Python's `blocks`, and MiB of `malloc`'s.
    """

    seconds: float
    requests: int
    rss: float
    uss: float
    blocks: float
    malloc: float
    threads: int
    files: int


class Kind(Struct, frozen=True):
    """The requests of a kind; times in milliseconds, as `PERCENTILES`, and the longest."""

    name: str
    requests: int
    statuses: Mapping[str, int]
    delayed: int
    unexplained: int
    times: Sequence[float]
    longest: float


class Window(Struct, frozen=True):
    """A part of the mix: its middle in seconds, requests in a second, times by group."""

    seconds: float
    rate: float
    times: Mapping[str, Sequence[float]]


class Results(Struct, frozen=True):
    """All of it. `complaints` are objections of the judge with their kinds, `said` what the server complained of."""

    setting: Setting
    warming: float
    """Seconds until the mix began."""
    moments: Sequence[Moment]
    kinds: Sequence[Kind]
    windows: Sequence[Window]
    verdicts: Sequence[Verdict]
    complaints: Sequence[str]
    said: Sequence[str]

    @property
    def passed(self) -> bool:
        """Whether everything held that was to hold."""
        return all(verdict.met for verdict in self.verdicts)


def gather(
    setting: Setting,
    rows: Sequence[Row],
    samples: Sequence[Sample],
    inside: Sequence[Inside],
    *,
    begun: float,
    said: Sequence[str],
) -> Results:
    """What rows and samples come to; `begun` is when the soak did. Raises `ValueError` if there are too few."""
    if not rows:
        raise ValueError("nothing was sent")
    ends = sorted(row.begun + row.took for row in rows)
    first, last = min(row.begun for row in rows), ends[-1]
    moments = [_moment(each, inside, each.at - begun, bisect_right(ends, each.at)) for each in samples]
    mixed = [each for each, sample in zip(moments, samples, strict=True) if first <= sample.at <= last]
    names = dict.fromkeys(name for group in GROUPS.values() for name in group)
    names |= dict.fromkeys(row.kind for row in rows)
    kinds = [_kind(name, [row for row in rows if row.kind == name]) for name in names]
    return Results(
        setting,
        round(first - begun, 1),
        moments,
        [kind for kind in kinds if kind.requests],
        _windows(rows, begun, first, last),
        _verdicts(setting, rows, mixed, said),
        [f"{row.kind}: {told}" for row in rows for told in row.objections][:_KEPT],
        list(said[:_KEPT]),
    )


def percentile(numbers: Sequence[float], share: float) -> float:
    """By nearest rank."""
    return sorted(numbers)[max(0, ceil(share * len(numbers)) - 1)]


def write(path: Path, results: Results) -> None:
    """Write results; a moment, a kind or a window on each line."""
    document = msgspec.to_builtins(results)
    path.write_bytes(b"{" + b",\n".join(_member(name, value) for name, value in document.items()) + b"}\n")


def read(path: Path) -> Results:
    """Return the stored results."""
    return msgspec.json.decode(path.read_bytes(), type=Results)


def _member(name: str, value: object) -> bytes:
    key = msgspec.json.encode(name) + b": "
    if isinstance(value, list) and value:
        return key + b"[\n  " + b",\n  ".join(msgspec.json.encode(each) for each in value) + b"\n]"
    return key + msgspec.json.encode(value)


def _moment(sample: Sample, inside: Sequence[Inside], seconds: float, requests: int) -> Moment:
    """A sample with what was in use then, as it was last written down."""
    last = inside[max(0, bisect_right(inside, sample.at, key=lambda each: each.at) - 1)]
    return Moment(
        seconds=round(seconds, 1),
        requests=requests,
        rss=round(sample.rss / _MIB, 2),
        uss=round(sample.uss / _MIB, 2),
        blocks=round(last.blocks / 1000, 1),
        malloc=round(last.malloc / _MIB, 2),
        threads=sample.threads,
        files=sample.files,
    )


def _kind(name: str, rows: Sequence[Row]) -> Kind:
    statuses = Counter(str(row.status) for row in rows)
    return Kind(
        name,
        len(rows),
        dict(sorted(statuses.items())),
        sum(row.delayed for row in rows),
        sum(bool(row.objections) for row in rows),
        _times(rows),
        round(1000 * max((row.took for row in rows), default=0), 1),
    )


def _times(rows: Sequence[Row]) -> list[float]:
    took = [1000 * row.took for row in rows]
    return [round(percentile(took, share), 1) for share in PERCENTILES] if took else []


def _windows(rows: Sequence[Row], begun: float, first: float, last: float) -> list[Window]:
    width = (last - first) / WINDOWS
    parts: list[list[Row]] = [[] for _ in range(WINDOWS)]
    for row in rows:
        parts[min(WINDOWS - 1, int((row.begun - first) / width))].append(row)
    return [
        Window(
            round(first - begun + (at + 0.5) * width, 1),
            round(len(some) / width, 1),
            {name: _times([row for row in some if row.kind in kinds]) for name, kinds in GROUPS.items()},
        )
        for at, some in enumerate(parts)
    ]


def _verdicts(setting: Setting, rows: Sequence[Row], mixed: Sequence[Moment], said: Sequence[str]) -> list[Verdict]:
    wrong = sum(bool(row.objections) for row in rows)
    delayed = sum(row.delayed for row in rows)
    found = [
        Verdict.of("requests that were not sent", max(0, setting.requests - len(rows)), 0, ""),
        Verdict.of("answers that nothing explains", wrong, 0, ""),
        Verdict.of("complaints of the server", len(said), 0, ""),
        Verdict.of(
            "reads that waited for the store in vain, and were told so",
            100 * delayed / len(rows),
            100 * MOST_DELAYED,
            "%",
        ),
    ]
    return found + _of_memory(mixed) if setting.requests >= FEWEST else found


def _of_memory(mixed: Sequence[Moment]) -> list[Verdict]:
    """On what the server's process had during the mix."""
    found: list[Verdict] = []
    resident = median(each.rss for each in mixed)
    for name, told in MEMORY.items():
        points: Points = [(each.requests, getattr(each, name)) for each in mixed]
        if any(amount for _, amount in points):  # not every C library reports it
            found += verdicts(points, told, resident if name == "malloc" else None)
    for name in ("threads", "files"):
        points = [(each.requests, getattr(each, name)) for each in mixed]
        second, last = (max(y for _, y in part(points, at, at + 0.25)) for at in (0.25, 0.75))
        told = "open files" if name == "files" else name
        found.append(
            Verdict.of(f"{told}: most in the last quarter, beyond the second's", last - second, _SLACK[name], "")
        )
    return found


_SLACK: Final = {"threads": 8, "files": 16}
"""Batches have threads of their own, and connections come and go with them and with clients."""

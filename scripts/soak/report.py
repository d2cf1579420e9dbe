"""The report: a page with tables and plots, made of the results alone, so that a test can hold it to them.

>>> from scripts.soak.steadiness import Verdict
>>> print(judged([Verdict.of("errors", 0, 0, ""), Verdict.of("growth", 3.25, 2, "%")]))
| what | measured | at most | met |
|---|---:|---:|---|
| errors | 0 | 0 | yes |
| growth | 3.25 % | 2 % | **no** |
"""

from collections.abc import Iterable
from statistics import median
from typing import Final

from scripts.soak.results import FEWEST, Kind, Results
from scripts.soak.steadiness import BLOCKS, HOUR, MOST_GROWTH, Verdict

RESULTS: Final = "results.json"
PAGE: Final = "report.md"
PLOTS: Final = ("memory.png", "latency.png", "throughput.png", "answers.png")
_CAPTIONS: Final = (
    "Memory of the server's process",
    "How long answers took",
    "Requests in a second",
    "What was answered",
)
_BUSY: Final = 0.1


def page(results: Results) -> str:
    """The whole page."""
    plots = "\n\n".join(f"![{caption}]({name})" for caption, name in zip(_CAPTIONS, PLOTS, strict=True))
    parts = [
        "# An hour's worth of life",
        _above(results),
        "## What was to hold",
        judged(results.verdicts),
        *_complaints(results),
        "## Memory",
        _memory(results),
        "## Answers, by kind",
        _kinds(results.kinds),
        _BELOW.strip(),
        "## Plots",
        plots,
        "## Machine",
        _machine(results),
    ]
    return "\n\n".join(parts) + "\n"


def judged(verdicts: Iterable[Verdict]) -> str:
    """What was to hold, and whether it did."""
    rows = [
        f"| {each.name} | {_shown(each.measured, each.unit)} | {_shown(each.most, each.unit)} | "
        f"{'yes' if each.met else '**no**'} |"
        for each in verdicts
    ]
    return "\n".join(["| what | measured | at most | met |", "|---|---:|---:|---|", *rows])


_BELOW: Final = """
Times are in milliseconds, as a client sees them that shares the machine with the server, its store and the load: they
tell of change during the run, not of how fast coolid is; `make bench` tells that. *Unexplained* is an answer with
another status, place or content than the request calls for. A read that is in the way of a change may be told of what
was or of what will be; once a change is acknowledged, only of that. *Too late* are reads for which the store, moto in
Python, took longer than a reader waits (half a second, twice), and which were told so as they should be: 503,
`Retry-After`, nothing kept.
"""
_MIX: Final = """
Most are redirects, of PIDs in the spellings that people make of them and of CURIEs of others. Beside them: conditional
requests, metadata, pages, parsing, many at once, prefixes, versions; mints (some sent twice), changes, changes that
come too late, withdrawals, batches; and what must be refused. Each client has a key and a repository of its own, and
everybody reads everything. The store is the embedded DynamoDB in another process, for it keeps what is minted.

To run it again: `make soak`. Fewer requests, with another seed, and only printed:
`make soak ARGS='--requests 9000 --seed 2'`. That it finds a leak is shown by one: `make soak ARGS='--leak 400'` has the
server keep an object of 400 bytes of each request, and fails.
"""


def _above(results: Results) -> str:
    setting = results.setting
    seconds = results.windows[-1].seconds - results.warming
    verdict = "Everything held that was to hold." if results.passed else "**Not everything held that was to hold.**"
    told = (
        "Written by `make soak`; the same figures are in [results.json](results.json). "
        f"{setting.requests:,} requests of {setting.clients} clients at once against `coolid serve`, each answer "
        f"judged. Ten a second for an hour are {HOUR:,}; they were sent as fast as they were answered, in "
        f"{seconds:.0f} seconds. {verdict}"
    )
    return f"{told}\n\n{_MIX.strip()}"


def _memory(results: Results) -> str:
    if results.setting.requests < FEWEST:
        return f"Not judged: that takes {FEWEST:,} requests at the least."
    half = [each.rss for each in results.moments if each.requests >= results.setting.requests / 2]
    usual = median(half)
    least = usual * MOST_GROWTH * (1 << 20) / HOUR
    return (
        f"The run begins with {results.warming:.0f} seconds of warming up, which count for nothing. They fill the "
        "caches of the process: every prefix with its pattern, and more records, absent records, past versions and "
        "complete responses than fit. They also start all threads with their AWS clients. From then on, new entries "
        "replace old ones. The second half of the requests is judged, in which the process had "
        f"{usual:.0f} MiB. It is cut into {BLOCKS} blocks. Their medians have a slope by Theil and Sen, with an "
        "interval of 95 %. The upper end of the interval counts, over an hour's worth of requests. The bound is the "
        f"growth of RSS by a leak of {least:.0f} bytes a request."
        "\n\n"
        "RSS is a high-water mark: memory that was freed stays with the process, and a leak would fill that first. "
        "Memory in use is therefore judged in the same way, as a part of RSS. It is measured by Python's blocks and by "
        "the bytes that malloc allocated and did not get back."
    )


def _kinds(kinds: Iterable[Kind]) -> str:
    rows = [
        f"| {kind.name} | {kind.requests:,} | {_statuses(kind)} | {kind.delayed} | {kind.unexplained} | "
        + " | ".join(f"{time:,.1f}" for time in (*kind.times, kind.longest))
        + " |"
        for kind in kinds
    ]
    head = "| kind | requests | statuses | too late | unexplained | 50 % | 95 % | 99 % | longest |"
    return "\n".join([head, "|---|---:|---|---:|---:|---:|---:|---:|---:|", *rows])


def _statuses(kind: Kind) -> str:
    return ", ".join(f"{number:,} × {status}" for status, number in kind.statuses.items())


def _complaints(results: Results) -> list[str]:
    told = [line.replace("`", "'") for line in (*results.complaints, *results.said)]
    return ["The first of what was wrong:", "\n".join(f"- `{line}`" for line in told)] if told else []


def _machine(results: Results) -> str:
    setting = results.setting
    told = (
        f"{setting.machine}; Python {setting.python}, locust {setting.locust}; seed {setting.seed}. Everything else on "
        f"the machine took {max(setting.others, 0):.0%} of its processors meanwhile."
    )
    if setting.others > _BUSY:
        told += (
            " So times are longer than they would be on an idle one; memory and what was answered do not depend on it."
        )
    return told


def _shown(number: float, unit: str) -> str:
    text = f"{number:,.3g}" if not float(number).is_integer() else f"{int(number):,}"
    return f"{text} {unit}".strip()

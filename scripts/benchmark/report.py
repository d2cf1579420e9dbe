"""The report: results as Markdown tables, ratios first, and the page round them.

The tables are made of the results alone, so that a test can tell whether page and results are of the same run.

>>> from scripts.benchmark.results import entries, figure, ratio_at_least
>>> ours, theirs = figure("get: ours", "µs", [2.0]), figure("get: theirs", "µs", [8.0])
>>> print(goals(entries([ours, theirs.beside("get: ours", ratio_at_least(4))])))
| goal | measured | met |
|---|---:|---|
| get: theirs takes at least 4 times as much as ours | 4.0 | yes |
"""

import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from scripts.benchmark.canned import ROOT
from scripts.benchmark.results import Entry

RESULTS: Final = "results.json"
PAGE: Final = "README.md"
BEGIN, END = "<!-- goals -->", "<!-- /goals -->"
"""In another page, what stands round its copy of the goals' table."""
GROUPS: Final[Mapping[str, str]] = {
    "warm": "A hit of memory. Processor time of one request through the whole handler: event dict in, response dict "
    "out, its line for the log included.",
    "hot PID": "Many requests for one record: a redirect measured in one process, and what 10,000 a second take of "
    "Lambda and DynamoDB, computed by `scripts/simulation/hot_pid.py` from that and from AWS's documented limits.",
    "edge": "A redirect of a provider prefix at the edge, and the same redirect by the resolve function. Processor "
    "time of CloudFront's function in Node, whose engine is not CloudFront's; list prices of `scripts/cost`, without "
    "free tiers. *Delivery* is what every response costs: CloudFront's requests and transfer, and WAF.",
    "one read": "A request that asks the store once, which answers out of ready bytes over loopback. Processor time of "
    "the asking process; every request asks for another record.",
    "round trips": "What requests ask of the store, counted there.",
    "cold start": "A process under AWS's own runtime client, on Lambda's Python, with what is deployed: from its "
    "spawning to its first answer, the store being asked over TLS. *Extra* is what it takes beyond a constant; "
    "*processor time* is that of one further invocation, and *memory* the most until the first answer. Each client "
    "reads the certificates that it reads on Lambda: boto3 those of its bundle, coolid's own client Amazon's roots.",
    "fresh process": "A fresh interpreter to the first URL of a CURIE on its standard output.",
    "package": "What is deployed, and what the peers need.",
    "schemes": "Identifiers: drawing them, telling what a text is, judging one whose scheme is known.",
    "proofs": "ES256 signatures of records, with the key at hand.",
    "transparency log": "The tree of a transparency log, its proofs and their verification. The files are in memory, "
    "and the key is at hand.",
    "mint": "A mint through the whole handler, the store taking what is put into it, the key at hand.",
    "embedded": "The whole system over the embedded backend, whose own time is most of it.",
    "moving": "Bulk import and export.",
    "counting": "Identifiers that are counted, not drawn.",
    "growth": "The same work with more and more data. Processor time of the measuring process, the sizes in turns. The "
    "ratio is that of the largest to the smallest.",
}
PEERS: Final = (
    "aws-lambda-powertools",
    "base32-lib",
    "bioregistry",
    "boto3",
    "botocore",
    "cryptography",
    "curies",
    "idutils",
    "jwcrypto",
    "moto",
    "noid-mint",
    "pynamodb",
    "python-stdnum",
)
OURS: Final = ("google-re2", "httptools", "msgspec")
_OF_LAMBDA: Final = re.compile(r"^awslambdaric==(\S+)", re.MULTILINE)
_ABOVE: Final = """# What coolid takes, beside its peers and the floors

Written by `make bench`; the same figures are in [results.json](results.json). Figures with a ratio to each other are
of one run on one machine, in interleaved rounds: medians, with the least and the most. A ratio says how many times as
much something takes as what it is compared with, most often coolid's own; times are only good for comparing with
others of the same table.

Processor time does not count waiting for a socket, and is that of the measured process alone: the store is a stub in
a process of its own, and so is a function under Lambda's runtime client. `make bench ARGS='--only warm reading'`
measures parts, and `make bench ARGS=--quick` everything roughly; both print, and leave this page as it is. With
`--into` and this page's folder, they replace the rows that they measure.
"""
_PARTLY: Final = (
    "This is the last run. If it was one of some parts, other rows are of earlier runs, perhaps on other machines."
)


def page(lines: Sequence[Entry], lacking: Mapping[str, str]) -> str:
    """The whole page; `lacking` says of parts that were not measured what there is not."""
    missing = [f"Not measured: {name}, for there is {what}." for name, what in lacking.items()]
    plots = "![Ratios](ratios.png)\n\n![Cold starts](cold.png)\n\n![Growth](growth.png)"
    return "\n\n".join([_ABOVE.strip(), *missing, tables(lines), "## Plots", plots, surroundings()]) + "\n"


def tables(lines: Sequence[Entry]) -> str:
    """The goals, and a table of each group."""
    groups = dict.fromkeys(line.group for line in lines)
    parts = ["## Goals", goals(lines)] if any(line.goal for line in lines) else []
    for group in groups:
        told = [line for line in lines if line.group == group]
        parts += (
            [f"## {group[0].upper()}{group[1:]}", GROUPS[group], _table(told)] if group in GROUPS else [_table(told)]
        )
    return "\n\n".join(parts)


def goals(lines: Iterable[Entry]) -> str:
    """What was to be reached, and whether it was."""
    rows = [f"| {_goal(line)} | {_judged(line)} | {_met(line)} |" for line in lines if line.goal]
    return "\n".join(["| goal | measured | met |", "|---|---:|---|", *rows])


def with_goals(text: str, lines: Iterable[Entry]) -> str:
    """Another page, the goals' table that it has between `BEGIN` and `END` made anew.

    >>> with_goals("Ours. <!-- goals --> none <!-- /goals --> Done.", []).splitlines()
    ['Ours. <!-- goals -->', '', '| goal | measured | met |', '|---|---:|---|', '', '<!-- /goals --> Done.']
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert end, f"{BEGIN} and {END} are not there"
    return f"{before}{begin}\n\n{goals(lines)}\n\n{end}{after}"


def _table(lines: Iterable[Entry]) -> str:
    rows = [
        f"| {line.what} | {_ratio(line)} | {shown(line.median)} | {_spread(line)} | {line.unit} |" for line in lines
    ]
    return "\n".join(["| what | ratio | median | least to most | unit |", "|---|---|---:|---:|---|", *rows])


def _goal(line: Entry) -> str:
    if line.bound is None:
        return f"{line.name}: {line.goal}"
    which, number = line.bound
    much = "as much" if number == 1 else f"{number:g} times as much"
    other = (line.ratio_to or "").partition(": ")[2]
    return f"{line.name} takes at {which} {much} as {other}"


def _judged(line: Entry) -> str:
    if line.bound:
        return "" if line.ratio is None else shown(line.ratio)
    return f"{shown(line.median)} {line.unit}"


def _met(line: Entry) -> str:
    return "" if line.met is None else "yes" if line.met else "**no**"


def _ratio(line: Entry) -> str:
    if line.ratio is None:
        return ""
    other = (line.ratio_to or "").removeprefix(f"{line.group}: ")
    return f"**{shown(line.ratio)}** × {other}"


def _spread(line: Entry) -> str:
    return shown(line.median) if line.min == line.max else f"{shown(line.min)} to {shown(line.max)}"


def shown(number: float) -> str:
    """As people read it: three figures.

    >>> shown(1234.5), shown(12.345), shown(0.01234), shown(2.0), shown(0.0)
    ('1,230', '12.3', '0.0123', '2.0', '0')
    """
    if number == 0:
        return "0"
    rounded = float(f"{number:.3g}")
    if rounded >= 100:
        return f"{rounded:,.0f}"
    return str(rounded)


def surroundings() -> str:
    """Versions of what was measured, and the machine."""
    client = _OF_LAMBDA.search((ROOT / "requirements-localstack.lock").read_text(encoding="utf-8"))
    assert client is not None
    rows = [f"| {name} | {version(name)} |" for name in (*PEERS, *OURS)]
    rows.append(f"| awslambdaric | {client[1]} |")
    machine = f"{platform.system()} on {_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}"
    lambdas = "cold starts on CPython 3.13, as Lambda has it"
    return "\n".join(
        [
            "## Versions and machine",
            "",
            f"{machine}, {lambdas}. {_PARTLY}",
            "",
            "| package | version |",
            "|---|---|",
            *rows,
        ]
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if sys.platform.startswith("linux") and info.exists():
        named = re.search(r"^model name\s*:\s*(.+)$", info.read_text(encoding="ascii", errors="replace"), re.MULTILINE)
        if named:
            return named[1]
    return platform.machine()

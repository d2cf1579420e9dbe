"""The edge's function in a process of Node, which measures its own processor time.

Node's engine compiles the function; CloudFront's runtime is another one, whose speed AWS does not publish. So the times
say what the function does, not what a request at an edge takes.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from shutil import which
from typing import IO, Any, Final

from msgspec import Struct

from coolid.edge.entries import entries_of
from coolid.edge.state import FORMAT, STATE_KEY, EdgeState
from coolid.local import bioregistry_prefixes
from coolid.model.prefixes import ProviderPrefix
from scripts.benchmark.canned import ROOT
from scripts.benchmark.handlers import HEADERS
from scripts.benchmark.identifiers import BASE_URL
from scripts.benchmark.results import Missing
from tests.infra.edge_function import code

_PROGRAM: Final = ROOT / "scripts" / "benchmark" / "edge_function.js"
_PASSED: Final = ("Accept", "Accept-Language")


class EdgeProcess(Struct, frozen=True):
    """A running function; `locations` are those of its redirects, by path. Other requests it passed on."""

    locations: Mapping[str, str]
    process: "subprocess.Popen[str]"

    def microseconds(self, number: int) -> float:
        """Return the processor time of one of so many requests that it redirects."""
        return float(_asked(self.process, str(number)))


@contextmanager
def running(paths: Sequence[str]) -> Iterator[EdgeProcess]:
    """Run the function with the redirects of the Bioregistry for a browser's requests of these paths."""
    node = which("node")
    if node is None:
        raise Missing("no Node.js")
    now = datetime.now(UTC)
    headers = [header for header in HEADERS if header[0] in _PASSED]
    document = {
        "code": code(),
        "now": int(now.timestamp() * 1000),
        "store": store(now + timedelta(hours=1)),
        "requests": [{"method": "GET", "path": path, "query": None, "headers": headers} for path in paths],
    }
    command = [node, "--no-warnings", "--experimental-vm-modules", str(_PROGRAM)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        answers: list[dict[str, Any]] = json.loads(_asked(process, json.dumps(document)))
        answered = {path: each["headers"] for path, each in zip(paths, answers, strict=True) if "statusCode" in each}
        yield EdgeProcess({path: headers["location"]["value"] for path, headers in answered.items()}, process)
        _pipe(process.stdin).close()


def store(valid_until: datetime) -> dict[str, str]:
    """Return the entries of the Bioregistry's prefixes, and a state that is valid until then."""
    rows = {row.name: row for row in bioregistry_prefixes.prefixes()}
    entries = {STATE_KEY: EdgeState(FORMAT, int(valid_until.timestamp()), "digest", BASE_URL).text()}
    for row in rows.values():
        if isinstance(row, ProviderPrefix):
            entries |= entries_of(row, BASE_URL)
    return entries


def _asked(process: "subprocess.Popen[str]", line: str) -> str:
    _pipe(process.stdin).write(line + "\n")
    _pipe(process.stdin).flush()
    return _pipe(process.stdout).readline()


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe

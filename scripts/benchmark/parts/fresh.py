"""A fresh process to its first URL: what a command or a script waits for that resolves one CURIE.

The whole time of a bare interpreter with the peer's library, until the URL stands on its standard output. Ours is the
resolve function's handler, as it is deployed, on the canned store.
"""

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from scripts.benchmark import canned
from scripts.benchmark.handlers import event, told
from scripts.benchmark.harness import Effort
from scripts.benchmark.identifiers import CURIES
from scripts.benchmark.results import Figure, figure

OURS = "fresh process: coolid, the handler"
CODE = {
    "fresh process: floor, an interpreter": "print('https://content.example.org/')",
    OURS: """
import json, os, sys
os.environ["LOG_REQUESTS"] = "off"
sys.path[:0] = ["functions/resolve"]
import handler
answer = handler.handler(json.loads(sys.argv[2]), None)
print(answer["multiValueHeaders"]["Location"][0])
""",
    "fresh process: bioregistry": "import sys, bioregistry; print(bioregistry.get_iri(sys.argv[1]))",
    "fresh process: curies, with the Bioregistry's prefixes": """
import sys, curies
print(curies.load_prefix_map(sys.argv[3]).expand(sys.argv[1]))
""",
}


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    prefixes = scratch / "prefixes.json"
    _write_prefixes(prefixes)
    curie = CURIES[0]
    arguments = [curie, json.dumps(event(f"/{curie}")), str(prefixes)]
    taken: dict[str, list[float]] = {name: [] for name in CODE}
    with ExitStack() as ends:
        store = ends.enter_context(canned.running(scratch, "prefixes", "luis-1000"))
        ends.enter_context(told(store.environment(tls=True, prefixes="prefixes", luis="luis-1000")))
        for _ in range(effort.rounds(7)):
            for name, code in CODE.items():
                taken[name].append(_seconds(code, arguments))
    figures = [figure(name, "ms", (1000 * each for each in seconds)) for name, seconds in taken.items()]
    return [each if each.name == OURS else each.beside(OURS) for each in figures]


def _seconds(code: str, arguments: list[str]) -> float:
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=canned.ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    assert done.stdout.startswith("http"), done.stdout
    return time.perf_counter() - begun


def _write_prefixes(path: Path) -> None:
    """The Bioregistry in the plainest form that curies reads, which is the quickest, too."""
    import bioregistry

    path.write_text(json.dumps(bioregistry.manager.get_converter().bimap), encoding="utf-8")

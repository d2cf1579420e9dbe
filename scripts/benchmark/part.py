"""One part of a run, as a program: python -m scripts.benchmark.part NAME SCRATCH SHARE OUTCOME

`NAME` is a part's, or `growth/` with one of its subjects. `SCRATCH` is the folder that the parts of a run share,
`SHARE` how much is measured (`harness.Effort`), and `OUTCOME` the file that the figures go to.
"""

import sys
from importlib import import_module
from pathlib import Path

import msgspec
from msgspec import Struct

from scripts.benchmark.handlers import told
from scripts.benchmark.harness import Effort
from scripts.benchmark.results import Figure, Missing


class Outcome(Struct, frozen=True):
    """What a part found; or what it `lacks` to find anything."""

    figures: list[Figure]
    lacks: str = ""


def main() -> None:
    """Measure, with nothing of the developer's own AWS settings."""
    name, scratch, share, outcome = sys.argv[1:]
    with told({}):
        part, _, subject = name.partition("/")
        measure = import_module(f"scripts.benchmark.parts.{part}").figures
        try:
            found = Outcome(measure(*filter(None, [subject]), Path(scratch), Effort(float(share))))
        except Missing as error:
            found = Outcome([], str(error))
    Path(outcome).write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main()

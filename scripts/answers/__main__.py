"""Record answers, or compare two recordings: python -m scripts.answers {record OUT [--root DIR] | compare OLD NEW}

`record` takes a minute or two. `--root` names another checkout, whose code is recorded. `--brief` sends a few hundred
requests only. `compare` exits with 1 if a status, a header or the structure of a body differs; differences of wording
are listed, too, and do not count.
"""

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scripts.answers.comparison import compare
from scripts.answers.stack import ROOT

_SEED: Final = "PYTHONHASHSEED"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m scripts.answers", description="Record and compare answers.")
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="send all requests and write the answers")
    recording.add_argument("out", type=Path, help="a file of compressed JSON Lines, such as before.jsonl.gz")
    recording.add_argument("--root", type=Path, default=ROOT, help="the checkout to record")
    recording.add_argument("--brief", action="store_true", help="a few hundred requests only")
    comparison = commands.add_parser("compare", help="list the differences of two recordings")
    comparison.add_argument("old", type=Path)
    comparison.add_argument("new", type=Path)
    comparison.add_argument("--samples", type=int, default=3, help="samples of each difference")
    options = parser.parse_args(arguments)
    if options.command == "compare":
        report = compare(options.old, options.new, options.samples)
        print(report.text())
        return int(report.differs)
    if os.environ.get(_SEED) != "0":  # sets of texts are then in the same order in every process
        command = [sys.executable, "-m", "scripts.answers", *(arguments if arguments is not None else sys.argv[1:])]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, _SEED: "0"}, check=False).returncode
    return _record(options.out, options.root.resolve(), brief=options.brief)


def _record(path: Path, root: Path, *, brief: bool) -> int:
    from scripts.answers.recorder import record
    from scripts.answers.sections import SECTIONS

    with contextlib.redirect_stdout(sys.stderr):  # what functions log
        recording = record(path, SECTIONS, root=root, brief=brief)
    for group, count in recording.groups.items():
        print(f"{count:6} {group}")
    print(f"{sum(recording.groups.values()):6} requests")
    print(", ".join(f"{status}: {count}" for status, count in sorted(recording.statuses.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())

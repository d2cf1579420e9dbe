"""Several processes on one database: kills lose nothing that was acknowledged, and one of many rivals succeeds."""

import re
import subprocess
import sys
from pathlib import Path

from tests.support.builders.samples import ROOT
from tests.support.effort import size

PROGRAM = [sys.executable, "-m", "tests.sqlite.process_drill"]


def run(*arguments: str) -> str:
    """Run the drill, whose failed assertion is in the error output."""
    done = subprocess.run([*PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_acknowledged_before_a_kill_is_there_and_nothing_is_partial(tmp_path: Path) -> None:
    kills = size(1_000, 6)
    found = dict(re.findall(r"(\w+): (\d+)", run("kill", str(tmp_path), str(kills), "1")))
    assert int(found["kills"]) == kills
    assert int(found["records"]) > kills


def test_of_two_hundred_rivals_in_two_processes_one_creates_the_record(tmp_path: Path) -> None:
    run("rivals", str(tmp_path))


def test_a_process_and_its_child_both_write_after_a_fork(tmp_path: Path) -> None:
    run("fork", str(tmp_path))

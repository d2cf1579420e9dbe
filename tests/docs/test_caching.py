"""`docs/explanation/caching.md` agrees with the code: its figures are the constants, and its text uses no others."""

import re
from importlib import import_module

import pytest

from coolid.resolution.cache import CacheLimit
from tests.support.builders.samples import ROOT

TEXT = (ROOT / "docs/explanation/caching.md").read_text(encoding="utf-8")
FIGURES = re.findall(r"^\| (.+?) \| ([\d,]+) \| `([\w.]+)\.(\w+)` \|$", TEXT, re.MULTILINE)
ROWS = [line for line in TEXT.splitlines() if line.startswith("|")]


@pytest.mark.parametrize(("what", "seconds", "module", "constant"), FIGURES, ids=[each[3] for each in FIGURES])
def test_a_figure_is_the_constant_that_it_names(what: str, seconds: str, module: str, constant: str) -> None:
    assert int(seconds.replace(",", "")) == getattr(import_module(module), constant), what


def test_every_row_of_the_table_is_compared() -> None:
    assert len(FIGURES) == len(ROWS) - 2


def test_the_size_of_all_caches_is_that_of_the_decision() -> None:
    modules = import_module("coolid.resolution.cache"), import_module("coolid.http.response_cache")
    rooms = [each for module in modules for each in vars(module).values() if isinstance(each, CacheLimit)]
    decision = (ROOT / "docs/explanation/decisions/0007-caches-and-time-limits.md").read_text(encoding="utf-8")
    assert f"at most {sum(room.size_bytes for room in rooms) >> 20} MB" in " ".join(decision.split())


def test_the_prose_uses_no_other_figures() -> None:
    prose = "\n".join(line for line in TEXT.splitlines() if line not in ROWS)
    said = re.findall(r"\b(\d[\d,]*) s\b", prose)
    sums = re.findall(r"\b(\d+(?: \+ \d+)+) seconds", prose)
    used = {*said, *(figure for each in sums for figure in each.split(" + "))}
    assert {"10", "60", "5", "300"} <= used <= {seconds for _, seconds, _, _ in FIGURES}

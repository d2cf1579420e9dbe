"""The walk of a request through the modules: found for three requests, counted, folded and held against its limits."""

import doctest
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from typing import Any

import pytest

from tests.support.builders.samples import ROOT

LOADER = SourceFileLoader("walk", str(ROOT / "scripts" / "walk"))
walk: Any = module_from_spec(ModuleSpec("walk", LOADER, origin=LOADER.path))
walk.__file__ = LOADER.path
LOADER.exec_module(walk)


def test_its_examples_are_right() -> None:
    failed, tried = doctest.testmod(walk)
    assert (failed, tried > 0) == (0, True)


def test_every_walk_begins_and_ends_at_the_gateway_and_moves_between_modules() -> None:
    found = {each.name: each for each in walk.measure_walks()}
    assert {name: each.status for name, each in found.items()} == {
        "own identifier": 302,
        "foreign CURIE": 302,
        "mint": 201,
    }
    for each in found.values():
        modules, moves = each.size
        assert each.modules[0] == each.modules[-1]
        assert 5 < modules <= moves == len(each.modules) - 1
        assert all(before != after for before, after in zip(each.modules, each.modules[1:], strict=False))


@pytest.mark.parametrize(("limit", "status"), [((0, 0), 1), ((1_000, 10_000), 0)])
def test_the_exit_status_says_whether_a_limit_is_exceeded(
    limit: tuple[int, int], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(walk, "LIMITS", dict.fromkeys(walk.LIMITS, limit))
    assert walk.main(["--check", "--brief"]) == status
    assert capsys.readouterr().out.count(" modules, ") == 3


def test_what_alternates_is_shown_once() -> None:
    assert list(walk.fold(["a", "b", "a", "b", "c", "d", "c"])) == ["(a b)×2", "c", "d", "c"]
    assert list(walk.fold([])) == []

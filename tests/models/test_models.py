"""The models of the mint and of the PILIN reservation: they hold, detect faults, and quote the present code."""

import inspect
import re
from pkgutil import resolve_name

import pytest

from tests.models.spin_runs import FOLDER, MODELS, QUICK, SEEING, Run, check
from tests.support.fixtures.tools import tool

_QUOTES = re.compile(r'code: ([\w.]+) "((?:[^"\\]|\\.)+)"')
_GUARDS = re.compile(r"^#(?:ifdef|ifndef) (BROKEN_\w+)", re.MULTILINE)


@pytest.fixture
def spin() -> None:
    """spin and gcc, with which the models are checked (scripts/spin)."""
    for name in ("spin", "gcc"):
        tool(name, "check the models")


def quotes() -> list[tuple[str, str, str]]:
    """Where models quote the code: the model, the name of what is quoted, the quotation."""
    return [
        (model, name, text.replace('\\"', '"'))
        for model in MODELS
        for name, text in _QUOTES.findall((FOLDER / f"{model}.pml").read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("run", QUICK, ids=str)
def test_two_writers_with_a_fault_find_nothing_wrong(spin: None, run: Run) -> None:
    assert check(run).wrong is None


@pytest.mark.parametrize("run", [next(each for each in SEEING if each.model == model) for model in MODELS], ids=str)
def test_without_a_guard_what_it_guards_from_is_found(spin: None, run: Run) -> None:
    assert "assertion violated" in str(check(run).wrong)


@pytest.mark.parametrize("model", MODELS)
def test_each_guard_of_a_model_is_taken_away_once(model: str) -> None:
    guards = set(_GUARDS.findall((FOLDER / f"{model}.pml").read_text(encoding="utf-8")))
    assert guards == {run.broken for run in SEEING if run.model == model}


@pytest.mark.parametrize("model", MODELS)
def test_a_model_names_the_code_of_its_steps(model: str) -> None:
    text = (FOLDER / f"{model}.pml").read_text(encoding="utf-8")
    named = [each for each in quotes() if each[0] == model]
    assert len(named) == len(re.findall(r"code: ", text)) > 10


@pytest.mark.parametrize(("model", "name", "text"), quotes())
def test_what_a_model_quotes_is_in_the_code(model: str, name: str, text: str) -> None:
    """Where this fails the code was changed: see what the model says of it, change that too, run `make model`."""
    assert text in inspect.getsource(resolve_name(name))

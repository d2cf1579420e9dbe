"""Tests, modules and files in the documentation exist, and the LinkID tables list every test."""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.builders.samples import ROOT

LINKID = ROOT / "docs" / "reference" / "linkid.md"
LINKID_TESTS = "tests/functions/test_linkid_draft.py"

_TEST = re.compile(r"`(?:(?P<file>tests/[\w./]+\.py)::)?(?P<name>(?:Test\w+::)?test_\w+)`")
_PACKAGES = "|".join(each.stem for each in (ROOT / "layers" / "core" / "coolid").iterdir() if each.stem[0] != "_")
_MODULE = re.compile(rf"`((?:{_PACKAGES})(?:\.[a-z_]+)*)`")
_FILE = re.compile(r"`((?:tests|docs|functions|layers|scripts)/[\w./-]+)`")


def defined_in(file: str) -> set[str]:
    """The tests of a module, those of a class as `Class::name`."""
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    found = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    for each in body:
        if isinstance(each, ast.ClassDef):
            found |= {f"{each.name}::{inner.name}" for inner in each.body if isinstance(inner, ast.FunctionDef)}
    return {name for name in found if name.rpartition("::")[2].startswith("test_")}


def named_tests(document: Path) -> set[tuple[str, str]]:
    """The tests that a document names, by file and name."""
    text = document.read_text(encoding="utf-8")
    return {(match["file"] or LINKID_TESTS, match["name"]) for match in _TEST.finditer(text)}


def test_every_test_that_the_linkid_table_names_exists() -> None:
    named = named_tests(LINKID)
    assert named
    assert {name for file, name in named if name not in defined_in(file)} == set()


def test_every_test_of_the_linkid_draft_is_in_the_table() -> None:
    assert defined_in(LINKID_TESTS) <= {name for file, name in named_tests(LINKID) if file == LINKID_TESTS}


def test_every_module_that_the_linkid_table_names_exists() -> None:
    modules = set(_MODULE.findall(LINKID.read_text(encoding="utf-8")))
    assert modules
    assert {module for module in modules if find_spec(f"coolid.{module}") is None} == set()


@pytest.mark.parametrize(
    "document", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_every_file_that_a_document_names_exists(document: Path) -> None:
    named = set(_FILE.findall(document.read_text(encoding="utf-8")))
    assert {name for name in named if not (ROOT / name).exists()} == set()

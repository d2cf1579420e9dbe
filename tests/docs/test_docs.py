"""Tests, modules, settings and files that the documentation names exist, and the LinkID tables list every test."""

import ast
import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.builders.samples import ROOT

LINKID = ROOT / "docs" / "reference" / "linkid.md"
LINKID_TESTS = "tests/functions/test_linkid_draft.py"

_TEST = re.compile(r"`(?:(?P<file>tests/[\w./]+\.py)::)?(?P<name>(?:Test\w+::)?test_\w+)`")
_PACKAGES = "|".join(each.stem for each in (ROOT / "layers" / "core" / "coolid").iterdir() if each.stem[0] != "_")
_MODULE = re.compile(rf"`((?:{_PACKAGES})(?:\.[a-z_]+)*)`")
_FILE = re.compile(r"`((?:tests|docs|functions|infra|layers|scripts)/[\w./-]+)`")
_DOTTED = re.compile(r"`(coolid(?!\.(?:db|example|service|timer)\b)(?:\.[A-Za-z_]+)+)`")
_SETTING = re.compile(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`")
_ELSEWHERE = {"SO_REUSEPORT", "UPDATE_ROLLBACK_FAILED"}
"""Names of Linux and of CloudFormation."""
DOCUMENTS = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"})


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


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
class TestNames:
    def test_every_file_exists(self, document: Path) -> None:
        named = set(_FILE.findall(document.read_text(encoding="utf-8")))
        assert {name for name in named if not (ROOT / name).exists()} == set()

    def test_every_module_and_member_exists(self, document: Path) -> None:
        named = set(_DOTTED.findall(document.read_text(encoding="utf-8")))
        assert {name for name in named if not exists(name)} == set()

    def test_every_setting_is_read_somewhere(self, document: Path) -> None:
        named = set(_SETTING.findall(document.read_text(encoding="utf-8")))
        assert named - settings() - _ELSEWHERE == set()


def exists(dotted: str) -> bool:
    """Return whether a dotted name is that of a module, or of a member of one."""
    module, *members = dotted.split(".")
    value: Any = import_module(module)
    for member in members:
        if hasattr(value, "__path__") and find_spec(f"{module}.{member}"):
            module += f".{member}"
            value = import_module(module)
        elif (value := getattr(value, member, None)) is None:
            return False
    return True


@cache
def settings() -> set[str]:
    """Return every word in capitals of the programs and of the files that run them."""
    programs = [path for folder in ("layers/core/coolid", "scripts", "tests") for path in (ROOT / folder).rglob("*.py")]
    others = [ROOT / "Makefile", ROOT / "template.yaml", *(ROOT / "scripts").glob("[a-z]*[a-z]")]
    texts = [path.read_text(encoding="utf-8") for path in (*programs, *others) if path.is_file()]
    return {word for text in texts for word in re.findall(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", text)}


def test_the_changelog_has_the_sections_of_keep_a_changelog_and_names_files_that_exist() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, *released = text.split("\n## ")[1:]
    assert unreleased.startswith("Unreleased\n")
    for release in (unreleased, *released):
        sections = re.findall(r"^### (.+)$", release, re.MULTILINE)
        assert len(sections) == len(set(sections))
        assert set(sections) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert {name for name in _FILE.findall(unreleased) if not (ROOT / name).exists()} == set()

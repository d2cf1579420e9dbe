"""The pages about LinkID: every test and module that they name exists, and every statement of revision 01 is listed."""

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.builders.samples import ROOT

REVISION_00 = ROOT / "docs" / "reference" / "linkid.md"
REVISION_01 = ROOT / "docs" / "linkid.md"
PAGES = {"revision 00": REVISION_00, "revision 01": REVISION_01}
DRAFT_TESTS = "tests/functions/test_linkid_draft.py"
"""The tests that the page about revision 00 names without a file."""

STATEMENTS = {
    "3": ("MUST", "MUST", "MUST NOT"),
    "3.1": ("MUST NOT",),
    "4": ("MUST NOT", "MAY", "MUST NOT"),
    "5": ("MUST NOT",),
    "5.1": ("MAY", "MUST", "MUST NOT"),
    "5.2": ("MUST", "MUST NOT", "MUST", "MUST", "MUST NOT"),
    "5.3": ("REQUIRED", "REQUIRED", "SHOULD", "REQUIRED", "MUST NOT", "MAY", "MUST NOT", "MUST NOT", "MUST"),
    "6": ("SHOULD", "MUST NOT", "MUST NOT"),
    "7": ("MUST", "MUST NOT", "MUST NOT", "MUST NOT", "MUST NOT"),
    "9.1": ("MUST NOT",),
    "9.2": ("MUST NOT", "SHOULD NOT", "MUST", "MUST NOT", "SHOULD"),
    "11": ("MAY", "MUST NOT", "MUST", "MUST", "MUST NOT"),
    "12": ("MUST", "SHOULD", "MUST", "SHOULD", "MUST", "MUST", "SHOULD"),
    "13": ("SHOULD", "SHOULD", "SHOULD NOT", "SHOULD NOT"),
}
"""The key words (RFC 2119, RFC 8174) of draft-linkgenetic-linkid-uri-01 by section, in their order there."""
ROLES = {"all", "client", "consumer", "operator", "producer", "resolver"}
REASONS = ("Not tested:", "Not met:", "In part:")
"""The beginnings of a cell that names no test."""

_TEST = re.compile(r"`(?:(?P<file>tests/[\w./]+\.py)::)?(?P<name>(?:Test\w+::)?test_\w+)`")
_PACKAGES = "|".join(each.stem for each in (ROOT / "layers" / "core" / "coolid").iterdir() if each.stem[0] != "_")
_MODULE = re.compile(rf"`((?:{_PACKAGES})(?:\.[a-z_0-9]+)*)`")
_ROW = re.compile(
    r"^\| (?P<section>[\d.]+)-(?P<number>\d+) (?P<word>[A-Z ]+), (?P<role>[a-z]+) \|(?P<cells>.*)\|$", re.M
)


def defined_in(file: str) -> set[str]:
    """The tests of a module, those of a class as `Class::name`."""
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    found = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    for each in body:
        if isinstance(each, ast.ClassDef):
            found |= {f"{each.name}::{inner.name}" for inner in each.body if isinstance(inner, ast.FunctionDef)}
    return {name for name in found if name.rpartition("::")[2].startswith("test_")}


def named_tests(page: Path) -> set[tuple[str, str]]:
    """The tests that a page names, by file and name."""
    text = page.read_text(encoding="utf-8")
    return {(match["file"] or DRAFT_TESTS, match["name"]) for match in _TEST.finditer(text)}


def rows() -> Iterator[re.Match[str]]:
    """The rows about the statements of revision 01."""
    return _ROW.finditer(REVISION_01.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
class TestNames:
    def test_every_test_exists(self, page: Path) -> None:
        named = named_tests(page)
        assert named
        assert {name for file, name in named if name not in defined_in(file)} == set()

    def test_every_module_exists(self, page: Path) -> None:
        modules = set(_MODULE.findall(page.read_text(encoding="utf-8")))
        assert modules
        assert {module for module in modules if find_spec(f"coolid.{module}") is None} == set()


def test_every_test_of_revision_00_is_in_its_table() -> None:
    assert defined_in(DRAFT_TESTS) <= {name for file, name in named_tests(REVISION_00) if file == DRAFT_TESTS}


class TestStatements:
    def test_each_key_word_of_revision_01_has_a_row(self) -> None:
        found = [(row["section"], int(row["number"]), row["word"]) for row in rows()]
        assert found == [
            (section, number, word) for section, words in STATEMENTS.items() for number, word in enumerate(words, 1)
        ]

    def test_each_row_has_a_role_a_place_and_a_test_or_a_reason(self) -> None:
        for row in rows():
            assert row["role"] in ROLES, row[0]
            statement, place, shown = (cell.strip() for cell in row["cells"].split(" | "))
            assert statement, row[0]
            assert place, row[0]
            assert _TEST.search(shown) or shown.startswith(REASONS), row[0]

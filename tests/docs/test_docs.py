"""Modules, settings and files that the documentation names exist."""

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.builders.samples import ROOT

_FILE = re.compile(r"`((?:tests|docs|functions|infra|layers|scripts)/[\w./-]+)`")
_DOTTED = re.compile(r"`(coolid(?!\.(?:db|example|service|timer)\b)(?:\.[A-Za-z_]+)+)`")
_SETTING = re.compile(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`")
_ELSEWHERE = {"SO_REUSEPORT", "UPDATE_ROLLBACK_FAILED"}
"""Names of Linux and of CloudFormation."""
DOCUMENTS = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "CHANGELOG.md"})


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

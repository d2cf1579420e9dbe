"""Every module of the package is in exactly the layers whose functions import it.

What a function imports is read from the sources, also imports inside of functions. The functions of public reads share
the core layer; the layer of citations has what only the cite function imports.
"""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from coolid.identifiers.rules.catalog import SCHEMES, rules_class
from tests.packaging.layer_builds import CAN_RUN, FUNCTIONS, ROOT, Built

SOURCES = ROOT / "layers" / "core"
LOCAL = {"coolid.wiring.database_access", "coolid.wiring.write_check"}
"""What functions name but never import, because no settings of theirs have a database."""
CITATION = {"coolid.citation_styles.locales", "coolid.citation_styles.processor"}
"""What the resolve function names, too, but never imports: it redirects to the cite function."""
BY_NAME = {"coolid.identifiers.rules.catalog": {rules_class(scheme).__module__ for scheme in SCHEMES}}
"""Imports by computed names."""
LAYERS = {
    "Core": {"Resolve"},
    "Citation": {"Cite"},
    "CoreWriting": {"Mint", "Manage", "Index", "Sequence", "Probe", "Purge", "Redirects"},
}
"""The layers of the package, and the functions that need what the layers before leave out."""


def named(node: ast.AST) -> Iterator[str]:
    """Yield the names that import statements have, of modules and of what is in them, but for type checkers."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    for child in ast.iter_child_nodes(node):
        yield from named(child)


@cache
def imports(file: Path) -> frozenset[str]:
    """Return the modules of the package that a module imports, with the packages that they are in."""
    name = ".".join(file.relative_to(SOURCES).with_suffix("").parts) if file.is_relative_to(SOURCES) else ""
    names = {*named(ast.parse(file.read_text(encoding="utf-8"))), *BY_NAME.get(name, ())}
    parts = [each.split(".") for each in names if each.split(".")[0] == "coolid"]
    return frozenset(".".join(each[: at + 1]) for each in parts for at in range(len(each))) - LOCAL


def source(name: str) -> Path | None:
    """Return the file of a module or package, None for a name in a module."""
    path = SOURCES.joinpath(*name.split("."))
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def imported(function: str) -> set[Path]:
    """Return the modules of the package that a function imports, at once or later."""
    found: set[Path] = set()
    avoided = set() if function == "Cite" else CITATION
    pending = [ROOT / "functions" / function.lower() / "handler.py"]
    while pending:
        for file in filter(None, map(source, imports(pending.pop()) - avoided)):
            if file not in found:
                found.add(file)
                pending.append(file)
    return found


def needed() -> dict[str, set[str]]:
    """Return the modules that belong into each layer, as paths below the package's parent."""
    found: dict[str, set[str]] = {}
    for layer, functions in LAYERS.items():
        files = {str(file.relative_to(SOURCES)) for each in functions for file in imported(each)}
        found[layer] = files.difference(*found.values())
    return found


def listed(name: str) -> set[str]:
    """Return the modules that a list of the Makefile has."""
    command = ["make", "-s", "-C", str(SOURCES), f"list-{name}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    paths = [SOURCES / "coolid" / each for each in done.stdout.split()]
    assert [path for path in paths if not path.exists()] == []
    files = (file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path]))
    return {str(file.relative_to(SOURCES)) for file in files}


def test_the_layers_are_for_all_functions() -> None:
    assert sorted(function for functions in LAYERS.values() for function in functions) == sorted(FUNCTIONS)


def test_the_makefile_lists_each_module_as_the_imports_of_the_functions_demand() -> None:
    """A module in no layer belongs to ELSEWHERE, as do the citation layer's."""
    modules = {str(file.relative_to(SOURCES)) for file in (SOURCES / "coolid").rglob("*.py")}
    right = needed()
    elsewhere = modules - right["Core"] - right["CoreWriting"]
    assert sorted(right["CoreWriting"] ^ listed("WRITING")) == [], "change WRITING in layers/core/Makefile"
    assert sorted(elsewhere ^ listed("ELSEWHERE")) == [], "change ELSEWHERE in layers/core/Makefile"


@pytest.mark.skipif(not CAN_RUN, reason="the layers hold binaries for Linux with glibc on x86_64 and arm64")
def test_each_module_is_in_exactly_the_layers_whose_functions_import_it(built: Built) -> None:
    for layer, modules in needed().items():
        below = built.layers[layer] / "python"
        assert sorted(modules ^ {str(file.relative_to(below)) for file in below.glob("coolid/**/*.py")}) == []

"""The libraries that `pyproject.toml` declares are those that the package imports, in the right extra."""

import ast
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import distribution
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from coolid.cli.missing_extras import EXTRAS
from tests.support.builders.samples import ROOT

CORE: Final = ROOT / "layers" / "core" / "coolid"
WITH_OTHERS: Final = {"botocore": "boto3", "httpcore": "httpx", "markupsafe": "jinja2", "urllib3": "boto3"}
"""Libraries that another one brings, and whose interface is part of its interface."""
_CODE: Final = {".py", ".so", ".pyd"}


@cache
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        content: dict[str, Any] = tomllib.load(file)
    return content


def libraries(requirements: Iterable[str]) -> set[str]:
    """Return the names of distributions, normalized, without coolid itself."""
    return {str(canonicalize_name(Requirement(each).name)) for each in requirements} - {"coolid"}


@cache
def modules_of(name: str) -> frozenset[str]:
    """Return the names of the modules and packages of an installed distribution."""
    first = {file.parts[0].partition(".")[0] for file in distribution(name).files or () if file.suffix in _CODE}
    return frozenset(filter(str.isidentifier, first))


def imported() -> set[str]:
    """Return the libraries that modules of the package import."""
    names = set()
    for file in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"coolid"}


def test_every_library_that_the_package_imports_is_declared_and_every_declared_one_is_imported() -> None:
    declared = libraries([*project()["project"]["dependencies"]])
    for extra in EXTRAS:
        declared |= libraries(project()["project"]["optional-dependencies"][extra])
    used = {WITH_OTHERS.get(name, name) for name in imported()}
    assert {name for name in used if not any(name in modules_of(each) for each in declared)} == set()
    unused = {name for name in declared if not modules_of(name) & used}
    assert unused == {"uvloop"}  # uvicorn imports it


def test_a_missing_library_names_the_extra_that_brings_it() -> None:
    for extra, modules in EXTRAS.items():
        listed = libraries(project()["project"]["optional-dependencies"][extra])
        brought = {WITH_OTHERS.get(module, module) for module in modules}
        assert {name for name in listed if not modules_of(name) & brought} == set()
        assert {name for name in brought if not any(name in modules_of(each) for each in listed)} == set()


def test_the_layers_list_only_libraries_whose_bounds_are_declared() -> None:
    groups = {name: group for name, group in project()["dependency-groups"].items() if name.startswith("layer-")}
    listed = [each for group in groups.values() for each in group]
    declared = [*project()["project"]["dependencies"]]
    for extra in (*EXTRAS, "dev"):  # boto3 imports awscrt by itself, so only the tests and a layer have it
        declared += project()["project"]["optional-dependencies"][extra]
    assert libraries(listed) <= libraries(declared)
    assert not [each for each in listed if str(Requirement(each).specifier)]

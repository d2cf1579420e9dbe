"""The shape of the code: small functions and folders, one meaning a name, and a glossary that matches the package."""

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.support.builders.samples import ROOT

CORE: Final = ROOT / "layers" / "core" / "coolid"
GLOSSARY: Final = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
EXCEPTIONS: Final = frozenset(re.findall(r"`([\w.]+)`", GLOSSARY.partition("## Exceptions")[2]))
"""Names of modules and classes that the glossary exempts from the rules below."""

MAX_FUNCTION_LINES: Final = 40
MAX_FOLDER_MODULES: Final = 25

_FOLDERS: Final = ("functions", "infra", "layers/core/coolid", "scripts", "tests")
_WITH_BODY: Final = (ast.stmt, ast.excepthandler, ast.match_case)
"""The nodes that may contain a statement."""
_GERUND_OR_PARTICIPLE: Final = re.compile(r"[a-z]*[aeiouy][a-z]*ing|[a-z]+[^e]ed")
_IRREGULAR: Final = {"chosen", "drawn", "found", "given", "gone", "held", "kept", "known", "made", "seen", "told"}


def programs() -> list[Path]:
    """Return the Python programs in `scripts` without a suffix."""
    files = [file for file in (ROOT / "scripts").iterdir() if file.is_file() and not file.suffix]
    return [file for file in files if file.read_bytes().partition(b"\n")[0].endswith(b"python3")]


def sources() -> Iterator[Path]:
    for folder in _FOLDERS:
        yield from (ROOT / folder).rglob("*.py")
    yield from (ROOT / "layers").glob("*.py")
    yield from programs()


@cache
def outline(file: Path) -> tuple[Sequence[str], Sequence[str]]:
    """Return the long functions of a file, each with its line and length, and the names of its classes."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    long = [
        f"{each.lineno} {each.name}: {lines(each)}" for each in functions(module) if lines(each) > MAX_FUNCTION_LINES
    ]
    return long, [node.name for node in module.body if isinstance(node, ast.ClassDef)]


def functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions of a module. Expressions are not searched, because they contain none."""
    pending: list[ast.AST] = [module]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        pending += (child for child in ast.iter_child_nodes(node) if isinstance(child, _WITH_BODY))


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of lines from `def` to the end, signature and docstring included."""
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def dotted(file: Path) -> str:
    """Return the name of a module or package below `coolid`."""
    return ".".join(file.relative_to(CORE).with_suffix("").parts)


def is_gerund_or_participle(name: str) -> bool:
    """Return whether the last word of a module's name, which says what it is, is one.

    >>> [name for name in ("signing", "retry_storing", "shared", "chosen", "feed", "strings") if is_gerund_or_participle(name)]
    ['signing', 'retry_storing', 'shared', 'chosen']
    """  # noqa: E501 - an example cannot be broken
    head = name.rpartition("_")[2]
    return _GERUND_OR_PARTICIPLE.fullmatch(head) is not None or head in _IRREGULAR


def glossary_modules() -> Iterator[str]:
    """Yield the modules in the last column of the glossary's tables, those written `.name` beside the one before."""
    for row in re.findall(r"^\|.*\| ([^|]*`[^|]*) \|$", GLOSSARY, re.MULTILINE):
        names = re.findall(r"`([\w.]+)`", row)
        yield from (names[0].rpartition(".")[0] + name if name.startswith(".") else name for name in names)


def test_no_function_is_longer_than_a_screen() -> None:
    assert [f"{file.relative_to(ROOT)}:{each}" for file in sources() for each in outline(file)[0]] == []


def test_no_folder_of_the_core_has_too_many_modules() -> None:
    modules = Counter(file.parent for file in CORE.rglob("*.py") if file.stem != "__init__")
    assert {dotted(folder): number for folder, number in modules.items() if number > MAX_FOLDER_MODULES} == {}


def test_no_two_public_classes_of_the_core_have_one_name() -> None:
    places = defaultdict(list)
    for file in CORE.rglob("*.py"):
        for name in outline(file)[1]:
            if not name.startswith("_"):
                places[name].append(dotted(file))
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in EXCEPTIONS} == {}


def test_modules_and_packages_of_the_core_have_the_names_of_things() -> None:
    names = {dotted(file) for file in CORE.rglob("*.py") if file.stem != "__init__"}
    names |= {dotted(file.parent) for file in CORE.rglob("__init__.py") if file.parent != CORE}
    named = {name for name in names if is_gerund_or_participle(name.rpartition(".")[2])}
    assert {name for name in named if not {name, name.rpartition(".")[2]} & EXCEPTIONS} == set()


def test_every_module_that_the_glossary_names_exists() -> None:
    present = {dotted(file) for file in CORE.rglob("*") if file.is_dir() or file.suffix == ".py"}
    modules = set(glossary_modules())
    assert modules
    assert modules - present == set()
    basenames = {name.rpartition(".")[2] for name in present}
    assert {name for name in EXCEPTIONS if name.islower()} - present - basenames == set()


def test_every_program_is_checked_for_types() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        checked = tomllib.load(file)["tool"]["mypy"]["files"]
    assert {str(each.relative_to(ROOT)) for each in programs()} <= set(checked)

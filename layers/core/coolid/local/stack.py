"""The tables, keys and routes of the stack, read from `template.yaml`."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from coolid.errors import UsageError

_FUNCTION: Final = "AWS::Serverless::Function"
_TABLE: Final = "AWS::DynamoDB::Table"
_KEY: Final = "AWS::KMS::Key"
_TABLE_MEMBERS: Final = ("AttributeDefinitions", "KeySchema", "BillingMode", "GlobalSecondaryIndexes")
_KEY_MEMBERS: Final = ("KeySpec", "KeyUsage", "Description")

if TYPE_CHECKING:
    SafeLoader = yaml.SafeLoader
else:  # The loader of libyaml is several times as fast, but PyYAML may be built without it.
    SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NoTemplate(UsageError):
    """There is no `template.yaml` in the expected folders."""


@dataclass(frozen=True, slots=True)
class StackRoute:
    """A path of the API with its parameters in braces, its method (or `ANY`), and the name of the function."""

    path: str
    method: str
    function: str

    def matches(self, method: str, path: str) -> bool:
        """Return whether API Gateway would send such a request to this route.

        >>> StackRoute("/api/{proxy+}", "ANY", "x").matches("GET", "/api/a/b")
        True
        """
        return self.method in ("ANY", method) and _pattern(self.path).fullmatch(path) is not None

    def specificity(self) -> tuple[Any, ...]:
        """Return a sort key for API Gateway's preference: literal parts before parameters, greedy ones last."""
        parts = [2 if part.endswith("+}") else 1 if part.startswith("{") else 0 for part in self.path.split("/")]
        return (*parts, 3), self.method == "ANY"


@dataclass(frozen=True, slots=True)
class Stack:
    """The `routes`, and by logical name the arguments that create `tables` and `keys`."""

    tables: dict[str, dict[str, Any]]
    keys: dict[str, dict[str, Any]]
    routes: tuple[StackRoute, ...]

    def function_for(self, method: str, path: str) -> str:
        """Return the logical name of the function to which API Gateway sends a request."""
        return next(route.function for route in self.routes if route.matches(method, path))


def find_template() -> Path:
    """Return the path of `template.yaml` in the current folder, or beside the sources of this module."""
    for folder in (Path.cwd(), *Path(__file__).resolve().parents):
        candidate = folder / "template.yaml"
        if candidate.is_file() and (folder / "functions").is_dir():
            return candidate
    raise NoTemplate("coolid serve runs from a clone of the project: no template.yaml was found")


def load(template: Path) -> Stack:
    """Read the stack of a template."""
    resources = yaml.load(template.read_text(encoding="utf-8"), _Loader)["Resources"]  # noqa: S506 - a SafeLoader
    routes = [
        StackRoute(event["Properties"]["Path"], event["Properties"]["Method"].upper(), name)
        for name, resource in resources.items()
        if resource["Type"] == _FUNCTION
        for event in resource["Properties"]["Events"].values()
        if event["Type"] == "Api"
    ]
    return Stack(
        tables={name: _members(each, _TABLE_MEMBERS) for name, each in resources.items() if each["Type"] == _TABLE},
        keys={name: _members(each, _KEY_MEMBERS) for name, each in resources.items() if each["Type"] == _KEY},
        routes=tuple(sorted(routes, key=StackRoute.specificity)),
    )


@cache
def _pattern(path: str) -> re.Pattern[str]:
    """Return a pattern of the paths that match a path with parameters."""
    parts = (
        ".+" if part.endswith("+}") else "[^/]+" if part.startswith("{") else re.escape(part)
        for part in path.split("/")
    )
    return re.compile("/".join(parts), re.DOTALL)


def _members(resource: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: resource["Properties"][name] for name in names if name in resource["Properties"]}


class _Loader(SafeLoader):
    """Replaces CloudFormation's short forms (`!Ref`, `!Sub`) by their arguments."""


def _short_form(loader: _Loader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    assert isinstance(node, yaml.MappingNode)
    return loader.construct_mapping(node, deep=True)


_Loader.add_multi_constructor("!", _short_form)

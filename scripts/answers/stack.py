"""The stack as `template.yaml` describes it: tables, the variables that name them, and the routes of the API."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
PUBLIC: Final = "resolve"
_TABLE: Final = "AWS::DynamoDB::Table"
_FUNCTION: Final = "AWS::Serverless::Function"
_TABLE_MEMBERS: Final = ("AttributeDefinitions", "BillingMode", "GlobalSecondaryIndexes", "KeySchema")


@dataclass(frozen=True)
class Route:
    """A path of the API, its method (or `ANY`) and the folder of the function that serves it."""

    path: str
    method: str
    function: str

    def matches(self, method: str, path: str) -> bool:
        """Return whether the route serves a request.

        >>> Route("/api/{proxy+}", "ANY", "manage").matches("GET", "/api/a/b")
        True
        """
        return self.method in ("ANY", method) and _pattern(self.path).fullmatch(path) is not None

    def rank(self) -> tuple[Any, ...]:
        """Return the sort key for API Gateway's preference: literal segments, then parameters, then greedy ones."""
        kinds = [2 if part.endswith("+}") else 1 if part.startswith("{") else 0 for part in self.path.split("/")]
        return (*kinds, 3), self.method == "ANY"


@dataclass(frozen=True)
class Stack:
    """The stack of the checkout at `root`.

    `tables` are the arguments that create each table, by logical name; `variables` map names to tables; `seconds` are
    the timeouts of functions by their folders.
    """

    root: Path
    tables: dict[str, dict[str, Any]]
    variables: dict[str, str]
    routes: tuple[Route, ...]
    seconds: dict[str, int]

    def function_for(self, method: str, path: str) -> str:
        """Return the folder of the function that serves a request; a path that no route has goes to the public one."""
        return next((route.function for route in self.routes if route.matches(method, path)), PUBLIC)


def read_stack(root: Path = ROOT) -> Stack:
    """Read the template of a checkout.

    >>> stack = read_stack()
    >>> stack.variables["LUI_TABLE"], stack.function_for("POST", "/api/v1/records")
    ('LuiTable', 'mint')
    """
    document = yaml.load((root / "template.yaml").read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a subclass of SafeLoader
    resources = document["Resources"]
    tables = {name: each["Properties"] for name, each in resources.items() if each["Type"] == _TABLE}
    functions = {name: each["Properties"] for name, each in resources.items() if each["Type"] == _FUNCTION}
    settings = [document["Globals"]["Function"], *functions.values()]
    variables = {
        variable: value
        for each in settings
        for variable, chosen in each.get("Environment", {}).get("Variables", {}).items()
        for value in _alternatives(chosen)
        if value in tables
    }
    return Stack(
        root=root,
        tables={
            name: {member: properties[member] for member in _TABLE_MEMBERS if member in properties}
            for name, properties in tables.items()
        },
        variables=variables,
        routes=tuple(sorted(_routes(functions), key=Route.rank)),
        seconds={_folder(name): properties["Timeout"] for name, properties in functions.items()},
    )


def _routes(functions: dict[str, dict[str, Any]]) -> Iterator[Route]:
    for name, properties in functions.items():
        for event in properties["Events"].values():
            if event["Type"] == "Api":
                route = event["Properties"]
                yield Route(route["Path"], route["Method"].upper(), _folder(name))


def _alternatives(value: Any) -> Iterator[str]:
    """Yield the texts in a value, of which `!If` chooses one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _alternatives(each)


def _folder(name: str) -> str:
    """Return the folder of a function's code, by the name of its resource."""
    return name.removesuffix("Function").lower()


@cache
def _pattern(path: str) -> re.Pattern[str]:
    parts = (
        ".+" if part.endswith("+}") else "[^/]+" if part.startswith("{") else re.escape(part)
        for part in path.split("/")
    )
    return re.compile("/".join(parts), re.DOTALL)


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short forms (`!Ref`, `!Sub`) as the values after them."""


def _short_form(loader: _Loader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    assert isinstance(node, yaml.MappingNode)
    return loader.construct_mapping(node, deep=True)


_Loader.add_multi_constructor("!", _short_form)

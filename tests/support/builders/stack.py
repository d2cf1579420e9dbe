"""The tables, keys and routes of the stack, as API Gateway and the tests see them."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import boto3

from coolid.local.stack import load_resources, load_tables, members

_FUNCTION: Final = "AWS::Serverless::Function"
_KEY: Final = "AWS::KMS::Key"
_KEY_MEMBERS: Final = ("KeySpec", "KeyUsage", "Description")
_UNKNOWN_TO_MOTO: Final = "ECC_NIST_EDWARDS25519"
"""A specification of keys that the embedded KMS lacks. LocalStack has it (`infra/localstack`)."""


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


def load(template: Path) -> Stack:
    """Read the stack of a template."""
    resources = load_resources(template)
    routes = [
        StackRoute(event["Properties"]["Path"], event["Properties"]["Method"].upper(), name)
        for name, resource in resources.items()
        if resource["Type"] == _FUNCTION
        for event in resource["Properties"]["Events"].values()
        if event["Type"] == "Api"
    ]
    return Stack(
        tables=load_tables(template),
        keys={name: members(each, _KEY_MEMBERS) for name, each in resources.items() if each["Type"] == _KEY},
        routes=tuple(sorted(routes, key=StackRoute.specificity)),
    )


def create_keys(stack: Stack) -> dict[str, str]:
    """Create the keys of the stack that the embedded KMS can have. Return their ids by logical name."""
    client = boto3.client("kms")
    possible = {name: members for name, members in stack.keys.items() if members["KeySpec"] != _UNKNOWN_TO_MOTO}
    return {name: client.create_key(**members)["KeyMetadata"]["KeyId"] for name, members in possible.items()}


@cache
def _pattern(path: str) -> re.Pattern[str]:
    """Return a pattern of the paths that match a path with parameters."""
    parts = (
        ".+" if part.endswith("+}") else "[^/]+" if part.startswith("{") else re.escape(part)
        for part in path.split("/")
    )
    return re.compile("/".join(parts), re.DOTALL)

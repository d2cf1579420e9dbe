"""Reads the SAM template: `!Ref X` becomes {"Ref": "X"}, `!Sub X` {"Fn::Sub": "X"} and so on.

`deployed` returns the resources for given parameters; `resolved` evaluates the functions in conditions and DNS records.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from coolid.local.stack import SafeLoader

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
NO_VALUE = {"Ref": "AWS::NoValue"}


class _Loader(SafeLoader):
    pass


def _intrinsic(loader: Any, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _intrinsic)


def load(path: Path = TEMPLATE) -> dict[str, Any]:
    """The template's content, intrinsic functions in their long form."""
    with path.open(encoding="utf-8") as stream:
        template: dict[str, Any] = yaml.load(stream, _Loader)  # noqa: S506 (the loader is a SafeLoader)
    return template


def given(template: dict[str, Any], **parameters: str) -> dict[str, str]:
    """The value of every parameter that has one: what is given, or else its default; and the region."""
    defaults = {name: each["Default"] for name, each in template["Parameters"].items() if "Default" in each}
    return {"AWS::Region": "eu-west-1", **defaults, **parameters}


def deployed(template: dict[str, Any], **parameters: str) -> dict[str, Any]:
    """The resources that there are with those parameters, decided where the template leaves a choice to conditions."""
    values = given(template, **parameters)
    conditions = template.get("Conditions", {})
    return {
        name: _decided(resource, conditions, values)
        for name, resource in template["Resources"].items()
        if "Condition" not in resource or _holds(resource["Condition"], conditions, values)
    }


def _decided(value: Any, conditions: Mapping[str, Any], parameters: Mapping[str, str]) -> Any:
    match value:
        case {"Fn::If": [condition, yes, no]}:
            return _decided(yes if _holds(condition, conditions, parameters) else no, conditions, parameters)
        case dict():
            decided = {name: _decided(each, conditions, parameters) for name, each in value.items()}
            return {name: each for name, each in decided.items() if each != NO_VALUE}
        case list():
            return [each for each in (_decided(one, conditions, parameters) for one in value) if each != NO_VALUE]
        case _:
            return value


def _holds(condition: str, conditions: Mapping[str, Any], parameters: Mapping[str, str]) -> bool:
    return bool(resolved(_spelled_out(conditions[condition], conditions), parameters))


def _spelled_out(value: Any, conditions: Mapping[str, Any]) -> Any:
    """A condition without others that it names."""
    match value:
        case {"Condition": name}:
            return _spelled_out(conditions[name], conditions)
        case dict():
            return {name: _spelled_out(each, conditions) for name, each in value.items()}
        case list():
            return [_spelled_out(each, conditions) for each in value]
        case _:
            return value


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Fn::Select": lambda position, items: items[position],
    "Fn::Split": lambda separator, text: text.split(separator),
    "Fn::Join": lambda separator, items: separator.join(items),
    "Fn::Equals": lambda one, other: one == other,
    "Fn::Not": lambda one: not one,
    "Fn::And": lambda *several: all(several),
    "Fn::Or": lambda *several: any(several),
}
"""CloudFormation's functions of values that are resolved."""


def resolved(value: Any, parameters: Mapping[str, str]) -> Any:
    """A value with its functions carried out, as CloudFormation would; `parameters` are all that `Ref` knows."""
    match value:
        case {"Ref": name}:
            return parameters[name]
        case {"Fn::Sub": [pattern, names]}:
            return _substituted(pattern, parameters | resolved(names, parameters))
        case {"Fn::Sub": pattern}:
            return _substituted(pattern, parameters)
        case dict():
            members = {name: resolved(each, parameters) for name, each in value.items()}
            function = next((name for name in members if name in _FUNCTIONS), None)
            return members if function is None else _FUNCTIONS[function](*members[function])
        case list():
            return [resolved(each, parameters) for each in value]
        case _:
            return value


def _substituted(pattern: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\$\{([A-Za-z]+)\}", lambda name: values[name[1]], pattern)

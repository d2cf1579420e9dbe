"""Reading the SAM template as it is written: `!Ref X` becomes {"Ref": "X"}, `!Sub X` {"Fn::Sub": "X"} and so on.

`resolved` carries the functions out that `template.yaml` makes conditions and the record in DNS of.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

TEMPLATE = Path(__file__).parents[2] / "template.yaml"


class _Loader(yaml.SafeLoader):
    pass


def _intrinsic(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
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
        return yaml.load(stream, _Loader)  # noqa: S506 (the loader is a SafeLoader)


def given(template: dict[str, Any], **parameters: str) -> dict[str, str]:
    """The value of every parameter that has one: what is given, or else its default."""
    defaults = {name: each["Default"] for name, each in template["Parameters"].items() if "Default" in each}
    return defaults | parameters


def resolved(value: Any, parameters: Mapping[str, str]) -> Any:
    """A value with its functions carried out, as CloudFormation would; `parameters` are all that `Ref` knows."""
    match value:
        case {"Ref": name}:
            return parameters[name]
        case {"Fn::Sub": [pattern, names]}:
            return _substituted(pattern, parameters | resolved(names, parameters))
        case {"Fn::Sub": pattern}:
            return _substituted(pattern, parameters)
        case {"Fn::Select": [position, items]}:
            return resolved(items, parameters)[position]
        case {"Fn::Split": [separator, text]}:
            return resolved(text, parameters).split(separator)
        case {"Fn::Join": [separator, items]}:
            return separator.join(resolved(items, parameters))
        case {"Fn::Equals": [one, other]}:
            return resolved(one, parameters) == resolved(other, parameters)
        case {"Fn::Not": [one]}:
            return not resolved(one, parameters)
        case {"Fn::And": several}:
            return all(resolved(one, parameters) for one in several)
        case {"Fn::Or": several}:
            return any(resolved(one, parameters) for one in several)
        case dict():
            return {name: resolved(each, parameters) for name, each in value.items()}
        case list():
            return [resolved(each, parameters) for each in value]
        case _:
            return value


def _substituted(pattern: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\$\{([A-Za-z]+)\}", lambda name: values[name[1]], pattern)

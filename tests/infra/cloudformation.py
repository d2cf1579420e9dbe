"""Reading the SAM template as it is written: `!Ref X` becomes {"Ref": "X"}, `!Sub X` {"Fn::Sub": "X"} and so on."""

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

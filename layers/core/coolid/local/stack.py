"""The tables of the stack, read from `template.yaml`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from coolid.errors import UsageError

_TABLE: Final = "AWS::DynamoDB::Table"
_TABLE_MEMBERS: Final = ("AttributeDefinitions", "KeySchema", "BillingMode", "GlobalSecondaryIndexes")

if TYPE_CHECKING:
    SafeLoader = yaml.SafeLoader
else:  # The loader of libyaml is several times as fast, but PyYAML may be built without it.
    SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NoTemplate(UsageError):
    """There is no `template.yaml` in the expected folders."""


def find_template() -> Path:
    """Return the path of `template.yaml` in the current folder, or beside the sources of this module."""
    for folder in (Path.cwd(), *Path(__file__).resolve().parents):
        candidate = folder / "template.yaml"
        if candidate.is_file() and (folder / "functions").is_dir():
            return candidate
    raise NoTemplate("with DynamoDB, coolid serve runs from a clone of the project: no template.yaml was found")


def load_resources(template: Path) -> dict[str, dict[str, Any]]:
    """Return the resources of a template by their logical names. Short forms are replaced by their arguments."""
    resources: dict[str, dict[str, Any]] = yaml.load(template.read_text(encoding="utf-8"), _Loader)["Resources"]  # noqa: S506 - a SafeLoader
    return resources


def load_tables(template: Path) -> dict[str, dict[str, Any]]:
    """Return the arguments that create the tables of a template, by logical name."""
    resources = load_resources(template)
    return {name: members(each, _TABLE_MEMBERS) for name, each in resources.items() if each["Type"] == _TABLE}


def members(resource: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the named properties of a resource that it has."""
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

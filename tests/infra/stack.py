"""The stack of `template.yaml` for tests: as it is written, and for given parameters."""

import json
from collections.abc import Iterator
from typing import Any

from tests.infra.cloudformation import TEMPLATE, deployed, load

template = load()
ROOT = TEMPLATE.parent

TABLES = [
    "PrefixTable",
    "LuiTable",
    "ClientTable",
    "CounterTable",
    "RequestTable",
    "PulseTable",
    "JobTable",
    "LogTable",
]
WRITING = ["MintFunction", "ManageFunction"]
FUNCTIONS = ["ResolveFunction", "CiteFunction", *WRITING]
ALL_FUNCTIONS = [*FUNCTIONS, "IndexFunction", "SequenceFunction", "PurgeFunction", "RedirectsFunction", "ProbeFunction"]
"""With those that can be switched off."""

URL = "https://id.example.org"


def resources(**parameters: str) -> dict[str, Any]:
    """What there is with these parameters; everything that can be switched on is, unless they say otherwise."""
    everything = {"PublicBaseUrl": URL, "Edge": "on", "Alarms": "on"}
    return deployed(template, **everything | parameters)


def of_type(kind: str, **parameters: str) -> dict[str, Any]:
    """The properties of the resources of a type."""
    there = resources(**parameters).items()
    return {name: resource["Properties"] for name, resource in there if resource["Type"] == kind}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(function: str, **parameters: str) -> Iterator[dict[str, Any]]:
    """What a function's role allows."""
    there = resources(**parameters)
    role = there[function]["Properties"]["Role"]["Fn::GetAtt"][0]
    for policy in there[role]["Properties"]["Policies"]:
        yield from policy["PolicyDocument"]["Statement"]


def granted(function: str, **parameters: str) -> dict[str, set[str]]:
    """What a function may do to each resource, by the logical name of what the template makes."""
    there = resources(**parameters)
    arns = {json.dumps({"Fn::GetAtt": [name, "Arn"]}): name for name in there}
    for table, properties in of_type("AWS::DynamoDB::Table").items():
        for index in properties.get("GlobalSecondaryIndexes", ()):
            arns[json.dumps({"Fn::Sub": f"${{{table}.Arn}}/index/{index['IndexName']}"})] = index["IndexName"]
        arns[json.dumps({"Fn::Sub": f"${{{table}.Arn}}/stream/*"})] = f"{table}Stream"
    for bucket in of_type("AWS::S3::Bucket"):
        arns[json.dumps({"Fn::Sub": f"${{{bucket}.Arn}}/*"})] = f"{bucket}Files"
        for path, part in (
            ("staging/*", "Staging"),
            ("tile/*", "Tiles"),
            ("checkpoint", "Checkpoint"),
            ("edge/ledger.json", "Ledger"),
        ):
            arns[json.dumps({"Fn::Sub": f"${{{bucket}.Arn}}/{path}"})] = f"{bucket}{part}"
    for output, name in (("DistributionArn", "Distribution"), ("RedirectStoreArn", "RedirectStore")):
        arns[json.dumps({"Fn::GetAtt": ["EdgeStack", f"Outputs.{output}"]})] = name
    actions: dict[str, set[str]] = {}
    for statement in statements(function, **parameters):
        named = {json.dumps(each) for each in as_list(statement["Resource"])}
        assert named <= arns.keys(), "a role names resources by the ARN of what the template makes"
        for each in named:
            actions.setdefault(arns[each], set()).update(as_list(statement["Action"]))
    return actions


def environment(function: str, **parameters: str) -> dict[str, Any]:
    """What a function finds in its environment."""
    shared: dict[str, Any] = template["Globals"]["Function"]["Environment"]["Variables"]
    own: dict[str, Any] = resources(**parameters)[function]["Properties"].get("Environment", {}).get("Variables", {})
    return shared | own


def layers(function: str) -> list[str]:
    """A function's layers in their order; SAM puts its own behind those of all functions."""
    own = resources()[function]["Properties"].get("Layers", [])
    return [layer["Ref"] for layer in template["Globals"]["Function"]["Layers"] + own]


def routes() -> dict[tuple[str, str], str]:
    """The function that gets each request, by path and method."""
    return {
        (event["Properties"]["Path"], event["Properties"]["Method"]): function
        for function, properties in of_type("AWS::Serverless::Function").items()
        for event in properties.get("Events", {}).values()
        if event["Type"] == "Api"
    }

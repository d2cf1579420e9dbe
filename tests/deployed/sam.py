"""Deploys a built stack with the SAM CLI to LocalStack, and queries the deployed resources."""

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.deployed import localstack_session

ROOT = Path(__file__).resolve().parents[2]
SAM = ROOT / ".venv-sam" / "bin" / "sam"
ARCHITECTURE = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
BASE_URL = "http://localhost.localstack.cloud:4566"
"""What the public identifiers begin with; nothing answers there."""


@dataclass(frozen=True)
class Change:
    """One line of a change set."""

    action: str
    resource: str
    kind: str


def build(folder: Path) -> Path:
    """Build the functions and layers of a tree for this machine; the template to deploy."""
    _run("build", "--parameter-overrides", f"Architecture={ARCHITECTURE}", cwd=folder)
    return built(folder)


def built(folder: Path = ROOT) -> Path:
    """The template of what was built, with layers folded in if `COOLID_E2E_FOLDED` says that they would not work."""
    template = folder / ".aws-sam" / "build" / "template.yaml"
    return folded(template) if os.environ.get("COOLID_E2E_FOLDED") else template


def deploy(template: Path, stack: str, **parameters: str) -> list[Change]:
    """Create or update the stack; what the change set said would change, in its order."""
    values = {"PublicBaseUrl": BASE_URL, "Architecture": ARCHITECTURE, **parameters}
    output = _run(
        *("deploy", "--config-file", str(ROOT / "samconfig.toml"), "--config-env", "localstack", "--no-progressbar"),
        *("--template-file", str(template), "--stack-name", stack),
        *("--parameter-overrides", *(f"{name}={value}" for name, value in values.items())),
        cwd=template.parent,
    )
    assert f"stack - {stack} in" in output or "No changes to deploy" in output, output
    return changes(output)


def changes(output: str) -> list[Change]:
    """The change set in what `sam deploy` printed: a table whose cells go on below where they are too narrow.

    >>> changes('''
    ... CloudFormation stack changeset
    ... -------------------------------
    ... Operation   LogicalResourceId   ResourceType   Replacement
    ... -------------------------------
    ... + Add       ApiDeploymentb3b1   AWS::ApiGate   N/A
    ...             c8ee4f              way::Deploy
    ... * Modify    Api                 AWS::ApiGate   False
    ... -------------------------------
    ... ''')
    [Change(action='Add', resource='ApiDeploymentb3b1c8ee4f', kind='AWS::ApiGateway::Deploy'), Change(action='Modify', \
resource='Api', kind='AWS::ApiGate')]
    """
    found = re.search(r"stack changeset\n-+\n(Operation.*)\n-+\n((?:.*\n)*?)-+\n", output)
    if not found:
        return []
    columns = [found[1].index(name) for name in ("Operation", "LogicalResourceId", "ResourceType", "Replacement")]
    returned: list[list[str]] = []
    for line in found[2].splitlines():
        cells = [line[start:end].strip() for start, end in zip(columns, [*columns[1:], None], strict=True)]
        if cells[0] and cells[0] != "-":
            returned.append(cells)
        elif returned:
            returned[-1] = [one + more for one, more in zip(returned[-1], cells, strict=True)]
    return [Change(action.split()[-1], resource, kind) for action, resource, kind, _ in returned]


def resources(stack: str) -> dict[str, tuple[str, str]]:
    """The stack's resources by their names: type and physical id."""
    pages = localstack_session.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    found = [each for page in pages for each in page["StackResourceSummaries"]]
    return {each["LogicalResourceId"]: (each["ResourceType"], each["PhysicalResourceId"]) for each in found}


def api_url(stack: str) -> str:
    """Where LocalStack answers for the deployed API."""
    there = resources(stack)
    return f"{os.environ['COOLID_E2E_ENDPOINT']}/_aws/execute-api/{there['Api'][1]}/{there['ApiStage'][1]}"


def admin_key(stack: str) -> str:
    """A new administrator's API key."""
    command = [str(Path(sys.executable).parent / "coolid"), "keys", "create", "--admin", "--stack", stack]
    return subprocess.run(command, check=True, env=_environment(), stdout=subprocess.PIPE, text=True).stdout.strip()


def folded(template: Path) -> Path:
    """A copy of a build for stock LocalStack: each function has its layers in its own package, and no key is of a kind
    that LocalStack lacks. The transparency log does not grow with such a key.
    """
    folder = template.parent.parent / "folded"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template.parent, folder)
    document = yaml.safe_load((folder / "template.yaml").read_text(encoding="utf-8"))
    shared = document["Globals"]["Function"].pop("Layers")
    document["Resources"]["LogKey"]["Properties"]["KeySpec"] = "ECC_NIST_P256"
    for resource in list(document["Resources"].values()):
        properties = resource["Properties"]
        if resource["Type"] == "AWS::Serverless::Function":
            for layer in shared + properties.pop("Layers", []):
                content = folder / document["Resources"][layer["Ref"]]["Properties"]["ContentUri"]
                shutil.copytree(content / "python", folder / properties["CodeUri"], dirs_exist_ok=True)
                if (content / "operator").exists():
                    shutil.copytree(content / "operator", folder / properties["CodeUri"] / "operator")
            properties.get("Environment", {}).get("Variables", {}).pop("CORE_LAYER", None)
    variables = document["Globals"]["Function"]["Environment"]["Variables"]
    variables["OPERATOR_SETTINGS"] = "operator/settings.toml"  # in the working directory
    stored = {
        name: each for name, each in document["Resources"].items() if each["Type"] != "AWS::Serverless::LayerVersion"
    }
    (folder / "template.yaml").write_text(yaml.safe_dump({**document, "Resources": stored}), encoding="utf-8")
    return folder / "template.yaml"


def _run(*arguments: str, cwd: Path) -> str:
    """What `sam` printed; raises with it if it failed."""
    ended = subprocess.run(
        [SAM, *arguments],
        cwd=cwd,
        env=_environment(),
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if ended.returncode != 0:
        raise AssertionError(f"sam {arguments[0]} ended with {ended.returncode}:\n{ended.stdout}")
    return ended.stdout


def _environment() -> dict[str, str]:
    """Return the environment of a command, without the variables of a surrounding `make`."""
    others = {
        name: value
        for name, value in localstack_session.environment().items()
        if not name.startswith(("MAKE", "MFLAGS"))
    }
    return others | {
        "SAM_CLI_TELEMETRY": "0",
        "PATH": f"{SAM.parent}{os.pathsep}{os.environ['PATH']}",
    }

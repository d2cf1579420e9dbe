"""Tests reach LocalStack, and nothing else, by sessions of localstack-client that are made in one place."""

import ast
import os
from pathlib import Path

import pytest
from localstack_client.session import Session

from tests.deployed import localstack_session
from tests.support.builders.samples import ROOT

ENDPOINT = "https://localstack.example:4567"


@pytest.fixture(autouse=True)
def _addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the endpoint of the tests, and other addresses that a developer may have set."""
    monkeypatch.setenv("COOLID_E2E_ENDPOINT", ENDPOINT)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://dynamodb.example")
    monkeypatch.setenv("LOCALSTACK_HOST", "another.example:4566")


@pytest.mark.parametrize("service", ["apigateway", "cloudformation", "dynamodb", "events", "lambda", "sqs"])
def test_a_client_sends_everything_to_the_endpoint_with_keys_of_no_account(service: str) -> None:
    client = localstack_session.client(service)
    assert (client.meta.endpoint_url, client.meta.region_name) == (ENDPOINT, localstack_session.REGION)
    assert client._get_credentials().access_key == "test"


def test_a_session_is_one_of_localstack_client() -> None:
    assert isinstance(localstack_session.session(), Session)
    assert os.environ["AWS_ENDPOINT_URL"] == "https://dynamodb.example"


def test_a_command_finds_the_same_and_no_setting_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "mine")
    environment = localstack_session.environment()
    assert environment["AWS_ENDPOINT_URL"] == ENDPOINT
    assert environment["AWS_ACCESS_KEY_ID"] == "test"
    assert "mine" not in environment.values()


MODULES = [
    *sorted((ROOT / "tests" / "e2e").glob("*.py")),
    *sorted((ROOT / "tests" / "deployed").glob("*.py")),
    ROOT / "scripts" / "with-localstack",
]


def imported(module: Path) -> set[str]:
    """Return the packages that a module imports from."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_only_one_module_makes_clients(module: Path) -> None:
    assert not imported(module) & {"boto3", "botocore"}
    assert ("localstack_client" in imported(module)) == (module.name == "localstack_session.py")

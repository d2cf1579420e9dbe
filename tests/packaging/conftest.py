"""The deployed packages, built once, and a way to run each function."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.endpoint import endpoint
from tests.packaging.layer_builds import Ask, Built, Outcome, python313, run_alone, runtime
from tests.support.fixtures.shared_folders import shared_folder
from tests.support.fixtures.system import TablesSystem
from tests.support.servers.certificates import Authority

FOLDER = f"{Path(__file__).parent}/"


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Mark the tests that need the layers. Tests of other folders have other fixtures of these names, or none."""
    for item in items:
        if str(item.path).startswith(FOLDER) and "built" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.layers)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built.within(shared_folder(tmp_path_factory, "built", Built.fill))


@pytest.fixture(scope="session")
def closed_port() -> Iterator[int]:
    """A loopback port where nothing listens, and nothing will while the tests run."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@pytest.fixture(scope="session")
def interpreter() -> str:
    """Lambda's Python."""
    found = python313()
    if found is None:
        pytest.skip("no python3.13 on PATH or below pyenv's root, and Lambda's Python is that one")
    return found


@pytest.fixture(scope="session")
def invoke(built: Built, interpreter: str, closed_port: int) -> Ask:
    """Let a function answer events, with nothing but what it is deployed with; what it is told can be changed."""
    brought = runtime()
    returned = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{closed_port}",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "PREFIX_TABLE": "prefixes",
        "LUI_TABLE": "luis",
        "CLIENT_TABLE": "clients",
        "COUNTER_TABLE": "counters",
        "REQUEST_TABLE": "requests",
        "PULSE_TABLE": "pulses",
        "INDEX_TABLE": "index",
        "PROBE_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/probe.fifo",
        "SIGNING_KEY_ID": "key",
        "PUBLIC_BASE_URL": "https://id.example.org",
    }

    def call(name: str, *events: dict[str, Any], timing: bool = False, **environment: str) -> Outcome:
        return run_alone(interpreter, [*built.path_of(name), brought], returned | environment, events, timing=timing)

    return call


@pytest.fixture(scope="module")
def ask(invoke: Ask, light_tables: TablesSystem, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Let a deployed function answer over the tables and with the key of a system."""
    writes_only = {"CLIENT_TABLE", "COUNTER_TABLE", "REQUEST_TABLE", "PULSE_TABLE", "INDEX_TABLE", "SIGNING_KEY_ID"}
    authority = Authority(tmp_path_factory.mktemp("authority"))
    with endpoint(authority) as url:

        def call(name: str, *events: dict[str, Any], timing: bool = False) -> Outcome:
            hidden = dict.fromkeys(writes_only, "") if name == "Resolve" else {}
            there = {"AWS_ENDPOINT_URL": url, "AWS_CA_BUNDLE": str(authority.file)}
            return invoke(name, *events, timing=timing, **(dict(light_tables.environment) | hidden | there))

        yield call

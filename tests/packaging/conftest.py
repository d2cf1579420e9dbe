"""What is deployed, built once, and a way to run each function of it."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.packaging.building import Built, Outcome, install_runtime, once, python313, run_alone, runtime_requirements


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built.into(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="session")
def closed_port() -> Iterator[int]:
    """A loopback port where nothing listens, and nothing will while the tests run."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@pytest.fixture(scope="session")
def invoke(built: Built, closed_port: int, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Outcome]:
    """Let a function answer events, with nothing but what it is deployed with; what it is told can be changed."""
    interpreter = python313()
    if interpreter is None:
        pytest.skip("no python3.13 on PATH or below pyenv's root, and Lambda's Python is that one")
    runtime = once("runtime", runtime_requirements(), install_runtime)
    compiled = tmp_path_factory.mktemp("compiled")
    told = {
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
        "SIGNING_KEY_ID": "key",
        "PUBLIC_BASE_URL": "https://id.example.org",
    }

    def call(name: str, *events: dict[str, Any], **environment: str) -> Outcome:
        return run_alone(interpreter, [*built.path_of(name), runtime], told | environment, events, compiled)

    return call

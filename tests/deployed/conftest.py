"""Deployments of the stack to a LocalStack, which `scripts/with-localstack` names in the environment."""

import os

import pytest

# Nothing here can be tried without a place to deploy to: `make test` leaves it out.
collect_ignore_glob = [] if os.environ.get("COOLID_E2E_STACK") else ["test_*.py"]


@pytest.fixture(scope="session")
def stack() -> str:
    """The name of the stack."""
    return os.environ["COOLID_E2E_STACK"]

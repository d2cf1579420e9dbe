"""The proof of a log in a resolution result: verified by a policy without requests, and required by it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from coolid.client.flows import run
from coolid.client.http_request import HttpRequest
from coolid.client.transparency.log_verifier import LogVerdict
from coolid.client.transparency.result_inclusion import verify_inclusion
from coolid.client.transparency.seen_logs import SeenLogs
from coolid.linkid.results import ResolutionResult
from coolid.log.policies import Policy
from tests.support.fixtures.note_keys import NoteKey
from tests.support.servers.http_server import host
from tests.support.servers.log_host import LoggedService


@pytest.fixture
def service() -> Iterator[LoggedService]:
    with host() as running:
        yield LoggedService(running)


def verdict_on(service: LoggedService, folder: Path, policy: str | None = None, **members: Any) -> LogVerdict:
    record = service.versions[-1]
    inclusion = service.log.inclusion(service.index, service.size).decode()
    result = ResolutionResult(**{"status": "active", "record": record, "inclusion": inclusion} | members)
    text = policy or f"log {service.log.key.verifier()}\nquorum none\n"
    return run(verify_inclusion(result, Policy.parse(text), SeenLogs(folder)), _unsent, lambda _: None)


def _unsent(request: HttpRequest) -> NoReturn:
    raise AssertionError(f"{request.url} was requested")


def failures(verdict: LogVerdict) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


def test_the_record_is_in_a_log_of_the_policy(service: LoggedService, tmp_path: Path) -> None:
    verdict = verdict_on(service, tmp_path)
    assert failures(verdict) == []
    assert "inclusion" in [check.name for check in verdict.checks]


def test_a_result_without_a_proof_or_with_that_of_another_version_fails(service: LoggedService, tmp_path: Path) -> None:
    assert failures(verdict_on(service, tmp_path, inclusion=None)) == ["inclusion"]
    other = service.log.inclusion(service.index - 1, service.size).decode()
    assert failures(verdict_on(service, tmp_path, inclusion=other)) == ["inclusion"]
    assert failures(verdict_on(service, tmp_path, inclusion="no proof")) == ["inclusion"]


def test_a_result_without_a_record_needs_no_proof(service: LoggedService, tmp_path: Path) -> None:
    assert verdict_on(service, tmp_path, record=None, inclusion=None) == LogVerdict()


def test_another_log_than_that_of_the_policy_fails(service: LoggedService, tmp_path: Path) -> None:
    other = NoteKey(service.origin, seed=2).verifier()
    assert failures(verdict_on(service, tmp_path, f"log {other}\nquorum none\n")) == ["checkpoint"]

"""Audits of services that give records to others, and receive them: each log has only the versions of its service."""

from copy import deepcopy
from typing import Any

import pytest

from coolid.audit.log_audit import AuditReport
from tests.audit.conftest import RunAudit
from tests.support.builders.custody_chains import A, CustodyChain, Operator
from tests.support.builders.lying_service import LyingService
from tests.support.builders.samples import BASE_URL
from tests.support.builders.signed_documents import Key


def service_of(chain: CustodyChain, own: Operator) -> LyingService:
    """Return the service of an operator, which serves all versions, and logs its own."""
    service = LyingService(own.issuer)
    service.key, service.keys = own.key, [own.key]
    service.entries.clear()
    service.add_change("public_key", own.key.jwk["kid"], jwk=own.key.jwk)
    versions = service.documents.setdefault(own.pid(), [])
    for version in chain.versions:
        versions.append(version)
        if version["issuer"] == own.issuer:
            service.log(version["proof"])
    service.listed = [own.pid()]
    service.publish()
    return service


def rules(report: AuditReport) -> set[str]:
    return {each.finding.rule for each in report.observations} - {"older-than-log", "back-dated", "early-signature"}


B = Operator(BASE_URL, Key(8))


def moved(*, withdrawn: bool = False) -> CustodyChain:
    chain = CustodyChain(A)
    chain.mint()
    if withdrawn:
        chain.withdraw()
    chain.move(B)
    if not withdrawn:
        chain.update("https://content.example.org/2")
    return chain


@pytest.mark.parametrize("withdrawn", [False, True])
def test_a_record_that_another_service_gave_is_complete_in_both_logs(run_audit: RunAudit, withdrawn: bool) -> None:
    chain = moved(withdrawn=withdrawn)
    assert rules(run_audit(service_of(chain, B))) == set()


@pytest.mark.parametrize("withdrawn", [False, True])
def test_the_service_that_gave_it_keeps_its_versions(run_audit: RunAudit, withdrawn: bool) -> None:
    chain = moved(withdrawn=withdrawn)
    given = [version for version in chain.versions if version["issuer"] == A.issuer]
    assert rules(run_audit(service_of(CustodyChain(A, given), A))) == set()


def test_a_copy_that_waits_for_its_transfer_is_in_no_log_here(run_audit: RunAudit) -> None:
    chain = CustodyChain(A)
    chain.mint()
    chain.offer(B)
    assert rules(run_audit(service_of(chain, B))) == set()


@pytest.mark.parametrize("sample", [-1, 0])
def test_a_record_that_comes_back_is_complete(run_audit: RunAudit, sample: int) -> None:
    chain = CustodyChain(B)
    chain.mint()
    chain.move(A)
    chain.update("https://content.example.org/2")
    chain.move(B)
    service = service_of(chain, B)
    assert rules(run_audit(service, sample=sample)) == set()
    assert rules(run_audit(service, sample=sample)) == set()


@pytest.mark.parametrize("hidden", [4, 5, 6])
def test_a_version_that_only_passes_for_one_of_another_service_is_missing(run_audit: RunAudit, hidden: int) -> None:
    """Only the versions after a transfer may be missing, and only if another service signed them."""
    chain = CustodyChain(B)
    chain.mint()
    chain.move(A)
    chain.move(B)
    service = service_of(chain, B)
    document = service.documents[B.pid()][hidden - 1]
    service.documents[B.pid()][hidden - 1] = B.key.sign(document | {"issuer": A.issuer})
    assert "missing-version" in rules(run_audit(service))


def test_a_version_before_the_transfer_is_missing(run_audit: RunAudit) -> None:
    chain = moved()
    chain.move(A)
    chain.move(B)
    service = service_of(chain, B)
    del service.entries[2]
    service.publish()
    assert "missing-version" in rules(run_audit(service))


def test_an_own_version_from_before_the_transfer_must_be_in_the_log(run_audit: RunAudit) -> None:
    """The service cannot declare its own versions those of another one."""
    chain = moved()
    forged: dict[str, Any] = deepcopy(chain.versions[2])
    chain.versions[2] = B.key.sign(forged)
    assert rules(run_audit(service_of(chain, B))) == {"unlogged-version"}


def test_a_tombstone_that_changes_with_its_offer_is_found(run_audit: RunAudit) -> None:
    chain = CustodyChain(B)
    chain.mint()
    chain.withdraw()
    chain.offer(A)
    reason = chain.newest["withdrawn"] | {"reason": "Something else."}
    chain.versions[-1] = B.key.sign({**chain.newest, "withdrawn": reason})
    assert "after-withdrawal" in rules(run_audit(service_of(chain, B)))

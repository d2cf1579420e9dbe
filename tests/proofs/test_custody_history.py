"""Histories with several issuers: a transfer of custody, and nothing else, changes issuer, PID and repository."""

from collections.abc import Callable
from typing import Any

import pytest

from coolid.proofs.statements import digest_of
from coolid.proofs.verdicts import Verdict
from coolid.proofs.verification import verify
from tests.support.builders.custody_chains import KEYS, OTHER_UUID, ROGUE, A, B, C, CustodyChain, D


def moved() -> CustodyChain:
    """Return a history with 8 versions: 1 to 4 of A, the last of which transfers, then B with an update, an offer."""
    chain = CustodyChain(A)
    chain.mint()
    chain.update("https://content.example.org/2")
    chain.move(B)
    chain.update("https://content.example.org/3")
    chain.update("https://content.example.org/4")
    chain.offer(C)
    return chain


def verdict_on(versions: list[dict[str, Any]], *known: str) -> Verdict:
    newest = max(versions, key=lambda version: int(version["version"]))
    older = [version for version in versions if version is not newest]
    return verify(newest, KEYS[newest["issuer"]], older, issuer_keys={issuer: KEYS[issuer] for issuer in known})


def failures(verdict: Verdict) -> list[str]:
    return [check.detail for check in verdict.checks if not check.passed]


def test_it_is_complete_with_the_keys_of_all_issuers() -> None:
    verdict = verdict_on(moved().versions, A.issuer)
    assert (verdict.ok, verdict.complete, verdict.notes) == (True, True, ())
    assert any(check.name == "custody" and "who signed the acceptance" in check.detail for check in verdict.checks)


def test_without_the_keys_of_an_earlier_issuer_a_note_says_what_was_not_verified() -> None:
    verdict = verdict_on(moved().versions)
    assert (verdict.ok, verdict.complete) == (True, False)
    [note] = verdict.notes
    assert note.startswith("the versions 1 to 4 of 'https://a.example' are confirmed by the later versions alone")


def test_versions_without_known_keys_need_a_verified_version_after_them() -> None:
    versions = moved().versions
    for missing in (2, 3, 4):
        verdict = verdict_on([version for version in versions if version["version"] != missing + 1])
        assert not verdict.ok
        assert failures(verdict)[0] == (f"version {missing} is of 'https://a.example', whose keys are not known here")
    altered = [version | ({"metadata": {}} if version["version"] == 2 else {}) for version in versions]
    assert not verdict_on(altered).ok


def test_the_last_version_of_the_sender_is_verified_alone_with_a_note_on_the_acceptance() -> None:
    versions = moved().versions[:4]
    verdict = verdict_on(versions)
    assert (verdict.ok, verdict.complete) == (True, True)
    departure = "version 4 transferred the record to 'https://b.example', who has its later versions"
    acceptance = "the acceptance of 'https://b.example' in version 4 was not verified without its keys"
    assert verdict.notes == (acceptance, departure)
    assert verdict_on(versions, B.issuer).notes == (departure,)


def test_keys_count_for_their_issuer_only() -> None:
    versions = moved().versions
    verdict = verify(versions[-1], KEYS[B.issuer], versions[:-1], issuer_keys={A.issuer: KEYS[C.issuer]})
    assert any("is not in the issuer's key set" in failure for failure in failures(verdict))
    assert not verify(versions[-1], KEYS[A.issuer], versions[:-1], issuer_keys={B.issuer: KEYS[B.issuer]}).ok


def test_a_tombstone_can_be_transferred_but_not_changed() -> None:
    chain = CustodyChain(A)
    chain.mint()
    chain.withdraw(revoked=True)
    chain.offer(B)
    chain.revoke()
    chain.move(B)
    assert verdict_on(chain.versions, A.issuer).complete
    changed = {**chain.newest["withdrawn"], "reason": "Something else."}
    for change in ({"withdrawn": changed}, {"metadata": chain.newest["metadata"] | {"linkid": {}}}, {}):
        other = CustodyChain(B, list(chain.versions))
        other.add(**change)
        assert not verdict_on(other.versions, A.issuer).ok


def _issuer_alone(chain: CustodyChain) -> None:
    chain.add(C, issuer=C.issuer, pid=C.pid())


def _without_offer(chain: CustodyChain) -> None:
    chain.revoke()
    chain.transfer(C)
    chain.take_over(C)


def _to_another(chain: CustodyChain) -> None:
    chain.transfer(D)
    chain.take_over(D)


def _other_recipient(chain: CustodyChain) -> None:
    chain.transfer(C)
    chain.take_over(D)


def _forgotten_past(chain: CustodyChain) -> None:
    chain.transfer(C)
    chain.add(metadata=chain.newest["metadata"] | {"linkid": {"transfers": chain.custody["transfers"][1:]}})


def _changed_past(chain: CustodyChain) -> None:
    custody = chain.custody
    custody["transfers"][0]["at"] = "2026-10-11T00:00:00Z"
    chain.add(metadata=chain.newest["metadata"] | {"linkid": custody})


def _past_made_up(chain: CustodyChain) -> None:
    custody = chain.custody
    custody["transfers"].append(custody["transfers"][0] | {"from": B.issuer, "to": B.issuer, "version": 6})
    chain.add(metadata=chain.newest["metadata"] | {"linkid": custody})


def _pid_alone(chain: CustodyChain) -> None:
    chain.add(pid=f"{B.issuer}/lid:x")


def _repository_alone(chain: CustodyChain) -> None:
    chain.add(repository="r-z")


def _other_linkid(chain: CustodyChain) -> None:
    chain.transfer(C)
    chain.take_over(C, id=OTHER_UUID, pid=f"{C.issuer}/linkid:{OTHER_UUID}")


def _other_creation(chain: CustodyChain) -> None:
    chain.transfer(C)
    chain.take_over(C, created="2026-10-01T00:00:00Z")


def _old_acceptance(chain: CustodyChain) -> None:
    chain.transfer(C, chain.custody["transfers"][0]["acceptance"])
    chain.take_over(C)


def _forged_acceptance(chain: CustodyChain) -> None:
    chain.transfer(C, ROGUE.key.proof_of({"alg": "ES256", "kid": C.key.jwk["kid"]}, _payload(chain)))
    chain.take_over(C)


def _payload(chain: CustodyChain) -> bytes:
    from coolid.proofs.jws import read_proof

    return read_proof(chain.acceptance(C)).payload


def _offered_with_the_transfer(chain: CustodyChain) -> None:
    chain.transfer(C)
    offer = {"offer": {"to": D.issuer, "at": "2026-10-12T00:00:00Z"}}
    chain.versions[-1] = B.key.sign({**chain.newest, "metadata": {"linkid": chain.custody | offer}})


def _transfer_in_the_first_version(chain: CustodyChain) -> None:
    custody = chain.custody
    custody["transfers"][0]["version"] = 1
    chain.add(metadata={"linkid": custody})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_issuer_alone, "by its transfers, the record is one of 'https://b.example'"),
        (_without_offer, "to whom version 9 does not offer it"),
        (_to_another, "to whom version 8 does not offer it"),
        (_other_recipient, "by its transfers, the record is one of 'https://c.example'"),
        (_forgotten_past, "is of 'https://b.example'; by its transfers"),
        (_changed_past, "the transfers in version 8 are not those in version 9"),
        (_past_made_up, "should state, too"),
        (_pid_alone, "the pid is"),
        (_repository_alone, "the repository is"),
        (_other_linkid, "the LinkID is"),
        (_other_creation, "the created is"),
        (_old_acceptance, "whose acceptance is of another offer"),
        (_forged_acceptance, "the signature was not made with the recipient's key"),
        (_offered_with_the_transfer, "and offers it at the same time"),
        (_transfer_in_the_first_version, "states a transfer in version 1"),
    ],
)
def test_any_other_change_breaks_the_chain(change: Callable[[CustodyChain], None], reason: str) -> None:
    chain = moved()
    change(chain)
    verdict = verdict_on(chain.versions, A.issuer, B.issuer, C.issuer, D.issuer)
    assert not verdict.ok
    assert not verdict.complete
    assert any(reason in failure for failure in failures(verdict)), failures(verdict)


def test_two_recipients_of_one_offer_are_a_fork() -> None:
    chain = moved()
    chain.transfer(C)
    fork = CustodyChain(B, chain.versions[:-1])
    fork.transfer(C, None, at="2026-10-11T00:00:00Z")
    chain.take_over(C)
    assert digest_of(fork.newest) != digest_of(chain.versions[-2])
    verdict = verdict_on([*chain.versions, fork.newest], A.issuer, B.issuer)
    assert any("the history forks" in failure for failure in failures(verdict))


def test_a_return_to_an_earlier_issuer_is_a_new_tenure() -> None:
    chain = moved()
    chain.revoke()
    chain.move(A)
    chain.versions[-1] = A.key.sign({**chain.newest, "repository": "r-other"})
    assert verdict_on(chain.versions, A.issuer, B.issuer).complete

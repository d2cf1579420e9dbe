"""The verification of peers' results: which keys are fetched, what is refused, and what is passed on."""

from typing import Any

import pytest

from coolid.deadlines import Deadline
from coolid.linkid.back_off import PAUSE_SECONDS, BackOffs
from coolid.linkid.issuer_keys import LIFETIME_SECONDS, MAX_AGE_SECONDS, RENEWAL_SECONDS, IssuerKeys, KeysUnavailable
from coolid.linkid.peer_decisions import Claim
from coolid.linkid.peer_verification import PeerVerifier
from coolid.linkid.results import RefusedClaim, from_document
from coolid.linkid.trusted_resolvers import TrustedResolver, TrustedResolvers
from tests.support.builders.signed_documents import ISSUED_AT, Key, key_set
from tests.support.builders.signed_results import LINKID, Operator, result
from tests.support.servers.simulated_peers import Clock, SimulatedPeers, answer

A, B, D = Operator("a", 1), Operator("b", 2), Operator("d", 4)


def jwks(*keys: Key) -> Any:
    return answer(200, key_set(*keys))


class Verification:
    """Verifies results of peers that publish their keys."""

    def __init__(self, *trusted: str, pinned: Operator | None = None) -> None:
        self.clock = Clock()
        self.peers = SimulatedPeers(a=jwks(A.key), b=jwks(B.key), d=jwks(D.key))
        keys = {} if pinned is None else {pinned.issuer: (pinned.key.jwk,)}
        resolvers = TrustedResolvers(tuple(TrustedResolver(each, each, keys.get(each, ())) for each in trusted))
        issuer_keys = IssuerKeys(resolvers, self.peers, BackOffs(self.clock), self.clock)
        self._verifier = PeerVerifier(resolvers, issuer_keys, lambda: ISSUED_AT + 0.0)

    def __call__(self, document: dict[str, Any]) -> Claim | RefusedClaim:
        deadline = Deadline(2, self.clock)
        return self._verifier.verify(from_document(document), LINKID, 300, deadline)

    def claim(self, document: dict[str, Any]) -> Claim:
        verified = self(document)
        assert isinstance(verified, Claim), verified
        return verified

    def refusal(self, document: dict[str, Any]) -> str:
        refused = self(document)
        assert isinstance(refused, RefusedClaim), refused
        return refused.reason


def test_a_record_of_a_trusted_issuer_is_verified_with_its_published_keys() -> None:
    verification = Verification(B.issuer, A.issuer)
    claim = verification.claim(result(A.version()))
    assert (claim.rank, claim.root, claim.issuer, claim.version) == (1, A.issuer, A.issuer, 1)
    assert (claim.max_age, claim.refers_to) == (300, None)
    verification.claim(result(A.version()))
    assert verification.peers.requests == [f"{A.issuer}/.well-known/jwks.json"]


def test_pinned_keys_cause_no_request_and_are_the_only_ones() -> None:
    verification = Verification(A.issuer, pinned=A)
    verification.claim(result(A.version()))
    other = Operator("a", 9)
    assert "is not in the issuer's key set" in verification.refusal(result(other.version()))
    assert verification.peers.requests == []


def test_a_transfer_from_a_trusted_issuer_leads_to_the_keys_of_the_recipient() -> None:
    last, continued = A.transferred(B)
    verification = Verification(A.issuer)
    claim = verification.claim(result(continued, last))
    assert (claim.rank, claim.root, claim.issuer, claim.version) == (0, A.issuer, B.issuer, 3)
    assert [url.rpartition("/.")[0] for url in verification.peers.requests] == [A.issuer, B.issuer]
    referral = verification.claim(result(last, last))
    assert (referral.issuer, referral.refers_to, referral.version) == (A.issuer, B.issuer, 2)
    assert referral.result.usable_target == f"{B.issuer}/{LINKID}"


def test_no_keys_are_fetched_from_an_issuer_that_nobody_trusted_names() -> None:
    verification = Verification(A.issuer)
    assert "is not trusted" in verification.refusal(result(D.version()))
    forged = D.version(metadata={"linkid": {"transfers": [{
        "from": A.issuer, "to": D.issuer, "at": "2026-10-08T12:00:00Z", "version": 1, "acceptance": "x.y.z",
    }]}})  # fmt: skip
    assert verification.refusal(result(forged, forged))
    assert D.issuer not in {url.rpartition("/.")[0] for url in verification.peers.requests}


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"id": LINKID[:-1] + "d"}, "not about"),
        ({"status": "inactive", "target_url": None}, "usable location"),
        ({"target_url": "https://evil.example/"}, "target"),
        ({"status": "unknown", "target_url": None, "record": None}, "no signed record"),
        ({"record": None}, "no signed record"),
        ({"targets": [{"url": "https://evil.example/"}]}, "no usable location"),
        ({"status": "policy-denied", "target_url": None}, "does not prove"),
    ],
)
def test_a_result_that_says_something_else_than_its_record_is_refused(members: dict[str, Any], reason: str) -> None:
    assert reason in Verification(A.issuer).refusal(result(A.version()) | members)


def test_targets_obey_the_rules_for_own_targets() -> None:
    record = A.version(records=[{"uri": "javascript:alert(1)", "status": "active"}])
    assert "does not begin with http" in Verification(A.issuer).refusal(result(record))


def test_only_what_is_verified_is_passed_on() -> None:
    stated = {
        "detail": "Pay here",
        "inclusion": "made up",
        "inclusion_url": "https://evil.example/",
        "keys_url": "https://evil.example/",
        "conflicts": [{"issuer": D.issuer, "reason": "made up"}],
    }
    passed = Verification(A.issuer).claim(result(A.version(), **stated)).result
    assert (passed.detail, passed.inclusion, passed.conflicts) == (None, None, ())
    assert (passed.authoritative, passed.authority) == (False, A.issuer)
    assert passed.keys_url == f"{A.issuer}/.well-known/jwks.json"
    assert passed.inclusion_url == f"{A.issuer}/{LINKID}?format=tlog-proof&version=1"
    withdrawn = {"at": "2026-01-01T00:00:00Z", "reason": "It is gone", "successor": None}
    record = A.version(status="withdrawn", withdrawn=withdrawn)
    gone = {"status": "tombstoned", "target_url": None, "error": "gone"}
    passed = Verification(A.issuer).claim(result(record) | gone).result
    assert (passed.error, passed.reason, passed.withdrawn_at) == ("gone", "It is gone", withdrawn["at"])
    assert Verification(A.issuer).claim(result(A.version(), error="gone")).result.error is None


class TestKeys:
    """The keys of an issuer over time."""

    def test_a_new_key_is_fetched_once_it_signs(self) -> None:
        verification, other = Verification(A.issuer), Operator("a", 9)
        verification.claim(result(A.version()))
        assert verification.refusal(result(other.version()))
        verification.peers.answers[A.issuer] = jwks(other.key, A.key)
        assert verification.refusal(result(other.version()))
        verification.clock.seconds += RENEWAL_SECONDS
        verification.claim(result(other.version()))
        assert len(verification.peers.requests) == 2

    def test_keys_are_fetched_again_after_a_while_and_may_be_older_in_an_outage(self) -> None:
        verification = Verification(A.issuer)
        verification.claim(result(A.version()))
        verification.peers.answers[A.issuer] = ConnectionError("it refuses the connection")
        verification.clock.seconds += LIFETIME_SECONDS
        verification.claim(result(A.version()))
        verification.claim(result(A.version()))
        assert len(verification.peers.requests) == 2
        verification.clock.seconds += MAX_AGE_SECONDS
        with pytest.raises(KeysUnavailable, match="refuses the connection"):
            verification(result(A.version()))

    def test_keys_that_were_all_replaced_at_once_are_not_trusted(self) -> None:
        verification, other = Verification(A.issuer), Operator("a", 9)
        verification.claim(result(A.version()))
        verification.peers.answers[A.issuer] = jwks(other.key)
        verification.clock.seconds += RENEWAL_SECONDS
        assert "all keys of https://a.example were replaced at once" in verification.refusal(result(other.version()))

    @pytest.mark.parametrize(
        "reply", [answer(404, {}), answer(200, {"keys": [1]}), answer(200, []), answer(200, {"keys": [{}] * 101})]
    )
    def test_without_keys_nothing_is_verified_and_the_issuer_is_left_alone_for_a_while(self, reply: Any) -> None:
        verification = Verification(A.issuer)
        verification.peers.answers[A.issuer] = reply
        for _ in range(3):
            with pytest.raises(KeysUnavailable):
                verification(result(A.version()))
        assert len(verification.peers.requests) == 1
        verification.peers.answers[A.issuer] = jwks(A.key)
        verification.clock.seconds += PAUSE_SECONDS
        verification.claim(result(A.version()))

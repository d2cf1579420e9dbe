"""What a client trusts: keys, transfers of custody, and what it has seen before."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from coolid.client import resolve
from coolid.client.errors import RefusedByClient
from coolid.client.user_state.seen_linkids import SeenLinkIds, SeenVersion
from coolid.linkid import states
from tests.support.builders.linkid_operators import LINKID, TARGET, Custody, Operator
from tests.support.builders.signed_documents import key_set
from tests.support.servers.http_server import json
from tests.support.servers.linkid_resolver import KEYS, Resolver, listed
from tests.support.servers.loopback import nobody

INTEGRITY = states.INTEGRITY_FAILURE
VICTIM = Operator("https://victim.example", 9)
ELSEWHERE = Custody(VICTIM, Operator("https://x.example", 3))

FORGED: dict[str, tuple[Callable[[Operator], Any], str]] = {
    "signed by another key than the sender's": (
        lambda o: Custody(Operator(VICTIM.issuer, 8), o).result,
        "not in the issuer's key set",
    ),
    "without evidence": (lambda o: Custody(VICTIM, o).result | {"custody": []}, "the chain is not complete"),
    "accepted by another key": (lambda o: Custody(VICTIM, o, acceptor=Operator(o.issuer, 8)).result, "the acceptance"),
    "to somebody else": (
        lambda o: o.result(
            Custody(VICTIM, o).record, custody=Custody(VICTIM, Operator("https://x.example", 3)).evidence
        ),
        "differ about transfer 1",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_custody_that_the_trusted_sender_did_not_give_is_refused(liar: Resolver, name: str) -> None:
    lie, reason = FORGED[name]
    liar.serves(json(lie(liar.operator)))
    found = liar.resolved(resolvers=listed(VICTIM, retired=True))
    assert (found.status, found.target) == (INTEGRITY, None)
    assert re.search(reason, found.reason), found.reason


def test_a_resolver_that_is_not_configured_gains_no_authority_while_others_are_down(liar: Resolver) -> None:
    liar.serves(json(liar.operator.result(liar.operator.record())))
    with nobody() as gone:
        resolvers = listed(Operator(gone, 9))
        options: dict[str, Any] = {"default": liar.host.url, "resolvers": resolvers, "state": liar.state}
        found = resolve(LINKID, follow_redirects=False, **options).linkid
    assert found is not None
    assert (found.status, found.target) == (INTEGRITY, None)
    assert "is not trusted" in found.reason


def test_an_old_record_is_refused_after_a_newer_one_was_seen(liar: Resolver, honest: Resolver) -> None:
    operator = liar.operator
    old, new = operator.record(1, target="https://evil.example/"), operator.record(2)
    liar.serves(json(operator.result(new)))
    assert liar.resolved().target == TARGET
    liar.serves(json(operator.result(old)))
    replayed = liar.resolved()
    assert (replayed.status, replayed.target) == (INTEGRITY, None)
    assert replayed.reason == "it is version 1, but this user has seen version 2: it is out of date"
    liar.serves(json(operator.result(operator.record(2, target="https://evil.example/"))))
    assert "the history forks" in liar.resolved().reason


def test_another_authority_for_a_linkid_that_was_seen_is_refused(liar: Resolver, honest: Resolver) -> None:
    assert honest.resolved().target == TARGET
    liar.serves(json(liar.operator.result(liar.operator.record(5))))
    found = liar.resolved()
    assert (found.status, found.target) == (INTEGRITY, None)
    assert "THE AUTHORITY OF THE LINKID CHANGED" in found.reason


def test_a_key_set_that_was_swapped_is_refused_loudly(liar: Resolver) -> None:
    liar.serves(json(liar.operator.result(liar.operator.record())))
    liar.resolved()
    swapped = Operator(liar.operator.issuer, 5)
    liar.host.answers[KEYS] = json(swapped.keys)
    liar.serves(json(swapped.result(swapped.record(2))))
    found = liar.resolved()
    assert (found.status, found.target) == (INTEGRITY, None)
    assert f"THE KEYS OF {liar.operator.issuer} CHANGED" in found.reason
    assert "remove " in found.reason
    liar.host.answers[KEYS] = json(key_set(liar.operator.key, swapped.key))
    rotated = liar.resolved()
    assert (rotated.status, rotated.target) == ("active", TARGET)
    assert "beside one that this user trusts" in str(rotated.trust)
    liar.host.answers[KEYS] = json(swapped.keys)
    assert liar.resolved().status == "active"


def test_pinned_keys_are_never_replaced(liar: Resolver) -> None:
    liar.serves(json(liar.operator.result(liar.operator.record())))
    found = liar.resolved(resolvers=listed(Operator(liar.operator.issuer, 5)))
    assert (found.status, found.target) == (INTEGRITY, None)
    assert KEYS not in liar.host.targets


def test_what_members_claim_grants_nothing(liar: Resolver) -> None:
    """Members that this release does not know are ignored, also those of an unsigned answer."""
    claims = {
        "authoritative": True,
        "trusted": True,
        "delegate": "https://evil.example",
        "authority": "https://a.example",
    }
    liar.host.answers[KEYS] = (404, {}, b"")
    liar.serves(json({"id": LINKID.upper(), "status": "active", "target_url": TARGET, **claims}))
    found = liar.resolved()
    assert (found.status, found.target, found.authority) == ("active", TARGET, liar.operator.issuer)
    assert str(found.trust).startswith("not signed: ")
    assert liar.resolved(signed_only=True).status == INTEGRITY


def test_other_implementations_may_use_our_members_otherwise(liar: Resolver) -> None:
    liar.host.answers[KEYS] = (404, {}, b"")
    others = {"version": "1.0", "targets": {"en": TARGET}, "custody": None, "record": None, "registration_agency": "x"}
    liar.serves(json({"id": LINKID, "status": "active", "target_url": TARGET, **others}))
    assert liar.resolved().target == TARGET
    liar.serves(json({"id": LINKID, "status": "active", "target_url": TARGET, **others, "record": {}}))
    assert liar.resolved().target is None


def test_an_unsigned_answer_is_refused_after_a_signed_one(liar: Resolver) -> None:
    liar.serves(json(liar.operator.result(liar.operator.record())))
    liar.resolved()
    liar.host.answers[KEYS] = (404, {}, b"")
    liar.serves(json({"id": LINKID, "status": "active", "target_url": "https://evil.example/"}))
    assert liar.resolved().status == INTEGRITY


def test_a_version_that_another_program_outdated_meanwhile_is_refused(
    liar: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    liar.serves(json(liar.operator.result(liar.operator.record())))
    liar.resolved()
    SeenLinkIds(liar.state / "linkids").add(LINKID, SeenVersion(5, "other", liar.operator.issuer, liar.operator.issuer))
    monkeypatch.setattr(SeenLinkIds, "read", lambda *_: None)
    found = liar.resolved()
    assert (found.status, found.target) == (INTEGRITY, None)
    assert found.reason == "another program has seen a newer version than 1 meanwhile"


def test_a_language_is_sent_as_a_preference(liar: Resolver) -> None:
    liar.serves(json(liar.operator.result(liar.operator.record())))
    assert liar.resolved(lang="de").target == TARGET
    assert liar.host.requests[0].headers["accept-language"] == "de"
    with pytest.raises(RefusedByClient):
        liar.resolved(lang="de\r\nX: y")

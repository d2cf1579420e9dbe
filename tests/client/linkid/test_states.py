"""States that lead nowhere, targets that local policy forbids, and transfers of custody."""

from typing import Any

import pytest
from orjson import dumps as json_bytes

from coolid.client import resolve
from coolid.linkid import states
from tests.support.builders.linkid_operators import LINKID, OTHER, TARGET, Custody, Operator, moment
from tests.support.servers.http_server import json
from tests.support.servers.linkid_resolver import KEYS, NOT_FOUND, PATH, Resolver

UNAVAILABLE, INTEGRITY = states.TEMPORARILY_UNAVAILABLE, states.INTEGRITY_FAILURE


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "http://example.org/",
        "ftp://example.org/",
        "https://user:secret@example.org/",
        "\tjavascript:alert(1)",
        " https://example.org/",
        "ht\ttps://example.org/",
        "https:\\\\example.org/",
        "https:example.org/",
        "https://example.org\\@evil.example/",
        "https://example.org/a\x1b[2J",
        "https://example.org/\u202efdp.exe",
        "https://b\u00fccher.example/",
        "https://ex%61mple.org/",
        "https://EXA\u039cPLE.org/",
        "https://3232235777/",
        "https://169.254.169.254/latest/meta-data/",
    ],
)
def test_a_target_that_local_policy_forbids_is_not_used(liar: Resolver, target: str) -> None:
    liar.host.answers[KEYS] = (404, {}, b"")
    liar.serves(json({"id": LINKID, "status": "active", "target_url": target}))
    found = liar.resolved()
    assert (found.status, found.target) == (states.POLICY_DENIED, None)
    assert found.reason.startswith("the target ")


def test_other_schemes_can_be_allowed(liar: Resolver) -> None:
    liar.serves(json(liar.operator.result(liar.operator.record(target="http://example.org/"))))
    assert liar.resolved().status == states.POLICY_DENIED
    assert liar.resolved(allowed_schemes=["http"]).target == "http://example.org/"


class TestStates:
    """Answers that lead nowhere, and the rule for unknown LinkIDs."""

    def test_unknown_needs_all_configured_resolvers(self, liar: Resolver, honest: Resolver) -> None:
        liar.serves(NOT_FOUND)
        assert liar.resolved().status == states.UNKNOWN
        honest.serves((503, {}, b""))
        found = liar.resolved(honest)
        assert found.status == UNAVAILABLE
        assert found.reason == "a trusted resolver cannot be queried now, and may have a record"
        honest.serves(json({"error": "not_found"}, 404))
        assert liar.resolved(honest).status == states.UNKNOWN

    def test_a_linkid_that_was_seen_is_not_unknown(self, honest: Resolver) -> None:
        honest.resolved()
        honest.serves(NOT_FOUND)
        found = honest.resolved()
        assert (found.status, found.target) == (UNAVAILABLE, None)
        assert "this user has seen version 1" in found.reason

    def test_a_policy_is_not_bypassed(self, liar: Resolver, honest: Resolver) -> None:
        denied = {
            "error": "policy_denied",
            "status": "policy-denied",
            "target_url": None,
            "id": LINKID,
            "detail": "No.",
        }
        liar.serves(json(denied, 403))
        found = liar.resolved(honest)
        assert (found.status, found.reason) == (states.POLICY_DENIED, "the policy of the resolver denies it: No")
        assert honest.host.requests == []

    def test_a_resolver_may_report_that_its_own_record_failed(self, liar: Resolver, honest: Resolver) -> None:
        liar.serves(json({"error": "integrity_failure", "status": INTEGRITY, "target_url": None, "id": LINKID}, 500))
        assert liar.resolved().status == INTEGRITY
        assert liar.resolved(honest).target == TARGET

    @pytest.mark.parametrize(
        ("status", "members"),
        [
            ("tombstoned", {}),
            ("deprecated", {"successor": "https://a.example/linkid:" + OTHER[7:]}),
            ("revoked", {"state": "revoked"}),
        ],
    )
    def test_withdrawn_linkids_lead_nowhere(self, liar: Resolver, status: str, members: dict[str, Any]) -> None:
        liar.serves(json(liar.operator.withdrawn(liar.operator.tombstone(**members), status), 410))
        found = liar.resolved()
        assert (found.status, found.target, found.successor) == (status, None, members.get("successor"))
        assert found.reason == f"withdrawn at {moment(2)}: Merged."

    def test_an_inactive_one_leads_nowhere(self, liar: Resolver) -> None:
        record = liar.operator.record(records=[{"uri": TARGET, "status": "inactive"}])
        liar.serves(json(liar.operator.result(record, status="inactive", target_url=None)))
        assert (liar.resolved().status, liar.resolved().target) == ("inactive", None)


class TestTransfers:
    def test_the_next_authority_is_queried_and_its_chain_verified(self, liar: Resolver, honest: Resolver) -> None:
        custody = Custody(honest.operator, liar.operator)
        honest.serves(json(custody.referral))
        liar.serves(json(custody.result))
        found = honest.resolved()
        assert (found.status, found.target, found.authority) == ("active", TARGET, liar.operator.issuer)
        assert found.source == "referral"
        assert found.attempts[0].problem == f"it transferred the LinkID to {liar.operator.issuer}"
        assert honest.resolved().status == "active"

    def test_a_transfer_from_elsewhere_must_not_lead_to_this_machine(self, liar: Resolver) -> None:
        elsewhere = Operator("https://elsewhere.example", 9)
        liar.serves(json(Custody(elsewhere, liar.operator).referral))
        entry = {"issuer": elsewhere.issuer, "endpoint": f"{liar.host.url}/resolve/{{identifier}}"}
        resolvers = json_bytes({"resolvers": [entry | elsewhere.keys]})
        found = resolve(LINKID, default=None, follow_redirects=False, resolvers=resolvers, state=liar.state).linkid
        assert found is not None
        assert (found.status, found.reason) == (
            INTEGRITY,
            f"'{liar.operator.issuer}' is on this machine, and its sender is not",
        )
        assert liar.host.targets == [PATH]

    def test_a_next_authority_without_a_record_proves_nothing(self, liar: Resolver, honest: Resolver) -> None:
        honest.serves(json(Custody(honest.operator, liar.operator).referral))
        liar.serves(NOT_FOUND)
        assert (honest.resolved().status, honest.resolved().target) == (UNAVAILABLE, None)

    def test_a_loop_of_transfers_ends(self, liar: Resolver, honest: Resolver) -> None:
        honest.serves(json(Custody(honest.operator, liar.operator).referral))
        liar.serves(json(Custody(liar.operator, honest.operator).referral))
        found = honest.resolved(liar)
        assert found.target is None
        assert found.status in (UNAVAILABLE, INTEGRITY)
        assert [honest.host.targets.count(PATH), liar.host.targets.count(PATH)] == [1, 1]

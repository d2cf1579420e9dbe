"""Decisions between peers: the order of trust, pins, versions, and the evidence of refused claims."""

from hypothesis import given
from hypothesis import strategies as st

from coolid.linkid.peer_decisions import MAX_CONFLICTS, Claim, PeerOutcome, Pin, decide, is_final
from coolid.linkid.results import RefusedClaim, ResolutionResult

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
ISSUERS = [f"https://{name}.example" for name in "abcd"]


def claim(root: int, version: int = 1, issuer: int | None = None, digest: str = "1", to: int | None = None) -> Claim:
    issuer_url = ISSUERS[root if issuer is None else issuer]
    result = ResolutionResult(id=LINKID, status="active", target_url=f"{issuer_url}/", record={"issuer": issuer_url})
    refers_to = None if to is None else ISSUERS[to]
    return Claim(root, ISSUERS[root], issuer_url, version, digest, result, 300, refers_to)


def found(peer: int, of: Claim) -> PeerOutcome:
    return PeerOutcome(ISSUERS[peer], "found", claim=of)


def outcome(peer: int, kind: str) -> PeerOutcome:
    refused = RefusedClaim(ISSUERS[peer], "its signature does not fit", {}) if kind == "refused" else None
    return PeerOutcome(ISSUERS[peer], kind, refused=refused, detail=kind)


def test_the_root_that_is_most_trusted_wins_whoever_answers() -> None:
    answer = decide([found(0, claim(2)), found(1, claim(1)), found(2, claim(0, 7, issuer=2))], None)
    assert answer.claim == claim(0, 7, issuer=2)
    assert [conflict.issuer for conflict in answer.conflicts] == [ISSUERS[2], ISSUERS[1]]
    assert all(conflict.record and "more trusted" in conflict.reason for conflict in answer.conflicts)


def test_of_one_root_the_highest_version_wins_without_a_conflict() -> None:
    transfer, continued = claim(0, 3, to=1), claim(0, 4, issuer=1)
    answer = decide([found(0, transfer), found(1, continued)], None)
    assert (answer.claim, answer.conflicts) == (continued, ())


def test_a_fork_of_the_history_is_reported() -> None:
    answer = decide([found(0, claim(0)), found(1, claim(0, digest="2"))], None)
    assert answer.claim == claim(0)
    assert "forks" in answer.conflicts[0].reason


def test_a_pinned_root_stays_whatever_others_claim_while_it_is_offline() -> None:
    answer = decide([outcome(0, "unavailable"), found(1, claim(1))], Pin(ISSUERS[0], 3))
    assert (answer.kind, answer.claim) == ("unavailable", None)
    assert [conflict.issuer for conflict in answer.conflicts] == [ISSUERS[1]]
    answer = decide([found(0, claim(0)), found(1, claim(1))], Pin(ISSUERS[1], 1))
    assert answer.claim == claim(1)
    assert "verified before" in answer.conflicts[0].reason


def test_an_older_version_than_the_one_seen_is_no_answer_and_no_conflict() -> None:
    answer = decide([found(0, claim(0, 2))], Pin(ISSUERS[0], 3))
    assert (answer.kind, answer.conflicts) == ("unavailable", ())
    assert answer.details == ((ISSUERS[0], "it answered with version 2, older than version 3 seen before"),)


def test_without_a_record_the_kind_of_failure_counts() -> None:
    def kind(*kinds: str) -> str:
        return decide([outcome(number, each) for number, each in enumerate(kinds)], None).kind

    assert kind() == kind("unknown", "unknown") == "unknown"
    assert kind("unknown", "denied") == "denied"
    assert kind("unknown", "refused", "denied") == "refused"
    assert kind("refused", "unavailable", "denied") == "unavailable"


def test_only_the_pinned_authority_ends_a_lookup_early() -> None:
    pin = Pin(ISSUERS[0], 2)
    assert is_final(found(0, claim(0, 2)), pin)
    assert is_final(found(1, claim(0, 4, issuer=1)), pin)
    assert not is_final(found(0, claim(0, 2)), None)
    assert not is_final(found(0, claim(0, 1)), pin)
    assert not is_final(found(0, claim(0, 3, to=1)), pin)
    assert not is_final(found(1, claim(0, 2)), pin)
    assert not is_final(found(1, claim(1, 2)), pin)
    assert not is_final(outcome(0, "unknown"), pin)


outcomes = st.lists(
    st.builds(outcome, st.integers(0, 3), st.sampled_from(["unknown", "denied", "unavailable", "refused"]))
    | st.builds(
        found,
        st.integers(0, 3),
        st.builds(claim, st.integers(0, 3), st.integers(1, 4), st.integers(0, 3), st.sampled_from("12")),
    ),
    max_size=9,
)
pins = st.none() | st.builds(Pin, st.sampled_from(ISSUERS), st.integers(1, 4))


@given(outcomes=outcomes, pin=pins)
def test_nothing_outranks_the_chosen_record(outcomes: list[PeerOutcome], pin: Pin | None) -> None:
    answer = decide(outcomes, pin)
    claims = [each.claim for each in outcomes if each.claim is not None]
    eligible = [each for each in claims if pin is None or (each.root == pin.root and each.version >= pin.version)]
    assert (answer.claim is None) is (not eligible)
    assert len(answer.conflicts) <= MAX_CONFLICTS
    if answer.claim is not None:
        assert all((answer.claim.rank, -answer.claim.version) <= (each.rank, -each.version) for each in eligible)
    else:
        assert (answer.kind == "unknown") is all(each.kind == "unknown" for each in outcomes)

"""Lookups at peers: requests, deadlines, caches, single flight, referrals, and offline, lying and slow peers."""

from collections.abc import Callable
from threading import Event, Thread

import pytest

from coolid.linkid.back_off import PAUSE_SECONDS
from coolid.linkid.peer_cache import DEFAULT_TTL, MAX_STALE_SECONDS, NEGATIVE_SECONDS
from coolid.linkid.peer_lookup import LIMIT_SECONDS, MAX_LOOKUPS, LookupResult, PeerLookup
from tests.support.servers.simulated_peers import (
    LINKID,
    OFFLINE,
    OTHER,
    UNKNOWN,
    A,
    Answer,
    B,
    C,
    Clock,
    D,
    SimulatedPeers,
    answer,
    result,
    simulated_lookup,
)


def target(found: LookupResult) -> str | None:
    assert found.answer.claim is not None, found
    return found.answer.claim.result.usable_target


def test_all_peers_are_queried_once_and_must_not_forward() -> None:
    peers = SimulatedPeers(a=UNKNOWN, b=answer(200, result(B)))
    found = simulated_lookup(peers, Clock()).lookup(LINKID)
    assert (target(found), found.cached, found.seconds) == (f"{B}/thing", False, 300)
    assert peers.requests == [f"{issuer}/resolve/{LINKID}?forward=no" for issuer in (A, B)]


def test_a_record_is_fresh_for_as_long_as_its_peer_says_and_no_longer_than_own_ones() -> None:
    clock, peers = Clock(), SimulatedPeers(a=answer(200, result(A), max_age=60), b=UNKNOWN)
    lookup = simulated_lookup(peers, clock)
    lookup.lookup(LINKID)
    clock.seconds += 59
    again = lookup.lookup(LINKID)
    assert (target(again), again.cached, again.seconds) == (f"{A}/thing", True, 1)
    assert len(peers.issuers()) == 2
    clock.seconds += 1
    peers.answers[A] = answer(200, result(A), max_age=86_400)
    assert lookup.lookup(LINKID).seconds == DEFAULT_TTL
    assert peers.issuers() == [A, B]


def test_what_a_peer_forbids_to_store_is_not_stored() -> None:
    peers = SimulatedPeers(a=answer(200, result(A), cache_control="no-store"), b=UNKNOWN)
    lookup = simulated_lookup(peers, Clock())
    assert target(lookup.lookup(LINKID)) == target(lookup.lookup(LINKID)) == f"{A}/thing"
    assert len(peers.issuers()) == 4
    peers.answers[A] = OFFLINE
    assert lookup.lookup(LINKID).answer.kind == "unavailable"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (UNKNOWN, "unknown"),
        (answer(403, {"error": "policy_denied"}), "denied"),
        (answer(200, result(C)), "refused"),
        (answer(200, result(A, id=OTHER)), "refused"),
        (OFFLINE, "unavailable"),
        ((200, {"content-type": "text/html"}, b"<p>Hello"), "unavailable"),
        ((302, {"location": "https://example.org/"}, b""), "unavailable"),
    ],
)
def test_absences_and_failures_are_cached_briefly(reply: Answer, kind: str) -> None:
    clock, peers = Clock(), SimulatedPeers(a=reply, b=UNKNOWN)
    lookup = simulated_lookup(peers, clock)
    assert lookup.lookup(LINKID).answer.kind == lookup.lookup(LINKID).answer.kind == kind
    assert peers.issuers() == [A, B]
    clock.seconds += NEGATIVE_SECONDS
    peers.answers[A] = answer(200, result(A))
    found = lookup.lookup(LINKID)
    expected = ("unavailable", [B]) if kind == "unavailable" else ("found", [A, B])
    assert (found.answer.kind, peers.issuers()) == expected


def test_an_offline_peer_is_queried_once_per_pause_whatever_is_looked_up() -> None:
    clock, peers = Clock(), SimulatedPeers(a=OFFLINE, b=UNKNOWN)
    lookup = simulated_lookup(peers, clock)
    for number in range(50):
        assert lookup.lookup(LINKID[:-2] + f"{number:02}").answer.kind == "unavailable"
    assert peers.issuers().count(A) == 1
    clock.seconds += PAUSE_SECONDS
    for number in range(50):
        lookup.lookup(LINKID[:-2] + f"{number:02}")
    assert peers.issuers().count(A) == 1
    clock.seconds += PAUSE_SECONDS
    lookup.lookup(OTHER)
    assert peers.issuers() == [B]


def test_a_slow_peer_counts_as_offline_and_the_lookup_ends_in_time() -> None:
    clock = Clock()

    def slow(_url: str) -> Answer:
        clock.seconds += LIMIT_SECONDS
        raise ConnectionError("it did not answer in time")

    peers = SimulatedPeers(a=answer(200, result(A)), b=slow)
    lookup = simulated_lookup(peers, clock)
    assert target(lookup.lookup(LINKID)) == f"{A}/thing"
    assert lookup.lookup(OTHER).answer.kind == "unavailable"
    assert peers.issuers() == [A, B, A]


def test_a_stale_record_bridges_an_outage_of_a_day() -> None:
    clock, peers = Clock(), SimulatedPeers(a=answer(200, result(A)), b=UNKNOWN)
    lookup = simulated_lookup(peers, clock)
    lookup.lookup(LINKID)
    peers.answers[A] = OFFLINE
    clock.seconds += DEFAULT_TTL + 7
    for _ in range(3):
        stale = lookup.lookup(LINKID)
        assert (target(stale), stale.cached, stale.seconds) == (f"{A}/thing", True, -7)
    assert peers.issuers() == [A, B, A, B]
    clock.seconds += MAX_STALE_SECONDS
    assert lookup.lookup(LINKID).answer.kind == "unavailable"


def test_a_stale_record_is_no_answer_once_its_peer_has_none() -> None:
    clock, peers = Clock(), SimulatedPeers(a=answer(200, result(A)), b=UNKNOWN)
    lookup = simulated_lookup(peers, clock)
    lookup.lookup(LINKID)
    peers.answers[A] = UNKNOWN
    clock.seconds += DEFAULT_TTL
    assert lookup.lookup(LINKID).answer.kind == "unknown"


def test_a_later_claim_of_another_root_is_refused_with_the_evidence() -> None:
    clock, peers = Clock(), SimulatedPeers(a=UNKNOWN, b=answer(200, result(B)))
    lookup = simulated_lookup(peers, clock)
    lookup.lookup(LINKID)
    clock.seconds += DEFAULT_TTL
    peers.answers |= {A: answer(200, result(A)), B: OFFLINE}
    stale = lookup.lookup(LINKID)
    assert (target(stale), stale.seconds) == (f"{B}/thing", 0)
    clock.seconds += MAX_STALE_SECONDS
    refused = lookup.lookup(LINKID).answer
    assert (refused.kind, refused.claim) == ("unavailable", None)
    assert [(conflict.issuer, bool(conflict.record)) for conflict in refused.conflicts] == [(A, True)]
    peers.answers[B] = UNKNOWN
    clock.seconds += 300
    assert lookup.lookup(LINKID).answer.kind == "refused"


def test_a_rogue_peer_is_refused_and_shown() -> None:
    peers = SimulatedPeers(a=answer(200, result(A)), b=answer(200, result(B)), d=answer(200, result(D)))
    found = simulated_lookup(peers, Clock(), A, B).lookup(LINKID)
    assert target(found) == f"{A}/thing"
    assert [conflict.issuer for conflict in found.answer.conflicts] == [B]


class TestReferrals:
    """A moved its record to B, and answers with the transfer."""

    def test_the_recipient_is_queried_once_if_it_is_no_peer(self) -> None:
        peers = SimulatedPeers(a=answer(200, result(A, 3, to=B)), b=answer(200, result(B, 4, root=A)))
        found = simulated_lookup(peers, Clock(), A).lookup(LINKID)
        assert (target(found), found.answer.conflicts) == (f"{B}/thing", ())
        assert peers.requests == [f"{issuer}/resolve/{LINKID}?forward=no" for issuer in (A, B)]

    def test_a_peer_is_not_queried_again(self) -> None:
        peers = SimulatedPeers(a=answer(200, result(A, 3, to=B)), b=UNKNOWN)
        assert target(simulated_lookup(peers, Clock(), A, B).lookup(LINKID)) == f"{A}/thing"
        assert peers.issuers() == [A, B]

    @pytest.mark.parametrize("reply", [OFFLINE, UNKNOWN, answer(200, result(B, 4)), answer(200, result(B, 2, root=A))])
    def test_without_a_verified_reply_the_transfer_itself_is_the_answer(self, reply: Answer) -> None:
        peers = SimulatedPeers(a=answer(200, result(A, 3, to=B)), b=reply)
        assert target(simulated_lookup(peers, Clock(), A).lookup(LINKID)) == f"{A}/thing"

    def test_a_chain_of_referrals_is_followed_once(self) -> None:
        peers = SimulatedPeers(
            a=answer(200, result(A, 3, to=B)),
            b=answer(200, result(B, 6, root=A, to=C)),
            c=answer(200, result(C, 7, root=A)),
        )
        assert target(simulated_lookup(peers, Clock(), A).lookup(LINKID)) == f"{B}/thing"
        assert peers.issuers() == [A, B]

    @pytest.mark.parametrize(
        "recipient", ["http://b.example", "http://127.0.0.1:8080", "https://localhost", "nonsense"]
    )
    def test_a_peer_cannot_make_this_service_query_its_own_machine(self, recipient: str) -> None:
        peers = SimulatedPeers(a=answer(200, result(A, 3, to=recipient)))
        assert target(simulated_lookup(peers, Clock(), A).lookup(LINKID)) == f"{A}/thing"
        assert peers.issuers() == [A]

    def test_an_offline_recipient_is_queried_once_per_pause(self) -> None:
        clock, peers = Clock(), SimulatedPeers(a=answer(200, result(A, 3, to=B), max_age=0), b=OFFLINE)
        lookup = simulated_lookup(peers, clock, A)
        for _ in range(5):
            lookup.lookup(LINKID)
        assert peers.issuers().count(B) == 1


class TestThreads:
    """With real threads, in an order that the tests choose."""

    @staticmethod
    def held(event: Event, reply: Answer) -> Callable[[str], Answer]:
        def wait(_url: str) -> Answer:
            assert event.wait(10)
            return reply

        return wait

    @staticmethod
    def start(function: Callable[[], None]) -> None:
        Thread(target=function).start()

    def test_a_burst_of_equal_requests_causes_one_lookup(self) -> None:
        event = Event()
        peers = SimulatedPeers(a=self.held(event, answer(200, result(A))))
        lookup = simulated_lookup(peers, Clock(), A)
        found: list[LookupResult] = []
        threads = [Thread(target=lambda: found.append(lookup.lookup(LINKID))) for _ in range(8)]
        for thread in threads:
            thread.start()
        event.set()
        for thread in threads:
            thread.join()
        assert {target(each) for each in found} == {f"{A}/thing"}
        assert len(found) == 8
        assert peers.issuers() == [A]

    def test_the_known_authority_ends_a_lookup_and_later_replies_complete_it(self) -> None:
        clock, event = Clock(), Event()
        peers = SimulatedPeers(a=answer(200, result(A)), d=UNKNOWN)
        lookup = simulated_lookup(peers, clock, A, D, start=self.start)
        lookup.lookup(LINKID)
        clock.seconds += DEFAULT_TTL
        peers.answers[D] = self.held(event, answer(200, result(D)))
        early = lookup.lookup(LINKID)
        assert (target(early), early.answer.conflicts) == (f"{A}/thing", ())
        event.set()
        while not (late := lookup.lookup(LINKID).answer).conflicts:
            pass
        assert [conflict.issuer for conflict in late.conflicts] == [D]

    def test_the_number_of_lookups_at_a_time_is_bounded(self) -> None:
        event, started = Event(), Event()
        waiting = []

        def hold(url: str) -> Answer:
            waiting.append(url)
            if len(waiting) == MAX_LOOKUPS:
                started.set()
            assert event.wait(10)
            return UNKNOWN

        lookup: PeerLookup = simulated_lookup(SimulatedPeers(a=hold), Clock(), A)
        names = [LINKID[:-2] + f"{number:02}" for number in range(MAX_LOOKUPS)]
        threads = [Thread(target=lookup.lookup, args=[name]) for name in names]
        for thread in threads:
            thread.start()
        assert started.wait(10)
        assert lookup.lookup(OTHER).answer.kind == "unavailable"
        event.set()
        for thread in threads:
            thread.join()
        assert lookup.lookup(OTHER).answer.kind == "unknown"

"""One query to one peer: the request, its back-off, and the verification of the reply.

Every query has an outcome, whatever the peer does. `forward=no` is added to each request, so that a peer does not query
its own peers (`docs/how-to/operator/peers.md`).

>>> query_url("https://a.example/resolve/linkid%3A1")
'https://a.example/resolve/linkid%3A1?forward=no'
"""

from collections.abc import Callable
from typing import Final, Protocol

from coolid.deadlines import Deadline
from coolid.linkid.back_off import BackOffs
from coolid.linkid.issuer_keys import KeysUnavailable
from coolid.linkid.peer_decisions import REFUSED, UNAVAILABLE, Claim, PeerOutcome
from coolid.linkid.peer_replies import PeerClient, PeerReply, PeerResponse, read_reply
from coolid.linkid.results import RefusedClaim, ResolutionResult
from coolid.linkid.trusted_resolvers import TrustedResolver

FORWARD: Final = "forward"
"""The query parameter of a resolution that forbids further lookups with the value `no`."""
NO_FORWARD: Final = "no"


class ResultVerifier(Protocol):
    """Verifies results (`coolid.linkid.peer_evidence`)."""

    def verify(
        self, result: ResolutionResult, linkid: str, max_age: int | None, deadline: Deadline
    ) -> Claim | RefusedClaim:
        """Return a result that is verified, or the reason why it is refused. Raises `KeysUnavailable`."""


class PeerQueries:
    """Queries peers by `client` and verifies their replies by `verifier`. Thread-safe."""

    def __init__(self, client: PeerClient, back_offs: BackOffs, verifier: ResultVerifier) -> None:
        self._client = client
        self._back_offs = back_offs
        self._verifier = verifier

    def outcome(
        self, peer: TrustedResolver, linkid: str, deadline: Deadline, is_abandoned: Callable[[], bool]
    ) -> PeerOutcome:
        """Return what came of a query before the deadline. Raises `TimeoutError` if no time is left for it.

        A failure does not count if the lookup `is_abandoned`, because Lambda may stop the process after an answer.
        """
        deadline.remaining_seconds()
        back_off = self._back_offs.of(peer.issuer)
        token = back_off.begin()
        if token is None:
            return PeerOutcome(peer.issuer, UNAVAILABLE, detail="it failed a moment ago")
        reply = self._reply(query_url(peer.url(linkid)), deadline)
        if reply.works:
            back_off.succeeded()
        elif not is_abandoned():
            back_off.failed(token, reply.retry_after)
        if reply.result is None:
            return PeerOutcome(peer.issuer, reply.kind, detail=reply.detail)
        try:
            verified = self._verifier.verify(reply.result, linkid, reply.max_age, deadline)
        except KeysUnavailable as error:
            return PeerOutcome(peer.issuer, UNAVAILABLE, detail=str(error))
        if isinstance(verified, RefusedClaim):
            return PeerOutcome(peer.issuer, REFUSED, refused=verified)
        return PeerOutcome(peer.issuer, reply.kind, claim=verified)

    def _reply(self, url: str, deadline: Deadline) -> PeerReply:
        try:
            return read_reply(PeerResponse(*self._client.get(url, deadline)))
        except (ConnectionError, TimeoutError) as error:
            return PeerReply("unavailable", detail=str(error), works=False)


def query_url(url: str) -> str:
    """Return the URL of a request that the peer does not forward."""
    return f"{url}{'&' if '?' in url else '?'}{FORWARD}={NO_FORWARD}"

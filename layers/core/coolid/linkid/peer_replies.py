"""Replies of a peer about a LinkID: which responses are resolution results, and for how long they are fresh.

Only JSON with the members of the draft's HTTPS binding is a result (draft-linkgenetic-linkid-uri-01, section 5.3). A
page, an intermediary's error or a server error says nothing about the LinkID. A reply is unverified.

>>> response = PeerResponse(404, {"content-type": "application/json"}, b'{"error": "not_found"}')
>>> read_reply(response).kind
'unknown'
>>> read_reply(PeerResponse(404, {"content-type": "text/html"}, b"<p>404")).detail
'it answered with text/html (status 404), which is no resolution result'
"""

from collections.abc import Mapping
from typing import Final, Literal, Protocol

from msgspec import Struct

from coolid.deadlines import Deadline
from coolid.linkid import results
from coolid.linkid.freshness import max_age_of, seconds_of
from coolid.linkid.results import InvalidResult, ResolutionResult, from_response

MAX_RESPONSE_BYTES: Final = 1_000_000
"""The largest response of a peer, with its head. A larger record is not resolved for others."""


class PeerResponse(Struct, frozen=True):
    """A complete HTTP response; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class PeerClient(Protocol):
    """Sends requests to peers and to the issuers of keys."""

    def get(self, url: str, deadline: Deadline) -> tuple[int, Mapping[str, str], bytes]:
        """Return the members of a `PeerResponse` to a GET for JSON, without following redirects.

        Raises `ConnectionError`, whose message is the reason, if there is no complete response of at most
        `MAX_RESPONSE_BYTES` before the deadline.
        """


Kind = Literal["found", "unknown", "denied", "unavailable"]


class PeerReply(Struct, frozen=True):
    """What a peer replied: a `result` if it has the LinkID, or no such thing for the reason `detail`.

    The peer `works` if the reply says nothing about other LinkIDs. A failing peer names the seconds `retry_after`, or
    0. The reply is fresh for `max_age` seconds; None forbids to store it.
    """

    kind: Kind
    result: ResolutionResult | None = None
    detail: str = ""
    works: bool = True
    max_age: int | None = 0
    retry_after: int = 0


def read_reply(response: PeerResponse) -> PeerReply:
    """Return what a response says."""
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        result = from_response(response.status, media_type, response.body)
    except InvalidResult as error:
        detail = str(error)
    else:
        match result.error:
            case None | results.GONE if result.id is not None:
                return PeerReply("found", result, max_age=max_age_of(response.headers))
            case results.NOT_FOUND:
                return PeerReply("unknown", detail="it has no record")
            case results.POLICY_DENIED:
                return PeerReply("denied", detail="its policy denies the resolution")
            case results.INTEGRITY_FAILURE:
                return PeerReply("unavailable", detail="its own record failed verification")
        detail = f"it answered {result.error!r} (status {response.status}), which says nothing about the LinkID"
    retry_after = seconds_of(response.headers.get("retry-after", "")) or 0
    return PeerReply("unavailable", detail=detail, works=False, retry_after=retry_after)

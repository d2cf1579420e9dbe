"""The decision between the replies of several peers about one LinkID.

A verified record counts by its *root*: the first issuer in its chain of custody that the configuration trusts. The
root that comes first in the configured order wins, unless another one was verified before: then only that one counts,
so that an authority cannot change because peers are offline. Of one root, the record with the highest version wins, as
a transfer of custody continues the chain of versions. An older version than the highest one seen before does not count.
Claims of other roots are refused, and reported as conflicts.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from coolid.linkid.results import RefusedClaim, ResolutionResult

FOUND: Final = "found"
UNKNOWN: Final = "unknown"
DENIED: Final = "denied"
UNAVAILABLE: Final = "unavailable"
REFUSED: Final = "refused"
MAX_CONFLICTS: Final = 8


class Claim(Struct, frozen=True):
    """A verified result: its root's place in the configured order, that issuer, and the record's issuer and version.

    `digest` identifies the version. The result `refers_to` the issuer to which the record was transferred, if that is
    all that it says. `max_age` is for how long it is fresh, in seconds; None forbids to store it.
    """

    rank: int
    root: str
    issuer: str
    version: int
    digest: str
    result: ResolutionResult
    max_age: int | None
    refers_to: str | None = None


class PeerOutcome(Struct, frozen=True):
    """What came of the query to one `peer`: a `claim`, a `refused` one, or neither for the reason `detail`."""

    peer: str
    kind: str
    claim: Claim | None = None
    refused: RefusedClaim | None = None
    detail: str = ""


class Pin(Struct, frozen=True):
    """The root of the record that was verified before for a LinkID, and the highest version seen."""

    root: str
    version: int


class PeerAnswer(Struct, frozen=True):
    """The answer for a LinkID: one of the kinds above, and the `claim` if it was found.

    `conflicts` are the refused claims. `details` say what the peers that could not be queried lack, by peer.
    """

    kind: str
    claim: Claim | None = None
    conflicts: tuple[RefusedClaim, ...] = ()
    details: tuple[tuple[str, str], ...] = ()


def decide(outcomes: Iterable[PeerOutcome], pin: Pin | None) -> PeerAnswer:
    """Return the answer from the outcomes of all queries, in the configured order of the peers."""
    outcomes = tuple(outcomes)
    claims = [outcome.claim for outcome in outcomes if outcome.claim is not None]
    eligible = [claim for claim in claims if pin is None or (claim.root == pin.root and claim.version >= pin.version)]
    best = min(eligible, key=lambda claim: (claim.rank, -claim.version), default=None)
    others = (_refusal(claim, best, pin) for claim in claims if claim is not best)
    refused = [outcome.refused for outcome in outcomes if outcome.refused is not None]
    conflicts = (*refused, *(each for each in others if each is not None))[:MAX_CONFLICTS]
    missing = tuple((each.peer, each.detail) for each in outcomes if each.kind == UNAVAILABLE)
    if best is None and pin is not None:
        missing += tuple(_replays(outcomes, pin))
    if best is not None:
        return PeerAnswer(FOUND, best, conflicts, missing)
    if missing:
        return PeerAnswer(UNAVAILABLE, None, conflicts, missing)
    if conflicts:
        return PeerAnswer(REFUSED, None, conflicts)
    return PeerAnswer(DENIED if any(outcome.kind == DENIED for outcome in outcomes) else UNKNOWN)


def is_final(outcome: PeerOutcome, pin: Pin | None) -> bool:
    """Return whether no other peer's reply is needed: the pinned authority itself answers.

    Without a pin all peers are waited for, because the first decision about a LinkID is kept.
    """
    claim = outcome.claim
    return (
        claim is not None
        and pin is not None
        and claim.root == pin.root
        and claim.version >= pin.version
        and claim.issuer == outcome.peer
        and claim.refers_to is None
    )


def _replays(outcomes: Iterable[PeerOutcome], pin: Pin) -> Iterator[tuple[str, str]]:
    """Yield the peers that have only an older version than the one seen before, as caches on the way may, and why."""
    for outcome in outcomes:
        claim = outcome.claim
        if claim is not None and claim.root == pin.root and claim.version < pin.version:
            yield (
                outcome.peer,
                f"it answered with version {claim.version}, older than version {pin.version} seen before",
            )


def _refusal(claim: Claim, best: Claim | None, pin: Pin | None) -> RefusedClaim | None:
    """Return why a verified claim does not count; None for an older or the same version of the record that does."""
    reason = None
    if pin is not None and claim.root != pin.root:
        reason = f"the LinkID was verified before as one of {pin.root}"
    elif best is not None and claim.root != best.root:
        reason = f"the LinkID is one of {best.root}, which is more trusted here"
    elif best is not None and claim.version == best.version and claim.digest != best.digest:
        reason = f"there are two different versions {claim.version}: the history forks"
    return RefusedClaim(claim.issuer, reason, claim.result.record) if reason is not None else None

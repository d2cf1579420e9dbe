"""One resolution of a LinkID as a flow: resolvers are queried in order until one gives a result that can be used.

Specification: draft-linkgenetic-linkid-uri-01, sections 5, 6, 11 and 12. The rules are:

- A response that is no resolution result, a server error and a stale response count as no answer.
- A result that fails a check is refused, and the next resolver is queried. If none gives a verified result, the state
  is integrity-failure.
- A LinkID is unknown only if each configured resolver was queried, and all of them have no record. If one could not be
  queried, or this user has seen the LinkID before, the state is temporarily-unavailable.
- policy-denied ends the resolution, because another resolver must not bypass a policy.
- After a transfer of custody, the next authority is queried once. Each endpoint is queried at most once.
"""

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from coolid.client.discovery import DiscoveryAttempt
from coolid.client.errors import ClientError, RefusedByClient
from coolid.client.flows import Flow
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.client.linkid.answers import FalseResult, read_answer, result_request
from coolid.client.linkid.linkid_resolution import LinkIdResolution
from coolid.client.linkid.resolver_sources import CONFIGURED, REFERRAL, NamedResolver, ResolverSources
from coolid.client.linkid.result_verifier import RefusedResult, SeenResultVerifier, VerifiedResult
from coolid.client.linkid.target_rules import DEFAULT_SCHEMES, target_objection
from coolid.client.retries import TEMPORARY, RetryPolicy, with_retries
from coolid.linkid import states
from coolid.linkid.results import ResolutionResult
from coolid.ports import Seconds
from coolid.proofs.verdicts import CheckOutcome, quoted

MAX_REFERRALS: Final = 8
"""The maximum number of transfers of custody that one resolution follows."""


class QuerySettings(Struct, frozen=True):
    """How resolvers are queried, and which schemes targets may have. `now` returns seconds since 1970.

    With `with_inclusion`, results are requested with the proofs that their records are in a log.
    """

    now: Seconds
    policy: RetryPolicy
    seconds: float
    language: str | None = None
    schemes: Collection[str] = DEFAULT_SCHEMES
    with_inclusion: bool = False


class LinkIdQuery:
    """The resolution of one canonical `linkid`."""

    def __init__(
        self, linkid: str, sources: ResolverSources, verifier: SeenResultVerifier, settings: QuerySettings
    ) -> None:
        self._linkid = linkid
        self._sources = sources
        self._verifier = verifier
        self._settings = settings
        self._queried = set[str]()
        self._attempts: list[DiscoveryAttempt] = []
        self._unknown_at: list[NamedResolver] = []
        self._unavailable: list[NamedResolver] = []
        self._refused: list[tuple[NamedResolver, tuple[CheckOutcome, ...]]] = []

    def run(self) -> Flow[LinkIdResolution]:
        """Return the resolution. Raises `UsageError` for a damaged file of the user's state, and `OSError`."""
        for named in self._sources:
            if isinstance(named, DiscoveryAttempt):
                self._attempts.append(named)
                continue
            if named.source not in CONFIGURED and (self._unknown_at or self._refused):
                break  # a configured resolver answered
            resolution = yield from self._query(named, self._sources.authorities(named))
            if resolution is not None:
                return resolution
        return self._conclusion()

    def _query(
        self, named: NamedResolver, authorities: tuple[str, ...], referrals: int = 0
    ) -> Flow[LinkIdResolution | None]:
        """Return the resolution by one resolver and those that it refers to, or None if it gives no usable result."""
        if named.resolver.endpoint in self._queried:
            return None
        self._queried.add(named.resolver.endpoint)
        request = self._request(named)
        try:
            answer = yield from with_retries(request, self._settings.policy, accepted=_is_final)
            result = read_answer(answer, self._linkid, self._settings.now())
            if result.status in states.WITHOUT_RECORD:
                return self._by_statement(named, result)
            verified = yield from self._verifier.verify(named.resolver, result, self._linkid, authorities)
        except FalseResult as error:
            self._refuse(named, CheckOutcome("result", False, str(error)))
        except RefusedResult as refused:
            self._refuse(named, *refused.checks)
        except ClientError as error:
            self._skip(named, str(error))
        else:
            if verified.next_authority is None:
                return self._by_result(named, verified)
            return (yield from self._by_referral(named, verified.next_authority, authorities, referrals + 1))
        return None

    def _request(self, named: NamedResolver) -> HttpRequest:
        settings = self._settings
        return result_request(
            named.resolver, self._linkid, settings.language, settings.seconds, with_inclusion=settings.with_inclusion
        )

    def _by_statement(self, named: NamedResolver, result: ResolutionResult) -> LinkIdResolution | None:
        """Return the resolution by an answer without a record, if it is final."""
        detail = f": {result.detail.rstrip('.')}" if result.detail else ""
        if result.status == states.POLICY_DENIED:
            return self._resolution(states.POLICY_DENIED, f"the policy of the resolver denies it{detail}", named)
        if result.status == states.UNKNOWN:
            self._attempts.append(DiscoveryAttempt(named.resolver.endpoint, "it has no record of this LinkID"))
            self._unknown_at.append(named)
        elif result.status == states.INTEGRITY_FAILURE:
            reported = f"it reports that its own record failed verification{detail}"
            self._refuse(named, CheckOutcome("record", False, reported))
        else:
            self._skip(named, f"it cannot answer now{detail}")
        return None

    def _by_result(self, named: NamedResolver, verified: VerifiedResult) -> LinkIdResolution:
        """Return the resolution by a verified result, with its target if the local policy allows that."""
        result = verified.result
        status, target = str(result.status), result.usable_target
        reason = _reason(result)
        if target is not None:
            objection = target_objection(target, named.resolver.endpoint, self._settings.schemes)
            if objection is not None:
                reason = f"the target {quoted(target)} is not used: {objection}"
                status, target = states.POLICY_DENIED, None
        return self._resolution(status, reason, named, verified, target)

    def _by_referral(
        self, named: NamedResolver, authority: str, authorities: tuple[str, ...], referrals: int
    ) -> Flow[LinkIdResolution | None]:
        """Return the resolution by the issuer that a verified transfer of custody names."""
        self._attempts.append(DiscoveryAttempt(named.resolver.endpoint, f"it transferred the LinkID to {authority}"))
        try:
            following = NamedResolver(self._sources.resolver_of(authority), REFERRAL)
        except RefusedByClient as error:
            self._skip(named, f"the next authority cannot be queried: {error}")
            return None
        if referrals > MAX_REFERRALS:
            self._skip(named, f"there are more than {MAX_REFERRALS} transfers")
            return None
        resolution = yield from self._query(following, authorities, referrals)
        if resolution is None and following not in self._unavailable:
            self._unavailable.append(following)  # it should have a record, so nothing follows if it has none
        return resolution

    def _skip(self, named: NamedResolver, problem: str) -> None:
        self._attempts.append(DiscoveryAttempt(named.resolver.endpoint, problem))
        self._unavailable.append(named)

    def _refuse(self, named: NamedResolver, *checks: CheckOutcome) -> None:
        problem = next(check.detail for check in checks if not check.passed)
        self._attempts.append(DiscoveryAttempt(named.resolver.endpoint, f"refused: {problem}"))
        self._refused.append((named, checks))

    def _conclusion(self) -> LinkIdResolution:
        """Return the resolution without a usable result."""
        if self._refused:
            named, checks = self._refused[0]
            reason = next(check.detail for check in checks if not check.passed)
            return self._resolution(states.INTEGRITY_FAILURE, reason, named, checks=checks)
        if self._unavailable or not self._unknown_at:
            reason = "no trusted resolver gives an answer now"
            if self._unknown_at:
                reason = "a trusted resolver cannot be queried now, and may have a record"
            return self._resolution(states.TEMPORARILY_UNAVAILABLE, reason)
        seen = self._verifier.seen(self._linkid)
        if seen is not None:
            reason = f"no trusted resolver has a record now, but this user has seen version {seen.version}"
            return self._resolution(states.TEMPORARILY_UNAVAILABLE, reason)
        return self._resolution(states.UNKNOWN, "no trusted resolver has a record", self._unknown_at[0])

    def _resolution(
        self,
        status: str,
        reason: str,
        named: NamedResolver | None = None,
        verified: VerifiedResult | None = None,
        target: str | None = None,
        checks: tuple[CheckOutcome, ...] = (),
    ) -> LinkIdResolution:
        return LinkIdResolution(
            self._linkid,
            status,
            reason,
            target,
            resolver=named.resolver.endpoint if named else None,
            source=named.source if named else None,
            authority=verified.authority if verified else None,
            trust=verified.trust if verified else None,
            result=verified.result if verified else None,
            checks=verified.checks if verified else checks,
            notes=verified.notes if verified else (),
            attempts=tuple(self._attempts),
        )


def _reason(result: ResolutionResult) -> str:
    """Return the reason for the state of a verified result, or an empty text if it is active."""
    if result.status == states.ACTIVE:
        return ""
    if result.status == states.INACTIVE:
        return "the record has no location that may be used now"
    return (
        f"withdrawn{f' at {result.withdrawn_at}' if result.withdrawn_at else ''}: {result.reason or 'without a reason'}"
    )


def _is_final(answer: HttpAnswer) -> bool:
    return answer.status not in TEMPORARY

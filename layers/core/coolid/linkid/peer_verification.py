"""The verification of peers' results: the keys that it needs, the trusted roots, and what may be passed on.

`coolid.linkid.evidence` verifies. The keys of an issuer are fetched only if the issuer is trusted, or if a verified
transfer names it. What a result says beyond its verified record is dropped, except for the time of a check.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from coolid.deadlines import Deadline
from coolid.identifiers import target_policy
from coolid.linkid import states
from coolid.linkid.evidence import KEY, ResultVerdict, verify_result
from coolid.linkid.issuer_keys import IssuerKeys, KeysReplaced
from coolid.linkid.peer_decisions import Claim
from coolid.linkid.results import GONE, RefusedClaim, ResolutionResult
from coolid.linkid.trusted_resolvers import TrustedResolvers
from coolid.proofs.acceptances import ACCEPTANCE
from coolid.proofs.key_sets import KEYS_PATH

MAX_FETCHED_KEY_SETS: Final = 4
"""The most key sets that one result may cause to be fetched; a longer chain of custody needs pinned keys."""


class PeerVerifier:
    """Implements `ResultVerifier`. `seconds` returns the seconds since 1970."""

    def __init__(self, trusted: TrustedResolvers, keys: IssuerKeys, seconds: Callable[[], float]) -> None:
        self._issuers = trusted.issuers
        self._keys = keys
        self._seconds = seconds

    def verify(
        self, result: ResolutionResult, linkid: str, max_age: int | None, deadline: Deadline
    ) -> Claim | RefusedClaim:
        """See `ResultVerifier`."""
        try:
            verdict = self._verdict(result, linkid, deadline)
        except KeysReplaced as error:
            return _refused(result, str(error))
        if not verdict.ok or verdict.root is None or result.record is None:
            return _refused(result, verdict.failure or "the result has no signed record")
        if result.status not in states.WITH_RECORD:
            return _refused(result, f"the record does not prove the status {result.status}")
        objection = _target_objection(result)
        if objection is not None:
            return _refused(result, objection)
        assert verdict.issuer is not None
        assert verdict.version is not None
        return Claim(
            self._issuers.index(verdict.root),
            verdict.root,
            verdict.issuer,
            verdict.version,
            verdict.digest or "",
            _passed_on(result, result.record, verdict),
            max_age,
            verdict.authority if verdict.is_referral else None,
        )

    def _verdict(self, result: ResolutionResult, linkid: str, deadline: Deadline) -> ResultVerdict:
        """Return the verdict with the keys that it needs. Raises `KeysUnavailable`, `KeysReplaced`."""
        keys: dict[str, Mapping[str, Any]] = {}
        while True:
            verdict = verify_result(result, linkid, keys, self._issuers, self._seconds())
            issuer = verdict.unknown_issuer
            if issuer is None or len(keys) >= MAX_FETCHED_KEY_SETS + len(self._issuers):
                break
            keys[issuer] = self._keys.key_set(issuer, deadline)
        if verdict.ok or verdict.checks[-1].name not in (KEY, ACCEPTANCE) or not keys:
            return verdict
        # A key may be newer than the key set that is cached.
        renewed = {issuer: self._keys.key_set(issuer, deadline, renew=True) for issuer in keys}
        return verdict if renewed == keys else verify_result(result, linkid, renewed, self._issuers, self._seconds())


def _target_objection(result: ResolutionResult) -> str | None:
    """Return why a redirect to a target is not allowed, or None."""
    urls = [target.url for target in result.targets] + ([result.target_url] if result.target_url else [])
    reason = next((reason for url in urls if (reason := target_policy.objection(url))), None)
    return None if reason is None else f"a target is not allowed here: {reason}"


def _passed_on(result: ResolutionResult, record: Mapping[str, Any], verdict: ResultVerdict) -> ResolutionResult:
    """Return the result with what the verified record says in the place of what only the peer says."""
    withdrawn = record.get("withdrawn") or {}
    reason = withdrawn.get("reason")
    return replace(
        result,
        error=GONE if result.status in states.WITHDRAWN else None,
        detail=None if reason is None else f"The identifier was withdrawn: {reason}",
        version=verdict.version,
        authoritative=False,
        authority=verdict.authority,
        withdrawn_at=withdrawn.get("at"),
        reason=reason,
        successor=withdrawn.get("successor"),
        keys_url=f"{verdict.issuer}{KEYS_PATH}",
        inclusion_url=result.inclusion_url and f"{record['pid']}?format=tlog-proof&version={verdict.version}",
        inclusion=None,
        conflicts=(),
    )


def _refused(result: ResolutionResult, reason: str) -> RefusedClaim:
    record = result.record
    issuer = record.get("issuer") if record is not None else None
    return RefusedClaim(issuer if isinstance(issuer, str) and issuer else "unknown", reason, record)

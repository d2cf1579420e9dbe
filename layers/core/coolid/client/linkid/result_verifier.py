"""Verification of resolution results by a user: with trusted keys, and with what the user has seen before.

`coolid.linkid.evidence` checks the result itself. Here, the keys of all signers are obtained, the result is compared
with the newest version that this user has seen (replay), and both are stored after a successful verification.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.client.flows import Flow
from coolid.client.linkid.key_trust import KeyTrust, TrustedKeys
from coolid.client.transparency.log_verifier import LogVerdict
from coolid.client.user_state.seen_linkids import SeenLinkIds, SeenVersion
from coolid.linkid.evidence import KEY, RECORD, ResultVerdict, verify_result
from coolid.linkid.results import ResolutionResult
from coolid.linkid.trusted_resolvers import TrustedResolver, is_on_this_machine
from coolid.model.custody import stated_custody
from coolid.ports import Seconds
from coolid.proofs.jws import read_proof
from coolid.proofs.statements import is_signature
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, quoted

MAX_ISSUERS: Final = 8
"""The maximum number of issuers whose keys are needed for one result."""
REPLAY: Final = "replay"


class RefusedResult(Exception):
    """A result failed verification; `checks` has at least one that did not pass."""

    def __init__(self, *checks: CheckOutcome) -> None:
        super().__init__(next(check.detail for check in checks if not check.passed))
        self.checks = checks


class VerifiedResult(Struct, frozen=True):
    """A result that passed all `checks`; the `authority` is the issuer of its record.

    `next_authority` is the issuer to whom the record, a transfer of custody, gives the LinkID; the target of such a
    result is not used. `trust` is a clause.
    """

    result: ResolutionResult
    authority: str
    trust: str
    checks: tuple[CheckOutcome, ...] = ()
    notes: tuple[str, ...] = ()
    next_authority: str | None = None


class SeenResultVerifier:
    """Verifies results by `keys`, and compares them with `seen`. With `signed_only`, unsigned results are refused.

    With `inclusion`, only results are used that it verifies to be in a log. Transfers of custody need no such proof,
    because their targets are not used.
    """

    def __init__(
        self,
        keys: KeyTrust,
        seen: SeenLinkIds,
        now: Seconds,
        *,
        signed_only: bool = False,
        inclusion: Callable[[ResolutionResult], Flow[LogVerdict]] | None = None,
    ) -> None:
        self._keys = keys
        self._seen = seen
        self._now = now
        self._signed_only = signed_only or inclusion is not None
        self._inclusion = inclusion

    def seen(self, linkid: str) -> SeenVersion | None:
        """Return the newest version of a LinkID that this user has seen, or None."""
        return self._seen.read(linkid)

    def verify(
        self, resolver: TrustedResolver, result: ResolutionResult, linkid: str, authorities: Sequence[str]
    ) -> Flow[VerifiedResult]:
        """Return the verified result of a resolver, whose state needs a record.

        Raises `RefusedResult`, the errors of requests for keys, `UsageError` for a damaged file, and `OSError`.
        """
        if result.record is None:
            return (yield from self._unsigned(resolver, result, linkid, authorities))
        found = dict[str, TrustedKeys]()
        verdict = self._verdict(result, linkid, found, authorities)
        while not verdict.ok and len(found) <= MAX_ISSUERS:
            if verdict.unknown_issuer is not None:
                found[verdict.unknown_issuer] = yield from self._signing_keys(verdict.unknown_issuer, authorities)
            elif not (yield from self._renew(result, result.record, found)):
                break
            verdict = self._verdict(result, linkid, found, authorities)
        if not verdict.ok:
            raise RefusedResult(*verdict.checks)
        trust = "; ".join(keys.trust for keys in found.values())
        verified = VerifiedResult(result, str(verdict.issuer), trust, verdict.checks, verdict.notes)
        if verdict.is_referral:
            return replace(verified, next_authority=verdict.authority)
        if self._inclusion is not None:
            logged = yield from self._inclusion(result)
            checks, notes = (*verified.checks, *logged.checks), (*verified.notes, *logged.notes)
            if not all(check.passed for check in logged.checks):
                raise RefusedResult(*checks)
            verified = replace(verified, checks=checks, notes=notes)
        return self._compared(verified, linkid, verdict, found)

    def _verdict(
        self, result: ResolutionResult, linkid: str, found: Mapping[str, TrustedKeys], authorities: Sequence[str]
    ) -> ResultVerdict:
        key_sets = {issuer: keys.key_set for issuer, keys in found.items() if keys.key_set is not None}
        return verify_result(result, linkid, key_sets, authorities, self._now(), signature_check=is_signature)

    def _signing_keys(self, issuer: str, authorities: Sequence[str]) -> Flow[TrustedKeys]:
        """Return the keys of an issuer that a trusted one names. A transfer must not lead to this machine."""
        if issuer not in authorities and is_on_this_machine(issuer) and not all(map(is_on_this_machine, authorities)):
            raise RefusedResult(CheckOutcome(KEY, False, f"{quoted(issuer)} is on this machine, and its sender is not"))
        keys = yield from self._keys.keys(issuer)
        if keys.key_set is None:
            raise RefusedResult(CheckOutcome(KEY, False, f"{keys.trust}, so its signatures cannot be verified"))
        return keys

    def _renew(self, result: ResolutionResult, record: Mapping[str, Any], found: dict[str, TrustedKeys]) -> Flow[bool]:
        """Read the keys of issuers anew that lack a key of the result, and return whether there are new ones."""
        before = dict(found)
        for issuer, key_id in _signers(result, record):
            if issuer in found:
                try:
                    found[issuer] = yield from self._keys.keys_with(issuer, key_id)
                except FailedCheck as failure:
                    raise RefusedResult(failure.check) from failure
        return found != before

    def _unsigned(
        self, resolver: TrustedResolver, result: ResolutionResult, linkid: str, authorities: Sequence[str]
    ) -> Flow[VerifiedResult]:
        """Return a result without a record, which only a trusted resolver that publishes no keys may give."""
        issuer = resolver.issuer
        problem = None
        if issuer not in authorities:
            problem = _untrusted(issuer)
        elif self._signed_only:
            problem = "the answer is not signed, and only signed ones are accepted"
        elif self.seen(linkid) is not None:
            problem = "the answer is not signed, although this user has seen a signed version of the record"
        elif (yield from self._keys.keys(issuer)).key_set is not None:
            problem = f"the answer is not signed, although {issuer} signs its records"
        if problem is not None:
            raise RefusedResult(CheckOutcome(RECORD, False, problem))
        trust = f"not signed: {issuer} publishes no keys, so this is its word over HTTPS"
        checks = (CheckOutcome("id", True, f"the answer is about {linkid}"),)
        return VerifiedResult(replace(result, authority=None, custody=(), targets=()), issuer, trust, checks)

    def _compared(
        self, verified: VerifiedResult, linkid: str, verdict: ResultVerdict, found: Mapping[str, TrustedKeys]
    ) -> VerifiedResult:
        """Return the result unless the user has seen a newer version or another authority; store what was seen."""
        transfers = stated_custody(verified.result.record or {}).transfers
        origin = transfers[0].sender if transfers else verified.authority
        current = SeenVersion(int(verdict.version or 0), str(verdict.digest), verified.authority, origin)
        before = self._seen.read(linkid)
        if before is not None and (problem := self._contradiction(linkid, before, current)):
            raise RefusedResult(*verified.checks, CheckOutcome(REPLAY, False, problem))
        detail = "this user has seen no newer version" if before else "this user sees the LinkID for the first time"
        notes = [note for issuer in found if (note := self._keys.pin(issuer))]
        try:
            if not self._seen.add(linkid, current):
                problem = f"another program has seen a newer version than {current.version} meanwhile"
                raise RefusedResult(*verified.checks, CheckOutcome(REPLAY, False, problem))
        except OSError as error:
            notes.append(f"the version is not stored, so an older one is not refused later: {error.strerror or error}")
        checks = (*verified.checks, CheckOutcome(REPLAY, True, detail))
        return replace(verified, checks=checks, notes=(*verified.notes, *notes))

    def _contradiction(self, linkid: str, before: SeenVersion, current: SeenVersion) -> str | None:
        """Return why a version contradicts the newest one that the user has seen, or None."""
        remedy = f"If its operator confirms the change, remove {self._seen.path(linkid)}"
        if current.origin != before.origin:
            roots = f"now its first authority is {quoted(current.origin)}, before it was {quoted(before.origin)}"
            return f"THE AUTHORITY OF THE LINKID CHANGED without a transfer of custody: {roots}. {remedy}"
        if current.version < before.version:
            return (
                f"it is version {current.version}, but this user has seen version {before.version}: it is out of date"
            )
        if current.version == before.version and current.digest != before.digest:
            return f"this user has seen another version {current.version}, so the history forks. {remedy}"
        return None


def _signers(result: ResolutionResult, record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the issuers that a result states, with the ids of the keys of their signatures; nothing is verified."""
    documents = (*(each.record for each in result.custody), record)
    signed = [(document.get("issuer"), document.get("proof")) for document in documents]
    accepted = ((each.recipient, each.acceptance) for each in stated_custody(record).transfers)
    for issuer, proof in (*signed, *accepted):
        with suppress(FailedCheck):
            yield str(issuer), read_proof(proof).key_id


def _untrusted(issuer: str) -> str:
    remedy = "add it to the list of trusted resolvers if it may answer for this LinkID"
    return f"only {quoted(issuer)} answers for this LinkID, and it is not trusted: {remedy}"

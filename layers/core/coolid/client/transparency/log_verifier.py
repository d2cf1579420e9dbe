"""Verification that a version of a record is in the log of its service.

The log's key is that of a policy which the user chose. Otherwise it is the key that the service named at the first use.
A service that names another key later, or no log, fails. `checkpoint_comparison` compares the log with what the user
saw of it before.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.client.errors import NotServed, ServiceUnavailable
from coolid.client.flows import Flow
from coolid.client.transparency.checkpoint_comparison import CheckpointComparison, sentence
from coolid.client.transparency.log_requests import MAX_SEARCHED_BUNDLES, LogRequests
from coolid.client.transparency.log_trust import LOG, LogTrust, chosen_trust, offline_trust, online_trust
from coolid.client.transparency.seen_logs import SeenLogs
from coolid.log.checkpoints import read_checkpoint
from coolid.log.entries import origin_of
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.policies import NO_QUORUM, Policy
from coolid.log.signed_notes import SignedNote
from coolid.log.split_views import SignedTree
from coolid.proofs.jws import json_object, read_proof
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, quoted

NO_LOG: Final = "the service names no transparency log, so nothing shows that everybody receives the same record"
OVERDUE_SECONDS: Final = 3600
"""A version that was signed longer ago must be in the log. A service promises two minutes."""

_CHECKPOINT: Final = "checkpoint"
_WITNESSES: Final = "witnesses"
_INCLUSION: Final = "inclusion"
_WAITING: Final = "not-logged-yet"
"""The problem type of a version that has no place in the log yet."""


class LogVerdict(Struct, frozen=True):
    """The checks of a log, and notes: sentences about what could not be checked."""

    checks: tuple[CheckOutcome, ...] = ()
    notes: tuple[str, ...] = ()


class LogVerifier:
    """Verifies by `seen`, or by a `policy` that the user chose, which then requires that each version is in a log.

    With `offline`, there are no requests. One verifier can verify many records; it repeats no request for a log.
    """

    def __init__(
        self,
        seen: SeenLogs,
        requests: LogRequests,
        policy: Policy | None = None,
        *,
        offline: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._seen = seen
        self._requests = requests
        self._policy = policy
        self._offline = offline
        self._now = now
        self._trusts: dict[str, LogTrust | LogVerdict] = {}
        self._checkpoints: dict[bytes, LogVerdict] = {}

    def verify(self, document: Mapping[str, Any], proof: bytes | None = None) -> Flow[LogVerdict]:
        """Return the verdict on a record whose signature was verified, by a proof of the log, or else by its service's.

        Raises the errors of requests, `UsageError` if no key of the log can be trusted offline, and `OSError`.
        """
        trust = yield from self._trust(document["issuer"])
        if isinstance(trust, LogVerdict):
            return trust
        try:
            found = InclusionProof.parse(proof) if proof is not None else (yield from self._found(document, trust))
        except MalformedData as error:
            return _failure(_INCLUSION, error)
        except FailedCheck as failure:
            return LogVerdict((failure.check,))
        of_checkpoint = yield from self._verdict_on(found.checkpoint, trust)
        checks = [trust.outcome, *of_checkpoint.checks]
        if of_checkpoint.checks[0].passed:
            checks.insert(2, _inclusion(document["proof"].encode(), found))
        return LogVerdict(tuple(checks), (*trust.notes, *of_checkpoint.notes))

    def _trust(self, issuer: str) -> Flow[LogTrust | LogVerdict]:
        """Return what to trust for the log of an issuer, or the verdict if it has no log or none to trust."""
        origin = origin_of(issuer)
        if origin not in self._trusts:
            self._trusts[origin] = yield from self._found_trust(issuer)
        return self._trusts[origin]

    def _found_trust(self, issuer: str) -> Flow[LogTrust | LogVerdict]:
        if self._policy is not None:
            return chosen_trust(self._policy, issuer)
        if self._offline:
            return offline_trust(issuer, self._seen)
        try:
            trust = yield from online_trust(issuer, self._seen, self._requests)
        except MalformedData as error:
            return _failure(LOG, error)
        except FailedCheck as failure:
            return LogVerdict((failure.check,))
        return trust or LogVerdict(notes=(NO_LOG,))

    def _found(self, document: Mapping[str, Any], trust: LogTrust) -> Flow[InclusionProof]:
        """Return the proof that the service offers, or one from the tiles of the log."""
        if self._offline:
            raise FailedCheck(_INCLUSION, "there is no proof that the version is in a log")
        pid, version, entry = document["pid"], document["version"], document["proof"].encode()
        try:
            return InclusionProof.parse((yield from self._requests.proof(pid, version)))
        except NotServed as error:
            reason = str(error)
        except ServiceUnavailable as error:
            if error.kind == _WAITING and self._now() - _signed_at(document) > OVERDUE_SECONDS:
                raise FailedCheck(
                    _INCLUSION, f"the version was signed long ago, and still is not in the log: {error}"
                ) from error
            raise
        url = trust.urls[origin_of(document["issuer"])]
        try:
            note = yield from self._requests.checkpoint(url)
            checkpoint, _ = read_checkpoint(note)
            found = yield from self._requests.found_proof(url, entry, checkpoint.size, note)
        except NotServed as error:
            raise FailedCheck(_INCLUSION, f"the service offers no proof ({reason}) and no tiles ({error})") from error
        if found is None:
            searched = f"the newest {MAX_SEARCHED_BUNDLES} bundles of entries lack the version"
            raise FailedCheck(_INCLUSION, f"the service offers no proof ({reason}), and {searched}")
        return found

    def _verdict_on(self, octets: bytes, trust: LogTrust) -> Flow[LogVerdict]:
        """Return the checks of a checkpoint: its signature, its cosignatures, and what was seen before."""
        if octets not in self._checkpoints:
            self._checkpoints[octets] = yield from self._checked(octets, trust)
        return self._checkpoints[octets]

    def _checked(self, octets: bytes, trust: LogTrust) -> Flow[LogVerdict]:
        try:
            checkpoint, note = Policy(NO_QUORUM, trust.policy.logs).verified_checkpoint(octets)
        except (MalformedData, FailedProof) as error:
            return _failure(_CHECKPOINT, error)
        detail = f"the log {quoted(checkpoint.origin)} signed its tree of {checkpoint.size} entries"
        checks = [CheckOutcome(_CHECKPOINT, True, detail), *_witness_checks(trust.policy, note)]
        comparison = CheckpointComparison(
            self._seen, self._requests, trust.policy, trust.urls.get(checkpoint.origin), is_chosen=trust.is_chosen
        )
        tree, saves = SignedTree(checkpoint, octets.decode()), all(check.passed for check in checks)
        compared, notes = yield from comparison.compare(tree, offline=self._offline, saves=saves)
        return LogVerdict((*checks, *compared), notes)


def _failure(name: str, error: Exception) -> LogVerdict:
    return LogVerdict((CheckOutcome(name, False, sentence(error)),))


def _witness_checks(policy: Policy, note: SignedNote) -> list[CheckOutcome]:
    """Return the check of the cosignatures, or none if the policy names no witnesses."""
    if not policy.witnesses:
        return []
    try:
        cosigners = policy.cosigners(note)
    except FailedProof as error:
        return [CheckOutcome(_WITNESSES, False, sentence(error))]
    names = ", ".join(map(quoted, cosigners)) or "no witness"
    quorum = "the quorum is met" if policy.is_met(cosigners) else f"the quorum {quoted(policy.quorum)} needs more"
    return [CheckOutcome(_WITNESSES, policy.is_met(cosigners), f"cosigned by {names}; {quorum}")]


def _inclusion(entry: bytes, proof: InclusionProof) -> CheckOutcome:
    """Return the check that a tree, whose signature was verified, has the entry."""
    try:
        size = proof.check(entry).size
    except FailedProof as error:
        return CheckOutcome(_INCLUSION, False, str(error))
    return CheckOutcome(_INCLUSION, True, f"the version is entry {proof.index} of {size} in the log")


def _signed_at(document: Mapping[str, Any]) -> int:
    """Return when a record, whose proof was verified, was signed, in seconds since 1970."""
    signed_at: int = json_object(read_proof(document["proof"]).payload, "statement", "payload")["iat"]
    return signed_at

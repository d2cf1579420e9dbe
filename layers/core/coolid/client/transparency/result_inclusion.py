"""Verification that the record of a resolution result is in a log of a policy, by the proof in the result.

`?include=inclusion` adds the proof to a result. It is verified without any request, also after the service has ended.
The record itself must be verified before (`coolid.linkid.evidence`).
"""

from coolid.client.flows import Flow
from coolid.client.transparency.log_requests import LogRequests
from coolid.client.transparency.log_verifier import LogVerdict, LogVerifier
from coolid.client.transparency.seen_logs import SeenLogs
from coolid.linkid.results import ResolutionResult
from coolid.log.policies import Policy
from coolid.proofs.verdicts import CheckOutcome


def verify_inclusion(result: ResolutionResult, policy: Policy, seen: SeenLogs) -> Flow[LogVerdict]:
    """Return the checks of the proof in a verified result by a policy, which requires one for each record.

    The checkpoint is compared with what the user has `seen` of the log. Raises `UsageError` for a damaged file of the
    user's state, and `OSError`.
    """
    if result.record is None:
        return LogVerdict()
    if result.inclusion is None:
        detail = "the result has no proof that its record is in a log, which the policy requires"
        return LogVerdict((CheckOutcome("inclusion", False, detail),))
    verifier = LogVerifier(seen, LogRequests(), policy, offline=True)
    return (yield from verifier.verify(result.record, result.inclusion.encode()))

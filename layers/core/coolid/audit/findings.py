"""Findings: what an audit found, by rule, and what can be proved about each.

>>> RULES["split-view"].severity, RULES["split-view"].proof
('violation', 'signed')
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

VIOLATION: Final = "violation"
"""The operator did what a log or a resolver must never do. The audit fails."""
NOTICE: Final = "notice"
"""An event that is permitted, but that a reader should see."""

SIGNED: Final = "signed"
"""The operator's own signatures prove the finding."""
WHOLE_LOG: Final = "whole-log"
"""The signatures prove what is there; only the whole log shows what is missing."""
OBSERVED: Final = "observed"
"""Only the auditor saw it: an answer, or the time of one."""

MISSING_VERSION: Final = "missing-version"

LOG: Final = "log"
"""The scope of findings about the log, which stay true, because a log only grows."""
PRESENT: Final = "present"
"""The scope of findings about what the service publishes now."""
ANSWERS: Final = "answers"
"""The scope of findings about the answers of the last comparison."""


class Rule(Struct, frozen=True):
    """A rule: what a finding of it means, whether it is a violation, and what its evidence proves."""

    meaning: str
    severity: str = VIOLATION
    proof: str = SIGNED


RULES: Final = {
    "split-view": Rule("The log signed two trees of which neither continues the other."),
    "rollback": Rule("The log published a smaller tree than before.", proof=OBSERVED),
    "wrong-tree": Rule("The entries or tiles do not lead to the signed root.", proof=OBSERVED),
    "missing-file": Rule("A file of the log is missing or malformed.", proof=OBSERVED),
    "log-key": Rule("No trusted key of the log signed the checkpoint.", proof=OBSERVED),
    "quorum": Rule("The checkpoint lacks the cosignatures that the policy requires.", proof=OBSERVED),
    "malformed-entry": Rule("An entry is not a signed statement of the documented form."),
    "unknown-entry": Rule("An entry is about a subject that this release cannot judge.", NOTICE),
    "bad-signature": Rule("The signature of an entry is not that of the key that it names."),
    "unknown-key": Rule("The key of a signature is neither in the log nor published.", proof=WHOLE_LOG),
    "unlogged-key": Rule("A key that signed entries is not in the log.", proof=WHOLE_LOG),
    "unpublished-key": Rule("A key of the log is missing from the published key set.", proof=OBSERVED),
    "repeated-entry": Rule("A statement is in the log twice."),
    "reused-pid": Rule("One PID was given twice: two different statements about one version."),
    "respelled-pid": Rule("One PID was given twice, in two spellings.", proof=WHOLE_LOG),
    MISSING_VERSION: Rule("A version is missing between two versions of a PID.", proof=WHOLE_LOG),
    "reordered-version": Rule("A version comes after a later version of the same PID."),
    "moved-alias": Rule("A prefix that is an alias of a repository was pointed elsewhere."),
    "changed-statement": Rule("Two different states have the same revision, or an older one comes later."),
    "back-dated": Rule("An entry states a time long before that of the entries before it."),
    "future-dated": Rule("An entry states a time in the future.", proof=OBSERVED),
    "older-than-log": Rule("Entries are older than the log: it began with records that existed.", NOTICE),
    "after-withdrawal": Rule("A version follows the tombstone of its PID."),
    "restored": Rule("An ARK or DOI returned to the public after its withdrawal, by EZID's rules.", NOTICE),
    "altered-answer": Rule("The service answers with another document than the one in the log."),
    "broken-chain": Rule("A version does not continue the version before it: its digest, or what all versions share."),
    "early-signature": Rule("A version states a later time than its signature: one of the two is back-dated."),
    "unserved-version": Rule("The service does not serve a version that is in the log.", proof=OBSERVED),
    "unlogged-version": Rule("The service serves a version that the log lacks.", proof=WHOLE_LOG),
    "unanswered": Rule("The service does not answer for a PID, although it answers for others.", proof=OBSERVED),
    "altered-alias": Rule("The service shows an alias in another way than the log.", proof=OBSERVED),
    "stale-answer": Rule("The service answers with an older version than the log has.", proof=OBSERVED),
    "cached-answer": Rule("A cache answers with an older version than the log has.", NOTICE, OBSERVED),
    "other-target": Rule("The service redirects to a target that the record does not have.", proof=OBSERVED),
}


class AuditFinding(Struct, frozen=True):
    """A finding of a `rule`. `subject` is the PID, prefix, key or file; `indexes` are the entries that show it."""

    rule: str
    subject: str
    detail: str
    indexes: tuple[int, ...] = ()

    @property
    def is_violation(self) -> bool:
        """Whether the audit fails because of it."""
        return RULES[self.rule].severity == VIOLATION


class Observation(Struct, frozen=True):
    """A finding with what shows it apart from entries: documents as served, and members about checkpoints."""

    finding: AuditFinding
    documents: Sequence[Mapping[str, Any]] = ()
    trees: Mapping[str, Any] = {}

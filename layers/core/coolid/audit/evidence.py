"""Evidence: what shows the findings of an audit, in one JSON document that anyone can verify without network.

    {"format": "coolid-log-evidence/1", "log": VERIFIER_KEY, "made": SECONDS, "tolerance": SECONDS, "findings": [
      {"rule", "subject", "detail", "indexes",
       "entries": [{"entry": JWS, "proof": TLOG_PROOF}, …],          the entries at these indexes, with inclusion proofs
       "checkpoints": [NOTE, NOTE], "root": BASE64, "hashes": […],   of a split view (`coolid.log.split_views`)
       "documents": [RECORD, …],                                     as served
       "keys": [{"entry": JWS, "proof": TLOG_PROOF}, …]}]}           the log's entries of the keys that signed these

`coolid verify` and `coolid witness evidence` write what they saw of one log in the same form.

A finding that the operator's own signatures prove is `PROVED`. If the evidence is genuine, but shows only a part, it is
`GENUINE`: the absence of an entry needs the whole log, and an answer or its time was seen by the auditor alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.audit.document_evidence import DOCUMENT_CHECKS
from coolid.audit.entry_statements import EntryStatement, is_signed, read_entry, verifier_jwk
from coolid.audit.findings import OBSERVED, RULES, SIGNED, WHOLE_LOG
from coolid.audit.memory_rows import MemoryRows
from coolid.audit.rules import TimeLimits, judge
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.signed_notes import VerifierKey
from coolid.log.split_views import EVIDENCE_FORMAT, ROLLBACK, SPLIT_VIEW, SignedTree, SplitView
from coolid.proofs.verdicts import FailedCheck

PROVED: Final = "proved"
GENUINE: Final = "genuine"
REFUTED: Final = "refuted"
_BACK_DATED: Final = "back-dated"
"""Of two PIDs, the entries may be of records that are older than the log. Versions of one PID prove it."""
_MEANINGS: Final = {
    SIGNED: "the signatures prove it",
    WHOLE_LOG: "what the signatures show is genuine; only the whole log, or the document as signed, shows the rest",
    OBSERVED: "what the signatures show is genuine; what was answered, and when, is the auditor's word",
}


class EvidenceVerdict(Struct, frozen=True):
    """Whether the evidence of a finding is `PROVED`, `GENUINE` or `REFUTED`, and why."""

    rule: str
    subject: str
    finding: str
    outcome: str
    detail: str


def log_key(document: Mapping[str, Any], trusted: Sequence[VerifierKey]) -> VerifierKey:
    """Return the key of the log that the evidence is about. It is trusted, unless there are no trusted keys.

    Raises `MalformedData`.
    """
    if not isinstance(document, dict) or document.get("format") != EVIDENCE_FORMAT:
        raise MalformedData(f"it does not have the format {EVIDENCE_FORMAT}")
    key = VerifierKey.parse(str(document.get("log")))
    if trusted and key not in trusted:
        raise MalformedData(f"it is about a log with another key: {key}")
    return key


def verify_evidence(document: Mapping[str, Any], key: VerifierKey) -> Iterator[EvidenceVerdict]:
    """Yield a verdict on each finding about the log of this key. Raises `MalformedData`."""
    limits = TimeLimits(_seconds(document, "made"), _seconds(document, "tolerance"))
    findings = document.get("findings")
    for member in findings if isinstance(findings, list) else []:
        part = member if isinstance(member, dict) else {}
        rule, subject, detail = (str(part.get(name)) for name in ("rule", "subject", "detail"))
        try:
            _require(rule in RULES, "this release has no such rule")
            is_proved = _verify_finding(rule, part, key, limits)
        except (FailedProof, FailedCheck, MalformedData, LookupError, TypeError, ValueError, AttributeError) as error:
            yield EvidenceVerdict(rule, subject, detail, REFUTED, str(error) or type(error).__name__)
        else:
            proof = RULES[rule].proof
            outcome = PROVED if is_proved and proof == SIGNED else GENUINE
            meaning = _MEANINGS[proof if is_proved or proof != SIGNED else WHOLE_LOG]
            yield EvidenceVerdict(rule, subject, detail, outcome, meaning)


def _verify_finding(rule: str, part: Mapping[str, Any], key: VerifierKey, limits: TimeLimits) -> bool:
    """Return whether signatures show the finding. Raises `FailedProof` and others if the evidence is not genuine."""
    if rule == SPLIT_VIEW:
        SplitView.read(part, key)
        return True
    trees = [SignedTree.read(note, key) for note in part.get("checkpoints", [])]
    if rule == ROLLBACK:
        earlier, later = trees
        if later.checkpoint.size >= earlier.checkpoint.size:
            raise FailedProof("the later checkpoint is not smaller")
        return True
    entries = [_included(each, key) for each in part.get("entries", [])]
    documents = part.get("documents", [])
    keys = [_logged_key(*_included(each, key)) for each in part.get("keys", [])]
    if rule in DOCUMENT_CHECKS:
        statements = [_statement(index, entry) for index, entry in entries]
        return DOCUMENT_CHECKS[rule](statements, documents, {"keys": keys})
    if RULES[rule].proof == SIGNED or entries:
        return _entries_show(rule, entries, keys, limits)
    return False


def _entries_show(
    rule: str, entries: Sequence[tuple[int, bytes]], keys: Sequence[Mapping[str, Any]], limits: TimeLimits
) -> bool:
    """Judge the entries again. Raises `FailedProof` if they do not break the rule by themselves."""
    if rule == "bad-signature":
        [(index, entry)] = entries
        key_id = _statement(index, entry).key_id
        named = [key for key in keys if key["kid"] == key_id]
        return bool(named) and _require(not is_signed(entry, named[0]), "the signature is valid")
    rows, found = MemoryRows(), set()
    for index, entry in sorted(entries):
        try:
            statement = read_entry(index, entry)
        except FailedCheck:
            found.add("malformed-entry")
            continue
        found |= {finding.rule for finding in judge(statement, rows, limits)} if statement else {"unknown-entry"}
    if RULES[rule].proof != SIGNED and rule not in found:
        return False
    is_of_one = len({_statement(index, entry).name for index, entry in entries}) == 1 if rule == _BACK_DATED else True
    return _require(rule in found, "the entries do not break this rule") and is_of_one


def _require(condition: bool, problem: str) -> bool:
    if not condition:
        raise FailedProof(problem)
    return True


def _statement(index: int, entry: bytes) -> EntryStatement:
    statement = read_entry(index, entry)
    if statement is None:
        raise FailedProof("an entry is about an unknown subject")
    return statement


def _logged_key(index: int, entry: bytes) -> dict[str, str]:
    """Return the key that an entry of the log is about."""
    statement = _statement(index, entry)
    if statement.jwk is None:
        raise FailedProof(f"entry {index} is not about a key")
    return {**verifier_jwk(statement.name, statement.jwk), "kid": statement.name}


def _included(member: Mapping[str, str], key: VerifierKey) -> tuple[int, bytes]:
    proof, entry = InclusionProof.parse(member["proof"].encode()), member["entry"].encode()
    proof.verify(entry, key)
    return proof.index, entry


def _seconds(document: Mapping[str, Any], name: str) -> int:
    value = document.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool):
        raise MalformedData(f"the evidence has no number for {name}")
    return value

"""Output of audits: the report with its findings, and the verdicts on evidence."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from coolid.audit.findings import RULES
from coolid.cli.output import out, print_json, print_line

if TYPE_CHECKING:
    from coolid.audit.evidence import EvidenceVerdict
    from coolid.audit.log_audit import AuditReport
    from coolid.log.signed_notes import VerifierKey

_MAX_PRINTED: Final = 20
"""The most findings of one rule in the report for people; the others are counted."""


def print_report(report: "AuditReport", evidence: Path | None, *, as_json: bool) -> None:
    """Print the report. As JSON, it has all findings."""
    if as_json:
        members = {name: value for name, value in asdict(report).items() if name not in ("observations", "evidence")}
        findings = [_finding(each.finding.rule) | asdict(each.finding) for each in report.observations]
        print_json(
            {"ok": report.is_good, **members, "findings": findings, "evidence": str(evidence) if evidence else None}
        )
        return
    print_line(f"log       {report.origin}", to=out)
    print_line(f"key       {report.key}", to=out)
    print_line(f"entries   {report.size:,}, of which {report.read:,} were read now", to=out)
    print_line(f"PIDs      {report.pids:,}, of which {report.compared:,} were compared with the service", to=out)
    counts: Counter[str] = Counter()
    for observation in report.observations:
        finding = observation.finding
        counts[finding.rule] += 1
        if counts[finding.rule] == 1:
            print_line(f"{RULES[finding.rule].severity}: {finding.rule}. {RULES[finding.rule].meaning}", to=out)
        if counts[finding.rule] <= _MAX_PRINTED:
            where = f" (entries {', '.join(map(str, finding.indexes))})" if finding.indexes else ""
            print_line(f"  {finding.subject}: {finding.detail}{where}", to=out)
    for rule, count in counts.items():
        if count > _MAX_PRINTED:
            print_line(f"{rule}: {count - _MAX_PRINTED:,} more; --json prints all", to=out)
    if evidence is not None:
        print_line(f"evidence  {evidence}", to=out)
    if report.is_good:
        print_line("no rule was broken", to=out)


def print_verdicts(key: "VerifierKey", verdicts: "Sequence[EvidenceVerdict]", *, as_json: bool) -> None:
    """Print the verdicts on evidence about the log of a key."""
    if as_json:
        print_json({"log": str(key), "verdicts": [asdict(each) for each in verdicts]})
        return
    print_line(f"log       {key}", to=out)
    for verdict in verdicts:
        print_line(f"{verdict.outcome}: {verdict.rule}, {verdict.subject}: {verdict.finding}", to=out)
        print_line(f"  {verdict.detail}", to=out)


def _finding(rule: str) -> dict[str, str]:
    return {"severity": RULES[rule].severity}

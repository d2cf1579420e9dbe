"""Output of verdicts on records: a mark and a sentence for each check, or JSON.

The documents are untrusted, so their control characters are never printed.
"""

import sys
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from coolid.cli.output import BAD, GOOD, for_people, mark, out, print_json, print_list
from coolid.proofs.history_chain import CHAIN
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted


def print_record(document: Any, verdict: Verdict, *, as_json: bool) -> bool:
    """Print the verdict on one record with all its checks. Return whether it is good."""
    if as_json:
        print_json(_identity(document) | _checks(verdict, complete=True) | {"notes": verdict.notes})
        return verdict.ok
    summary = _summary(verdict)
    _print_text(Text(_title(document)))
    _print_checks(verdict.checks)
    for note in verdict.notes:
        _print_text(Text(f"  note: {note}"))
    _print_text(Text(summary, GOOD if verdict.ok else BAD))
    return verdict.ok


def print_line_verdict(number: int, document: Any, verdict: Verdict, *, as_json: bool) -> bool:
    """Print the verdict on one record of many, with the failed checks. Return whether it is good."""
    if as_json:
        print_json({"line": number} | _identity(document) | _checks(verdict, complete=False))
        return verdict.ok
    return _print_marked(
        f"line {number}: {_title(document)}", verdict, [each for each in verdict.checks if not each.passed]
    )


def print_history(pid: str, versions: Sequence[int], verdict: Verdict, *, as_json: bool) -> bool:
    """Print the verdict on the chain of a PID's versions. Return whether it is good."""
    if as_json:
        print_json({"pid": pid, "versions": list(versions)} | _checks(verdict, complete=True))
        return verdict.ok
    return _print_marked(f"history of {quoted(pid)}", verdict, verdict.checks)


def _summary(verdict: Verdict) -> str:
    if not verdict.ok:
        return "not verified"
    if verdict.complete:
        return "verified, with all versions"
    is_whole = any(each.name == CHAIN and each.detail.startswith("versions 1 to ") for each in verdict.checks)
    reason = "had no known keys" if is_whole else "were missing"
    return f"verified; some earlier versions {reason}"


def _identity(document: Any) -> dict[str, Any]:
    members = document if isinstance(document, dict) else {}
    return {"pid": members.get("pid"), "version": members.get("version")}


def _title(document: Any) -> str:
    about = _identity(document)
    return f"{quoted(about['pid'])}, version {quoted(about['version'])}"


def _checks(verdict: Verdict, *, complete: bool) -> dict[str, Any]:
    checks = [{"name": each.name, "passed": each.passed, "detail": each.detail} for each in verdict.checks]
    return {"ok": verdict.ok} | ({"complete": verdict.complete} if complete else {}) | {"checks": checks}


def _print_marked(title: str, verdict: Verdict, checks: Sequence[CheckOutcome]) -> bool:
    _print_text(mark(good=verdict.ok) + Text(f" {title}"))
    _print_checks(checks)
    return verdict.ok


def _print_checks(checks: Sequence[CheckOutcome]) -> None:
    if for_people():
        print_list(("", mark(good=check.passed), check.name, check.detail) for check in checks)
        return
    for check in checks:
        _print_text(Text("  ") + mark(good=check.passed) + Text(f" {check.name}: {check.detail}"))


def _print_text(line: Text) -> None:
    """Print a line whose untrusted parts are already quoted."""
    if for_people():
        out.print(line)
    else:
        sys.stdout.write(f"{line}\n")

"""Output of verdicts on records: a mark and a sentence for each check, or JSON.

The documents are untrusted, so their control characters are never printed.
"""

import sys
from collections.abc import Sequence
from typing import Any

from rich.text import Text

from coolid.cli.output import out, print_json
from coolid.cli.tables import BAD, GOOD, for_people, mark, print_list
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted


def print_record(document: Any, verdict: Verdict, *, as_json: bool) -> bool:
    """Print the verdict on one record with all its checks. Return whether it is good."""
    if as_json:
        print_json(_identity(document) | {"ok": verdict.ok, "complete": verdict.complete} | _checks(verdict.checks))
        return verdict.ok
    _print(_title(document))
    _print_checks(verdict.checks)
    _print(_summary(verdict), GOOD if verdict.ok else BAD)
    return verdict.ok


def print_line_verdict(number: int, document: Any, verdict: Verdict, *, as_json: bool) -> bool:
    """Print the verdict on one record of many, with the failed checks. Return whether it is good."""
    if as_json:
        print_json({"line": number} | _identity(document) | {"ok": verdict.ok} | _checks(verdict.checks))
        return verdict.ok
    _print_marked(f" line {number}: {_title(document)}", verdict)
    _print_checks([check for check in verdict.checks if not check.passed])
    return verdict.ok


def print_history(pid: str, versions: Sequence[int], verdict: Verdict, *, as_json: bool) -> bool:
    """Print the verdict on the chain of a PID's versions. Return whether it is good."""
    if as_json:
        members = {"pid": pid, "versions": list(versions), "ok": verdict.ok, "complete": verdict.complete}
        print_json(members | _checks(verdict.checks))
        return verdict.ok
    _print_marked(f" history of {quoted(pid)}", verdict)
    _print_checks(verdict.checks)
    return verdict.ok


def _identity(document: Any) -> dict[str, Any]:
    members = document if isinstance(document, dict) else {}
    return {"pid": members.get("pid"), "version": members.get("version")}


def _title(document: Any) -> str:
    about = _identity(document)
    return f"{quoted(about['pid'])}, version {quoted(about['version'])}"


def _checks(checks: Sequence[CheckOutcome]) -> dict[str, Any]:
    return {"checks": [{"name": each.name, "passed": each.passed, "detail": each.detail} for each in checks]}


def _summary(verdict: Verdict) -> str:
    if not verdict.ok:
        return "not verified"
    return "verified, with all versions" if verdict.complete else "verified; of the versions before, not all were there"


def _print_checks(checks: Sequence[CheckOutcome]) -> None:
    if for_people():
        print_list(("", mark(good=check.passed), check.name, check.detail) for check in checks)
        return
    for check in checks:
        _print(f"  {mark(good=check.passed)} {check.name}: {check.detail}")


def _print_marked(line: str, verdict: Verdict) -> None:
    if for_people():
        out.print(mark(good=verdict.ok) + Text(line))
    else:
        _print(f"{mark(good=verdict.ok)}{line}")


def _print(line: str, style: str = "") -> None:
    """Print a line whose untrusted parts are already quoted."""
    if for_people():
        out.print(Text(line, style))
    else:
        sys.stdout.write(line + "\n")

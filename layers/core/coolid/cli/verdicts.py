"""How verdicts on records are printed: for people a mark and a sentence for each check, for programs JSON.

What is printed is foreign: a document may hold what would steer a terminal. None of it arrives there as it is.
"""

import sys
from collections.abc import Sequence
from typing import Any

from coolid.cli.output import print_json
from coolid.domain.verdicts import Check, Verdict, shown

_MARKS = {True: "✓", False: "✗"}
_PLAIN_MARKS = {True: "ok", False: "NO"}


def print_record(document: Any, verdict: Verdict, *, as_json: bool) -> bool:
    """The verdict on one record with all its checks; gives back whether it is good."""
    if as_json:
        print_json(_about(document) | {"ok": verdict.ok, "complete": verdict.complete} | _told(verdict.checks))
        return verdict.ok
    _print(_title(document))
    _print_checks(verdict.checks)
    _print(_summary(verdict))
    return verdict.ok


def print_line(number: int, document: Any, verdict: Verdict, *, as_json: bool) -> bool:
    """The verdict on one record of many, with the checks that failed; gives back whether it is good."""
    if as_json:
        print_json({"line": number} | _about(document) | {"ok": verdict.ok} | _told(verdict.checks))
        return verdict.ok
    _print(f"{_mark(verdict.ok)} line {number}: {_title(document)}")
    _print_checks([check for check in verdict.checks if not check.passed])
    return verdict.ok


def print_history(pid: str, versions: Sequence[int], verdict: Verdict, *, as_json: bool) -> bool:
    """The verdict on the chain of a PID's versions; gives back whether it is good."""
    if as_json:
        told = {"pid": pid, "versions": list(versions), "ok": verdict.ok, "complete": verdict.complete}
        print_json(told | _told(verdict.checks))
        return verdict.ok
    _print(f"{_mark(verdict.ok)} history of {shown(pid)}")
    _print_checks(verdict.checks)
    return verdict.ok


def _about(document: Any) -> dict[str, Any]:
    said = document if isinstance(document, dict) else {}
    return {"pid": said.get("pid"), "version": said.get("version")}


def _title(document: Any) -> str:
    about = _about(document)
    return f"{shown(about['pid'])}, version {shown(about['version'])}"


def _told(checks: Sequence[Check]) -> dict[str, Any]:
    return {"checks": [{"name": each.name, "passed": each.passed, "detail": each.detail} for each in checks]}


def _summary(verdict: Verdict) -> str:
    if not verdict.ok:
        return "not verified"
    return "verified, with all versions" if verdict.complete else "verified; of the versions before, not all were there"


def _print_checks(checks: Sequence[Check]) -> None:
    for check in checks:
        _print(f"  {_mark(check.passed)} {check.name}: {check.detail}")


def _mark(passed: bool) -> str:
    try:
        _MARKS[passed].encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return _PLAIN_MARKS[passed]
    return _MARKS[passed]


def _print(line: str) -> None:
    """Sentences quote what is foreign as Python would; here goes only what the terminal could not spell."""
    encoding = sys.stdout.encoding
    sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")

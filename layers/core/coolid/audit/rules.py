"""The rules that the entries of a log must keep, judged one by one in the order of the log.

An entry has a digest and never the document. So the entries alone show that the versions of a PID are consecutive, that
no version and no revision was stated twice, that no alias moved, and that times do not go back. Whether a version
contains the digest of the one before, and whether one follows a tombstone, needs the documents (`service_answers`).

The first entry of a PID may have a version above 1, because reserved versions were never public. Versions may be
missing between two entries, if the record was at other services meanwhile (`custody_absences`).
"""

from collections.abc import Iterator
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from coolid.audit.entry_statements import NAMESPACE, PREFIX, SYNONYM, VERSION, EntryStatement
from coolid.audit.findings import MISSING_VERSION, AuditFinding
from coolid.proofs.verdicts import quoted
from coolid.proofs.verification import time_text

CLOCK_DIFFERENCE: Final = 300
"""The seconds by which the clocks of several writers may differ."""
LATE_SECONDS: Final = 3600
"""The seconds by which an entry may come later than others of its time, by default."""


class PidState(Struct, frozen=True):
    """The versions of a PID so far, `first` to `last`; the index and time of the latest entry."""

    first: int
    last: int
    index: int
    issued_at: int


class LogTimes(Struct, frozen=True):
    """The `latest` time so far, and the index of its entry.

    The log `began` at this time, if that is known. `has_new` is whether it has a version of a later time. Only before
    that version, it may have records that existed when it began; `older` is their number.
    """

    latest: int = 0
    latest_index: int = 0
    began: int | None = None
    has_new: bool = False
    older: int = 0


class StatementRows(Protocol):
    """The statements judged so far."""

    times: LogTimes

    def pid_state(self, pid: str) -> PidState | None:
        """Return the state of a PID, or None for a new one."""

    def version(self, pid: str, version: int) -> EntryStatement | None:
        """Return the first statement about a version, or None."""

    def add_version(self, statement: EntryStatement) -> None:
        """Add the statement about a version that has none yet."""

    def latest_change(self, subject: str, name: str) -> EntryStatement | None:
        """Return the latest statement about a subject that is not a version, or None."""

    def add_change(self, statement: EntryStatement) -> None:
        """Replace the latest statement about a subject."""


class TimeLimits(Struct, frozen=True):
    """The present time in seconds since 1970, and by how much entries may be late.

    Entries at an index below `backfill` may be older than the log.
    """

    now: int
    tolerance: int = LATE_SECONDS
    backfill: int = 0


def judge(statement: EntryStatement, rows: StatementRows, limits: TimeLimits) -> Iterator[AuditFinding]:
    """Yield the findings about the next entry, and add it to the rows."""
    yield from _time_findings(statement, rows, limits)
    if statement.subject == VERSION:
        yield from _version_findings(statement, rows)
    else:
        yield from _change_findings(statement, rows)


def _version_findings(statement: EntryStatement, rows: StatementRows) -> Iterator[AuditFinding]:
    pid, version = statement.name, statement.number
    same = rows.version(pid, version)
    if same is not None:
        yield _repetition(statement, same, "reused-pid", f"version {version}")
        return
    state = rows.pid_state(pid)
    rows.add_version(statement)
    if state is None:
        return
    if version > state.last + 1:
        missing = f"version {state.last + 1}" if version == state.last + 2 else f"{version - state.last - 1} versions"
        detail = f"{missing} between version {state.last} and version {version}"
        yield AuditFinding(MISSING_VERSION, pid, detail, (state.index, statement.index))
    if version < state.last:
        detail = f"version {version} comes after version {state.last}"
        yield AuditFinding("reordered-version", pid, detail, (state.index, statement.index))
    elif statement.issued_at < state.issued_at - CLOCK_DIFFERENCE:
        detail = f"version {version} was signed at {time_text(statement.issued_at)}, before version {state.last}"
        yield AuditFinding("back-dated", pid, detail, (state.index, statement.index))


def _change_findings(statement: EntryStatement, rows: StatementRows) -> Iterator[AuditFinding]:
    name = f"{statement.subject} {statement.name}"
    before = rows.latest_change(statement.subject, statement.name)
    has_revisions = before is not None and SYNONYM not in (before.kind, statement.kind)  # theirs is another prefix's
    if before is not None and has_revisions and statement.number <= before.number:
        revision = f"revision {statement.number}"
        if statement.number == before.number:
            yield _repetition(statement, before, "changed-statement", revision)
        else:
            detail = f"{revision} comes after revision {before.number}"
            yield AuditFinding("changed-statement", name, detail, (before.index, statement.index))
    moved = (statement.kind, statement.target) != (NAMESPACE, before.target if before else None)
    if statement.subject == PREFIX and before is not None and before.kind == NAMESPACE and moved:
        detail = f"it was an alias of {quoted(before.target)}, and then {statement.kind} {quoted(statement.target)}"
        yield AuditFinding("moved-alias", statement.name, detail, (before.index, statement.index))
    elif before is None or not has_revisions or statement.number > before.number:
        rows.add_change(statement)


def _repetition(statement: EntryStatement, same: EntryStatement, rule: str, what: str) -> AuditFinding:
    name = statement.name if statement.subject == VERSION else f"{statement.subject} {statement.name}"
    if statement.digest == same.digest and statement.target == same.target:
        return AuditFinding("repeated-entry", name, f"{what} is in the log twice", (same.index, statement.index))
    detail = f"there are two different statements about {what}"
    return AuditFinding(rule, name, detail, (same.index, statement.index))


def _time_findings(statement: EntryStatement, rows: StatementRows, limits: TimeLimits) -> Iterator[AuditFinding]:
    times, index, issued_at = rows.times, statement.index, statement.issued_at
    if issued_at > limits.now + CLOCK_DIFFERENCE:
        detail = f"it states {time_text(issued_at)}; the audit was made at {time_text(limits.now)}"
        yield AuditFinding("future-dated", statement.name, detail, (index,))
        return
    is_older = times.began is not None and issued_at < times.began - limits.tolerance
    if issued_at < times.latest - limits.tolerance and index >= limits.backfill and (times.has_new or not is_older):
        detail = f"it states {time_text(issued_at)}, after an entry of {time_text(times.latest)}"
        yield AuditFinding("back-dated", statement.name, detail, (times.latest_index, index))
    if issued_at > times.latest:
        times = replace(times, latest=issued_at, latest_index=index)
    is_new = statement.subject == VERSION and times.began is not None and not is_older
    rows.times = replace(times, has_new=times.has_new or is_new, older=times.older + is_older)

"""The statements judged so far in memory, for the few entries of evidence."""

from coolid.audit.entry_statements import EntryStatement
from coolid.audit.rules import LogTimes, PidState


class MemoryRows:
    """See `StatementRows`."""

    def __init__(self) -> None:
        self.times = LogTimes()
        self._versions: dict[str, dict[int, EntryStatement]] = {}
        self._changes: dict[tuple[str, str], EntryStatement] = {}

    def pid_state(self, pid: str) -> PidState | None:
        """See `StatementRows`."""
        versions = self._versions.get(pid)
        if not versions:
            return None
        last = versions[max(versions)]
        return PidState(min(versions), last.number, last.index, last.issued_at)

    def version(self, pid: str, version: int) -> EntryStatement | None:
        """See `StatementRows`."""
        return self._versions.get(pid, {}).get(version)

    def add_version(self, statement: EntryStatement) -> None:
        """See `StatementRows`."""
        self._versions.setdefault(statement.name, {})[statement.number] = statement

    def latest_change(self, subject: str, name: str) -> EntryStatement | None:
        """See `StatementRows`."""
        return self._changes.get((subject, name))

    def add_change(self, statement: EntryStatement) -> None:
        """See `StatementRows`."""
        self._changes[statement.subject, statement.name] = statement
